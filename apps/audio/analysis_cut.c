/* Decides in which blocks a piece of sound is coded: whole, or in equal parts where it changes. RFC 9639, section 9.1, calls a
 * stream of such blocks one of variable block size.
 *
 * The decision compares the bits that linear prediction is expected to take. It looks only at the sum of the channels: this one row
 * gives nearly the same cuts as all channels. The margin is what a part costs besides its residual. It also accounts for what a longer
 * block gains from the choice among several windows (docs/decisions/0033-blocks-follow-the-sound.md). */
#include "apps/audio/analysis_parts.h"

enum { MARGIN_BITS = 600, TAPERS = 8, MAX_ORDER = 8 };

typedef struct cutting {
    const flac_recipe *recipe;
    wadi_acc block; /* i32[n, channels] */
    wadi_acc
        r; /* f64[1, parts, order + 1]: of the whole, then of its halves, and so on: part j of cut k at 2^k - 1 + j */
    wadi_acc bits; /* f64[parts]: expected */
    int order;
} cutting;

static const char *const windowed_name[FLAC_MAX_CUTS + 1] = {"cut_whole", "cut_halves",
                                                             "cut_quarters"};
static const char *const r_name[FLAC_MAX_CUTS + 1] = {"cut_whole_r", "cut_halves_r",
                                                      "cut_quarters_r"};

/* The sum of eight channels of 24 bits fits 32 bits. */
static wadi_type sum_type(const flac_recipe *recipe) {
    return recipe->bits <= 24 ? WADI_I32 : WADI_I64;
}

/* The sum of the channels. */
static wadi_exp mixed(void *env, wadi_ix ix) {
    const cutting *c = env;
    const wadi_type type = sum_type(c->recipe);
    wadi_exp sum = wadi_literal(type, 0);
    for (int k = 0; k < c->recipe->channels; k++)
        sum = wadi_add(sum, flac_to(type, wadi_index2(c->block, ix.at[1], wadi_i64(k))));
    return sum;
}

/* f64[1, 2^(cuts + 1) - 1, order + 1] */
static wadi_acc autocorrelations(const cutting *c, wadi_acc x) {
    wadi_acc r[FLAC_MAX_CUTS + 1];
    for (int cut = 0; cut <= c->recipe->cuts; cut++) {
        const flac_parts p = {.x = x,
                              .parts = 1 << cut,
                              .tapers = TAPERS << cut,
                              .order = c->order,
                              .windowed = windowed_name[cut],
                              .autocorrelation = r_name[cut]};
        r[cut] = flac_autocorrelation(&p);
    }
    return wadi_concat_n(1, c->recipe->cuts + 1, r);
}

/* Expected bits of part ix[0]. */
static wadi_exp part_bits(void *env, wadi_ix ix) {
    const cutting *c = env;
    wadi_exp r[MAX_ORDER + 1], g[MAX_ORDER], e[MAX_ORDER];
    for (int l = 0; l <= c->order; l++)
        r[l] = wadi_index3(c->r, wadi_i64(0), ix.at[0], wadi_i64(l));
    flac_levinson(r, c->order, g, e);
    const wadi_exp cut =
        wadi_sub(wadi_i32(63), wadi_clz(wadi_add(ix.at[0], wadi_i64(1)))); /* log2, rounded down */
    const wadi_exp n = wadi_shr(wadi_extent(c->block, 0), cut);
    return flac_best_order(e, c->order, n, wadi_i32(c->recipe->bits)).bits;
}

/* Into how many parts the block is cut. */
static wadi_exp best_cut(const cutting *c) {
    wadi_exp least = wadi_index1(c->bits, wadi_i64(0)), parts = wadi_i64(1);
    for (int cut = 1; cut <= c->recipe->cuts; cut++) {
        wadi_exp bits = wadi_f64((double)MARGIN_BITS * ((1 << cut) - 1));
        for (int j = 0; j < 1 << cut; j++)
            bits = wadi_add(bits, wadi_index1(c->bits, wadi_i64((1 << cut) - 1 + j)));
        parts = wadi_cond(wadi_lt(bits, least), wadi_i64(1 << cut), parts);
        least = wadi_min(bits, least);
    }
    return parts;
}

wadi_acc flac_cut_build(const flac_recipe *recipe, wadi_acc block) {
    const int order = recipe->max_order < MAX_ORDER ? recipe->max_order : MAX_ORDER;
    cutting c = {.recipe = recipe, .block = block, .order = order};
    const wadi_exp n = wadi_extent(block, 0);
    const wadi_acc sum = wadi_generate_env(wadi_ix2(wadi_i64(1), n), mixed, &c);
    const wadi_acc x = wadi_named("mixed", flac_padded(sum_type(recipe), sum));
    c.r = wadi_named("cut_r", autocorrelations(&c, x));
    const wadi_exp parts = wadi_i64((2 << recipe->cuts) - 1);
    c.bits = wadi_named("cut_bits", wadi_generate_env(wadi_ix1(parts), part_bits, &c));
    /* the last block of a stream, which is shorter, stays whole */
    const wadi_exp full = wadi_eq(n, wadi_i64(recipe->block));
    const wadi_exp chosen =
        wadi_the(wadi_named("parts", wadi_unit(wadi_cond(full, best_cut(&c), wadi_i64(1)))));
    const wadi_ix shape = wadi_ix3(chosen, wadi_quot(n, chosen), wadi_i64(recipe->channels));
    return wadi_reshape(shape, block);
}
