/* Third step: the residuals of every candidate, their Rice-coded size, and the cheapest candidate of each channel.
 *
 * Rice parameters follow from sums of |residual| over partitions. The sums of all partition orders come from one prefix
 * sum over the finest partitions, so the orders cost next to nothing. Partition j of order p has the number
 * 2^p - 1 + j: all orders in one row, coarsest first, and the bits of an order are a difference of prefix sums again.
 */
#include "apps/audio/analysis_parts.h"

#include "apps/audio/frame.h"

enum { FIXED_TAPS = 4, MIN_PARTITION = 16 };
#define INVALID_COST ((int64_t)1 << 50)

typedef struct choices {
    const flac_signal *s;
    int candidates, taps;
    wadi_acc lpc;          /* i32[channels, windows, FLAC_COEF_ROW] */
    wadi_acc coef, resid;  /* as in flac_choice */
    wadi_acc finest_order; /* i32: highest partition order the block length allows */
    wadi_exp parts;        /* i64: 2^finest */
    wadi_acc sums;         /* i64[channels, candidates, parts + 1]: prefix sums of |residual| */
    wadi_acc
        largest; /* f64[channels, candidates]: largest |residual|, when input is wider than 16 bits */
    wadi_acc rice; /* record {k i32, bits i64}[channels, candidates, 2 parts - 1] */
    wadi_acc bits; /* i64[channels, candidates, 2 parts]: prefix sums of the bits */
    wadi_acc cost; /* record {cost i64, order i32}[channels, candidates] */
    wadi_acc best; /* record {which i64, cost i64, order i32}[channels] */
} choices;

/* ---- candidates ---- */

/* Column j of the fixed predictor of order o (RFC 9639, section 9.2.5). */
static wadi_exp fixed_column(wadi_exp order, wadi_exp j) {
    static const int c[FIXED_TAPS + 1][FIXED_TAPS] = {
        {0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
    wadi_exp value = wadi_cond(wadi_eq(j, wadi_i64(FLAC_COEF_ORDER)), order, wadi_i32(0));
    for (int o = 1; o <= FIXED_TAPS; o++)
        for (int k = 0; k < o; k++) {
            const wadi_exp here = wadi_land(wadi_eq(order, wadi_i32(o)), wadi_eq(j, wadi_i64(k)));
            value = wadi_cond(here, wadi_i32(c[o][k]), value);
        }
    return value;
}

/* Candidate 0 is the fixed predictor, the others are the windows'. */
static wadi_exp candidate_column(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp fixed = fixed_column(wadi_index1(c->s->fixed, ix.at[0]), ix.at[2]);
    if (c->candidates == 1) return fixed;
    const wadi_exp window = wadi_max(wadi_sub(ix.at[1], wadi_i64(1)), wadi_i64(0));
    return wadi_cond(wadi_eq(ix.at[1], wadi_i64(0)), fixed,
                     wadi_index3(c->lpc, ix.at[0], window, ix.at[2]));
}

static wadi_exp column(const choices *c, wadi_ix ix, int j) {
    return wadi_index3(c->coef, ix.at[0], ix.at[1], wadi_i64(j));
}

/* sum >> shift, rounding down; exact in f64 too, a power of two scales without error. */
static wadi_exp scaled(wadi_type work, wadi_exp sum, wadi_exp shift) {
    if (work == WADI_I32) return wadi_shr(sum, shift);
    const wadi_exp scale =
        wadi_div(wadi_f64(1), wadi_convert(WADI_F64, wadi_shl(wadi_i32(1), shift)));
    return wadi_floor(wadi_mul(sum, scale));
}

static wadi_exp residual(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_type work = c->s->work;
    const wadi_exp i = ix.at[2],
                   x = wadi_index2(c->s->x, ix.at[0], wadi_add(i, wadi_i64(FLAC_PAD)));
    wadi_exp sum = wadi_literal(work, 0);
    for (int j = 0; j < c->taps; j++) {
        const wadi_exp past =
            wadi_index2(c->s->x, ix.at[0], wadi_add(i, wadi_i64(FLAC_PAD - 1 - j)));
        sum = wadi_add(sum, wadi_mul(flac_to(work, column(c, ix, j)), past));
    }
    const wadi_exp predicted = scaled(work, sum, column(c, ix, FLAC_COEF_SHIFT));
    const wadi_exp warm_up = wadi_lt(i, wadi_convert(WADI_I64, column(c, ix, FLAC_COEF_ORDER)));
    return wadi_cond(warm_up, x, wadi_sub(x, predicted));
}

/* ---- partitions ---- */

/* The highest order whose partitions are equally long and hold more samples than the history of any predictor. */
static wadi_exp finest_order(const flac_recipe *recipe, wadi_exp n) {
    wadi_exp best = wadi_i32(0);
    for (int p = 1; p <= recipe->max_partition; p++) {
        const wadi_exp mask = wadi_i64(((int64_t)1 << p) - 1);
        const wadi_exp whole = wadi_eq(wadi_and(n, mask), wadi_i64(0));
        const wadi_exp long_enough = wadi_ge(wadi_shr(n, wadi_i32(p)), wadi_i64(MIN_PARTITION));
        best = wadi_cond(wadi_land(whole, long_enough), wadi_i32(p), best);
    }
    return best;
}

/* |residual| of sample ix[3] of partition ix[2], warm-up samples included. */
static wadi_exp magnitude(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp length = wadi_shr(c->s->n, wadi_the(c->finest_order));
    const wadi_exp i = wadi_add(wadi_mul(ix.at[2], length), ix.at[3]);
    const wadi_exp r = wadi_abs(wadi_index3(c->resid, ix.at[0], ix.at[1], i));
    return c->s->work == WADI_I32 ? wadi_convert(WADI_I64, r) : r;
}

/* |residual| of sample ix[2]; a predictor's warm-up samples are no residuals. */
static wadi_exp whole_magnitude(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp order = wadi_convert(WADI_I64, column(c, ix, FLAC_COEF_ORDER));
    const wadi_exp r = wadi_abs(wadi_index3(c->resid, ix.at[0], ix.at[1], ix.at[2]));
    return wadi_cond(wadi_lt(ix.at[2], order), wadi_literal(c->s->work, 0), r);
}

/* The sum of the first partition without the warm-up samples. They are subtracted here, so that the long loop needs no tests. */
static wadi_exp without_warm_up(void *env, wadi_ix ix, wadi_exp sum) {
    const choices *c = env;
    const wadi_exp order = column(c, ix, FLAC_COEF_ORDER), last = wadi_sub(c->s->n, wadi_i64(1));
    wadi_exp warm_up = wadi_i64(0);
    for (int i = 0; i < FLAC_COEF_ORDER; i++) {
        const wadi_exp at = wadi_min(wadi_i64(i), last);
        const wadi_exp x = wadi_abs(wadi_index3(c->resid, ix.at[0], ix.at[1], at));
        const wadi_exp counts = wadi_lt(wadi_i32(i), order);
        warm_up = wadi_add(warm_up, wadi_cond(counts, wadi_convert(WADI_I64, x), wadi_i64(0)));
    }
    const wadi_exp first = wadi_eq(ix.at[2], wadi_i64(0));
    return wadi_sub(wadi_convert(WADI_I64, sum), wadi_cond(first, warm_up, wadi_i64(0)));
}

/* i64[channels, candidates, parts + 1] */
static wadi_acc partition_sums(choices *c, wadi_ix rows) {
    const wadi_exp length = wadi_shr(c->s->n, wadi_the(c->finest_order));
    const wadi_ix all = wadi_ix4(rows.at[0], rows.at[1], c->parts, length);
    const wadi_acc sums =
        wadi_named("partition_sums", wadi_sum(wadi_generate_env(all, magnitude, c)));
    return wadi_scanl(wadi_add, wadi_i64(0), wadi_imap_env(without_warm_up, c, sums));
}

static wadi_exp bit_length(wadi_exp e) {
    return wadi_sub(wadi_i32(64), wadi_clz(e));
}

/* Rice parameter and estimated bits of partition t (see the head of the file for its number). Source: the estimate of
 * the reference encoder, bits = 4 + (1 + k) n + (sum >> (k - 1)) - n / 2. */
static wadi_exp rice_entry(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp p = wadi_sub(bit_length(wadi_add(ix.at[2], wadi_i64(1))), wadi_i32(1));
    const wadi_exp j = wadi_sub(wadi_add(ix.at[2], wadi_i64(1)), flac_pow2(p));
    const wadi_exp merge =
        wadi_sub(wadi_the(c->finest_order), p); /* 2^merge finest partitions are one here */
    const wadi_exp from = wadi_index3(c->sums, ix.at[0], ix.at[1], wadi_shl(j, merge));
    const wadi_exp upto =
        wadi_index3(c->sums, ix.at[0], ix.at[1], wadi_shl(wadi_add(j, wadi_i64(1)), merge));
    const wadi_exp sum = wadi_sub(upto, from);
    const wadi_exp order = wadi_convert(WADI_I64, column(c, ix, FLAC_COEF_ORDER));
    const wadi_exp skipped = wadi_cond(wadi_eq(j, wadi_i64(0)), order, wadi_i64(0));
    const wadi_exp count = wadi_sub(wadi_shr(c->s->n, p), skipped);
    /* (sum - 1) / count rounded down: exact in f64, both are far below 2^53 */
    const wadi_exp mean =
        wadi_div(wadi_convert(WADI_F64, wadi_sub(sum, wadi_i64(1))), wadi_convert(WADI_F64, count));
    const wadi_exp none = wadi_lor(wadi_lt(sum, wadi_i64(2)), wadi_le(count, wadi_i64(0)));
    const int limit = c->s->recipe->bits <= 16 ? 14 : 30;
    const wadi_exp length = wadi_min(wadi_i32(limit), bit_length(wadi_convert(WADI_I64, mean)));
    const wadi_exp k = wadi_cond(none, wadi_i32(0), length);
    const wadi_exp quotients = wadi_cond(
        wadi_gt(k, wadi_i32(0)), wadi_shr(sum, wadi_max(wadi_i32(0), wadi_sub(k, wadi_i32(1)))),
        wadi_mul(sum, wadi_i64(2)));
    const wadi_exp fixed = wadi_mul(wadi_add(wadi_i64(1), wadi_convert(WADI_I64, k)), count);
    const wadi_exp bits =
        wadi_sub(wadi_add(wadi_add(wadi_i64(4), fixed), quotients), wadi_shr(count, wadi_i32(1)));
    return wadi_rec2("k", k, "bits", bits);
}

static wadi_exp bits_of(wadi_exp e) {
    return wadi_get(e, "bits");
}
static wadi_exp k_of(wadi_exp e) {
    return wadi_get(e, "k");
}

/* ---- costs ---- */

/* Bits of warm-up samples, coefficients and their description. */
static wadi_exp extra_bits(const choices *c, wadi_ix ix) {
    const wadi_exp order = column(c, ix, FLAC_COEF_ORDER),
                   precision = column(c, ix, FLAC_COEF_PRECISION);
    const wadi_exp sample = wadi_index1(c->s->bits, ix.at[0]);
    const wadi_exp lpc = wadi_add(wadi_mul(order, precision), wadi_i32(9));
    const wadi_exp model = wadi_cond(wadi_eq(ix.at[1], wadi_i64(0)), wadi_i32(0), lpc);
    return wadi_convert(WADI_I64, wadi_add(wadi_mul(order, sample), model));
}

/* A residual must fit 32 bits (RFC 9639, section 9.2.7.3); short blocks have no linear prediction. */
static wadi_exp is_valid(const choices *c, wadi_ix ix) {
    wadi_exp valid =
        wadi_lor(wadi_eq(ix.at[1], wadi_i64(0)), wadi_ge(c->s->n, wadi_i64(FLAC_LPC_MIN_BLOCK)));
    if (c->s->work != WADI_I32) {
        const wadi_exp largest = wadi_index2(c->largest, ix.at[0], ix.at[1]);
        valid = wadi_land(valid, wadi_le(largest, wadi_f64(2147483647.0)));
    }
    return valid;
}

static wadi_exp candidate_cost(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp last = wadi_sub(wadi_mul(wadi_i64(2), c->parts), wadi_i64(1));
    wadi_exp best = wadi_i64(INVALID_COST), order = wadi_i32(0);
    for (int p = 0; p <= c->s->recipe->max_partition; p++) {
        const wadi_exp from = wadi_min(last, wadi_i64(((int64_t)1 << p) - 1));
        const wadi_exp upto = wadi_min(last, wadi_i64(((int64_t)2 << p) - 1));
        const wadi_exp bits = wadi_sub(wadi_index3(c->bits, ix.at[0], ix.at[1], upto),
                                       wadi_index3(c->bits, ix.at[0], ix.at[1], from));
        const wadi_exp better =
            wadi_land(wadi_le(wadi_i32(p), wadi_the(c->finest_order)), wadi_le(bits, best));
        order = wadi_cond(better, wadi_i32(p), order);
        best = wadi_cond(better, bits, best);
    }
    const wadi_exp cost = wadi_add(wadi_add(wadi_i64(6), best), extra_bits(c, ix));
    return wadi_rec2("cost", wadi_cond(is_valid(c, ix), cost, wadi_i64(INVALID_COST)), "order",
                     order);
}

/* The first of the cheapest candidates. */
static wadi_exp best_candidate(void *env, wadi_ix ix) {
    const choices *c = env;
    const wadi_exp first = wadi_index2(c->cost, ix.at[0], wadi_i64(0));
    wadi_exp which = wadi_i64(0), cost = wadi_get(first, "cost"), order = wadi_get(first, "order");
    for (int k = 1; k < c->candidates; k++) {
        const wadi_exp other = wadi_index2(c->cost, ix.at[0], wadi_i64(k));
        const wadi_exp better = wadi_lt(wadi_get(other, "cost"), cost);
        which = wadi_cond(better, wadi_i64(k), which);
        order = wadi_cond(better, wadi_get(other, "order"), order);
        cost = wadi_cond(better, wadi_get(other, "cost"), cost);
    }
    return wadi_rec3("which", which, "cost", cost, "order", order);
}

static wadi_exp which_of(wadi_exp e) {
    return wadi_get(e, "which");
}
static wadi_exp order_of(wadi_exp e) {
    return wadi_get(e, "order");
}

static wadi_exp subframe_kind(void *env, wadi_exp best, wadi_exp bits, wadi_exp constant) {
    const choices *c = env;
    const wadi_exp verbatim_bits = wadi_mul(c->s->n, wadi_convert(WADI_I64, bits));
    const wadi_exp fixed = wadi_eq(wadi_get(best, "which"), wadi_i64(0));
    const wadi_exp predicted = wadi_cond(fixed, wadi_i32(FLAC_FIXED), wadi_i32(FLAC_LPC));
    const wadi_exp raw = wadi_ge(wadi_get(best, "cost"), verbatim_bits);
    return wadi_cond(constant, wadi_i32(FLAC_CONSTANT),
                     wadi_cond(raw, wadi_i32(FLAC_VERBATIM), predicted));
}

flac_choice flac_choice_build(const flac_signal *s) {
    const flac_recipe *recipe = s->recipe;
    const bool lpc = recipe->max_order > 0 && recipe->windows > 0;
    choices c = {.s = s, .candidates = lpc ? 1 + recipe->windows : 1, .taps = FIXED_TAPS};
    if (lpc && recipe->max_order > c.taps) c.taps = recipe->max_order;
    if (lpc) c.lpc = flac_lpc_build(s);
    const wadi_ix rows = wadi_ix2(wadi_i64(recipe->channels), wadi_i64(c.candidates));
    c.coef = wadi_named("coefficients",
                        wadi_generate_env(wadi_ix3(rows.at[0], rows.at[1], wadi_i64(FLAC_COEF_ROW)),
                                          candidate_column, &c));
    const wadi_ix samples = wadi_ix3(rows.at[0], rows.at[1], s->n);
    c.resid = wadi_named("residuals", wadi_generate_env(samples, residual, &c));
    if (s->work != WADI_I32)
        c.largest =
            wadi_fold(wadi_max, wadi_f64(0), wadi_generate_env(samples, whole_magnitude, &c));
    c.finest_order = wadi_unit(finest_order(recipe, s->n));
    c.parts = flac_pow2(wadi_the(c.finest_order));
    c.sums = partition_sums(&c, rows);
    const wadi_exp entries = wadi_sub(wadi_mul(wadi_i64(2), c.parts), wadi_i64(1));
    c.rice = wadi_named(
        "rice", wadi_generate_env(wadi_ix3(rows.at[0], rows.at[1], entries), rice_entry, &c));
    c.bits = wadi_scanl(wadi_add, wadi_i64(0), wadi_map(bits_of, c.rice));
    c.cost = wadi_named("costs", wadi_generate_env(rows, candidate_cost, &c));
    c.best = wadi_named("best", wadi_generate_env(wadi_ix1(rows.at[0]), best_candidate, &c));
    return (flac_choice){
        .coef = c.coef,
        .resid = c.resid,
        .rice = wadi_map(k_of, c.rice),
        .best = wadi_map(which_of, c.best),
        .order = wadi_map(order_of, c.best),
        .kind = wadi_zip_with3_env(subframe_kind, &c, c.best, s->bits, s->constant),
        .parts = c.parts,
    };
}
