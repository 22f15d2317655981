/* The steps of the analysis of one block, in order, and what each passes to the next. Internal to the analysis.
 *
 * Every step is array code over one block: `channels` rows, `n` samples each. Samples are integers of type
 * `sample`; prediction works in type `work`: i32 where every product and sum fits 32 bits (input of up to 16 bits),
 * else f64, which holds the integers that occur (under 2^53) exactly and multiplies them faster than 64-bit integers.
 * Both give the same numbers.
 */
#ifndef APPS_AUDIO_ANALYSIS_PARTS_H
#define APPS_AUDIO_ANALYSIS_PARTS_H

#include "apps/audio/recipe.h"
#include "wadi/lang.h"

enum {
    FLAC_PAD = 16,      /* zeros before the first sample, so that no history needs a test */
    FLAC_COEF_ROW = 16, /* a predictor: coefficients from 0 on, then: */
    FLAC_COEF_ORDER = 12,
    FLAC_COEF_PRECISION = 13,
    FLAC_COEF_SHIFT = 14,
    FLAC_LPC_MIN_BLOCK = 64 /* shorter blocks are coded with fixed predictors */
};

/* A block after its channels have been chosen. */
typedef struct flac_signal {
    const flac_recipe *recipe;
    wadi_type sample, work;
    wadi_exp n;        /* i64 samples per channel */
    wadi_acc mode;     /* i32: stereo mode */
    wadi_acc x;        /* work[channels, PAD + n]: samples without their wasted bits */
    wadi_acc bits;     /* i32[channels]: per sample, without the wasted ones */
    wadi_acc wasted;   /* i32[channels] */
    wadi_acc constant; /* bool[channels]: all samples are equal */
    wadi_acc fixed;    /* i32[channels]: best order of the fixed predictors */
    bool has_whole;    /* the choice of the mode has computed these: */
    wadi_acc whole;    /* f64[channels, 1, order + 1]: autocorrelations of the whole block */
} flac_signal;

/* block: i32[n, channels]. */
flac_signal flac_signal_build(const flac_recipe *recipe, wadi_acc block);

/* x[rows, n] after PAD zeros in every row. */
wadi_acc flac_padded(wadi_type type, wadi_acc x);

/* Adjacent parts of a block, equally long. The remainder of the division belongs to none. */
typedef struct flac_parts {
    wadi_acc x;                             /* [rows, PAD + n] */
    int parts;                              /* n / parts samples each */
    int tapers;                             /* a window rises and falls on n / tapers samples */
    int order;                              /* highest lag */
    const char *windowed, *autocorrelation; /* names of the arrays */
} flac_parts;

/* f64[rows, parts, order + 1] */
wadi_acc flac_autocorrelation(const flac_parts *p);
/* The same for the predictors that are tried. */
wadi_acc flac_autocorrelation_of(const flac_recipe *recipe, wadi_acc x, int parts,
                                 const char *windowed, const char *autocorrelation);

/* One step of the recursion: a[0..i] from a[0..i) and the reflection coefficient g. */
void flac_reflect(wadi_exp *a, int i, wadi_exp g);
/* Reflection coefficients g[0..order) and prediction errors e[0..order) from the autocorrelation r[0..order]. */
void flac_levinson(const wadi_exp *r, int order, wadi_exp *g, wadi_exp *e);
/* Bits of a quantised coefficient (i32) for samples of so many bits. */
wadi_exp flac_precision(wadi_exp bits, wadi_exp order);

/* The order with the fewest expected bits for n samples whose prediction errors are e[0..max_order). */
typedef struct flac_order {
    wadi_exp order; /* i32, from 1 */
    wadi_exp bits;  /* f64 */
} flac_order;
flac_order flac_best_order(const wadi_exp *e, int max_order, wadi_exp n, wadi_exp bits);

/* Cuts a block of the recipe's length into the blocks that are coded: i32[parts, n / parts, channels]. */
wadi_acc flac_cut_build(const flac_recipe *recipe, wadi_acc block);

/* Quantised predictors of every window: i32[channels, windows, FLAC_COEF_ROW]. Needs recipe->windows > 0. */
wadi_acc flac_lpc_build(const flac_signal *s);

/* The candidates' residuals, their cost and the choice among them. */
typedef struct flac_choice {
    wadi_acc
        coef; /* i32[channels, candidates, FLAC_COEF_ROW]: candidate 0 is the fixed predictor */
    wadi_acc resid; /* work[channels, candidates, n]: warm-up samples, then residuals */
    wadi_acc
        rice; /* i32[channels, candidates, 2 * parts - 1]: Rice parameters; partition j of order p at 2^p - 1 + j */
    wadi_acc best;  /* i64[channels]: the cheapest candidate */
    wadi_acc order; /* i32[channels]: its partition order */
    wadi_acc kind;  /* i32[channels]: flac_kind */
    wadi_exp parts; /* i64: partitions at the highest order */
} flac_choice;

flac_choice flac_choice_build(const flac_signal *s);

/* Abbreviations for scalar expressions, shared by the steps. */
static inline wadi_exp flac_i64(int64_t v) {
    return wadi_i64(v);
}
static inline wadi_exp flac_to(wadi_type t, wadi_exp e) {
    return wadi_convert(t, e);
}
/* 2^e for an integer expression e >= 0, as i64 */
static inline wadi_exp flac_pow2(wadi_exp e) {
    return wadi_shl(wadi_i64(1), e);
}

#endif
