/* Second step: linear prediction. Autocorrelations of the windows, choice of the order, quantisation.
 *
 * One predictor comes from the whole block; with three windows, one more from each half; with six, also from the block without
 * each of its thirds, whose autocorrelation is that of the whole less that of the third.
 */
#include "apps/audio/analysis_parts.h"

#include <stddef.h>

enum { MAX_ORDER = FLAC_COEF_ORDER };

typedef struct windows {
    const flac_signal *s;
    wadi_acc whole, halves, thirds; /* f64[channels, parts, order + 1]: autocorrelations */
    wadi_acc r;                     /* f64[channels, windows, order + 1] */
    wadi_acc model;                 /* record[channels, windows] */
} windows;

static wadi_exp f64_of(wadi_exp e) {
    return wadi_convert(WADI_F64, e);
}

/* Lag ix[2] of window ix[1]. */
static wadi_exp of_window(void *env, wadi_ix ix) {
    const windows *w = env;
    const wadi_exp k = ix.at[1];
    const wadi_exp whole = wadi_index3(w->whole, ix.at[0], wadi_i64(0), ix.at[2]);
    const wadi_exp part = wadi_max(wadi_sub(k, wadi_i64(1)), wadi_i64(0));
    const wadi_exp half = wadi_index3(w->halves, ix.at[0], wadi_min(part, wadi_i64(1)), ix.at[2]);
    const wadi_exp upto_halves = wadi_cond(wadi_eq(k, wadi_i64(0)), whole, half);
    if (w->s->recipe->windows == FLAC_WINDOWS_HALVES) return upto_halves;
    const wadi_exp third = wadi_max(wadi_sub(k, wadi_i64(FLAC_WINDOWS_HALVES)), wadi_i64(0));
    const wadi_exp punched = wadi_sub(whole, wadi_index3(w->thirds, ix.at[0], third, ix.at[2]));
    return wadi_cond(wadi_lt(k, wadi_i64(FLAC_WINDOWS_HALVES)), upto_halves, punched);
}

/* Coefficients as integers, the rounding error carried on: q[j] is the difference of rounded prefix sums. */
static void quantise(const wadi_exp *a, int n, wadi_exp order, wadi_exp bits, wadi_exp shift,
                     wadi_exp *q) {
    const wadi_exp scale = f64_of(wadi_shl(wadi_i32(1), shift));
    const wadi_exp limit = wadi_shl(wadi_i32(1), wadi_sub(bits, wadi_i32(1)));
    wadi_exp prefix = wadi_f64(0), before = wadi_i32(0);
    for (int j = 0; j < n; j++) {
        prefix = wadi_add(prefix, wadi_mul(a[j], scale));
        const wadi_exp bounded = wadi_max(wadi_f64(-0x1p30), wadi_min(wadi_f64(0x1p30), prefix));
        const wadi_exp rounded =
            wadi_convert(WADI_I32, wadi_floor(wadi_add(bounded, wadi_f64(0.5))));
        const wadi_exp step = wadi_sub(rounded, before);
        const wadi_exp value =
            wadi_max(wadi_neg(limit), wadi_min(wadi_sub(limit, wadi_i32(1)), step));
        q[j] = wadi_cond(wadi_lt(wadi_i32(j), order), value, wadi_i32(0));
        before = rounded;
    }
}

/* floor(log2 x) of the largest coefficient fixes the shift that uses all bits of the precision. */
static wadi_exp quantiser_shift(const wadi_exp *a, int n, wadi_exp bits) {
    wadi_exp largest = wadi_f64(0);
    for (int j = 0; j < n; j++) largest = wadi_max(largest, wadi_abs(a[j]));
    const wadi_exp exponent = wadi_convert(WADI_I32, wadi_floor(wadi_log2(largest)));
    const wadi_exp known = wadi_cond(wadi_gt(largest, wadi_f64(0)), exponent, wadi_i32(0));
    return wadi_max(wadi_i32(0),
                    wadi_min(wadi_i32(15), wadi_sub(wadi_sub(bits, wadi_i32(2)), known)));
}

static const char *const coef_name[MAX_ORDER] = {"q0", "q1", "q2", "q3", "q4",  "q5",
                                                 "q6", "q7", "q8", "q9", "q10", "q11"};

/* The whole model of one window as a record: coefficients, order, precision, shift. */
static wadi_exp model(void *env, wadi_ix ix) {
    const windows *w = env;
    const int max_order = w->s->recipe->max_order;
    wadi_exp r[MAX_ORDER + 1], g[MAX_ORDER], e[MAX_ORDER], a[MAX_ORDER];
    for (int l = 0; l <= max_order; l++) r[l] = wadi_index3(w->r, ix.at[0], ix.at[1], wadi_i64(l));
    flac_levinson(r, max_order, g, e);
    const wadi_exp bits = wadi_index1(w->s->bits, ix.at[0]);
    const wadi_exp order = flac_best_order(e, max_order, w->s->n, bits).order;
    for (int i = 0; i < max_order; i++)
        flac_reflect(a, i, wadi_cond(wadi_lt(wadi_i32(i), order), g[i], wadi_f64(0)));
    const wadi_exp prec = flac_precision(bits, order), shift = quantiser_shift(a, max_order, prec);
    const char *name[MAX_ORDER + 3];
    wadi_exp field[MAX_ORDER + 3];
    quantise(a, max_order, order, prec, shift, field);
    for (int j = 0; j < max_order; j++) name[j] = coef_name[j];
    name[max_order] = "order";
    field[max_order] = order;
    name[max_order + 1] = "precision";
    field[max_order + 1] = prec;
    name[max_order + 2] = "shift";
    field[max_order + 2] = shift;
    return wadi_rec(max_order + 3, name, field);
}

/* Column `ix[2]` of a predictor's row. */
static wadi_exp coef_entry(void *env, wadi_ix ix) {
    const windows *w = env;
    const wadi_exp m = wadi_index2(w->model, ix.at[0], ix.at[1]);
    wadi_exp value = wadi_i32(0);
    const struct {
        int column;
        const char *name;
    } tail[] = {
        {FLAC_COEF_ORDER, "order"}, {FLAC_COEF_PRECISION, "precision"}, {FLAC_COEF_SHIFT, "shift"}};
    for (int j = 0; j < w->s->recipe->max_order; j++)
        value = wadi_cond(wadi_eq(ix.at[2], wadi_i64(j)), wadi_get(m, coef_name[j]), value);
    for (size_t t = 0; t < sizeof tail / sizeof tail[0]; t++)
        value = wadi_cond(wadi_eq(ix.at[2], wadi_i64(tail[t].column)), wadi_get(m, tail[t].name),
                          value);
    return value;
}

wadi_acc flac_lpc_build(const flac_signal *s) {
    const flac_recipe *recipe = s->recipe;
    const wadi_exp channels = wadi_i64(recipe->channels), count = wadi_i64(recipe->windows);
    windows w = {.s = s};
    w.whole = s->has_whole
                  ? s->whole
                  : flac_autocorrelation_of(recipe, s->x, 1, "windowed", "autocorrelation");
    w.r = w.whole;
    if (recipe->windows > 1) {
        w.halves =
            flac_autocorrelation_of(recipe, s->x, 2, "windowed_halves", "autocorrelation_halves");
        if (recipe->windows > FLAC_WINDOWS_HALVES)
            w.thirds = flac_autocorrelation_of(recipe, s->x, 3, "windowed_thirds",
                                               "autocorrelation_thirds");
        w.r = wadi_generate_env(wadi_ix3(channels, count, wadi_i64(recipe->max_order + 1)),
                                of_window, &w);
    }
    w.model = wadi_named("models", wadi_generate_env(wadi_ix2(channels, count), model, &w));
    return wadi_generate_env(wadi_ix3(channels, count, wadi_i64(FLAC_COEF_ROW)), coef_entry, &w);
}
