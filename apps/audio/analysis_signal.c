/* First step: stereo decorrelation, constant blocks, wasted bits, and the order of the fixed predictor.
 *
 * The stereo mode is chosen by the sums of absolute residuals of the fixed predictors of left, right, mid and side:
 * 0.06 % worse than coding all four and keeping the best pair, at half the work.
 */
#include "apps/audio/analysis_parts.h"

#include <math.h>

#include "apps/audio/frame.h"

enum { LEFT, RIGHT, MID, SIDE, FIXED_ORDERS = 5 };

static const char *const sum_name[FIXED_ORDERS] = {"fixed0", "fixed1", "fixed2", "fixed3",
                                                   "fixed4"};

/* The candidates a mode is chosen from: left, right, mid and side, or the channels as they are. */
typedef struct candidates {
    const flac_recipe *recipe;
    wadi_type sample;
    wadi_acc block;             /* i32[n, channels] */
    wadi_acc y;                 /* sample[rows, n] */
    wadi_acc sum[FIXED_ORDERS]; /* i64[rows]: sum of |difference of order o| from sample 4 on */
    int order;                  /* which sum is being built */
    wadi_exp n;
    wadi_acc mode, row; /* i32; i64[channels]: the row of y each channel is */
    wadi_acc ored, wasted;
} candidates;

static wadi_exp stereo_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    const wadi_exp row = ix.at[0], i = ix.at[1];
    const wadi_exp left = flac_to(c->sample, wadi_index2(c->block, i, wadi_i64(0)));
    const wadi_exp right = flac_to(c->sample, wadi_index2(c->block, i, wadi_i64(1)));
    const wadi_exp mid = wadi_shr(wadi_add(left, right), wadi_i32(1));
    const wadi_exp side = wadi_sub(left, right);
    return wadi_cond(wadi_eq(row, wadi_i64(LEFT)), left,
                     wadi_cond(wadi_eq(row, wadi_i64(RIGHT)), right,
                               wadi_cond(wadi_eq(row, wadi_i64(MID)), mid, side)));
}

static wadi_exp plain_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    return flac_to(c->sample, wadi_index2(c->block, ix.at[1], ix.at[0]));
}

/* |difference of order c->order| at sample i + 4 (RFC 9639, section 9.2.5). */
static wadi_exp difference(void *env, wadi_ix ix) {
    static const int weight[FIXED_ORDERS][FIXED_ORDERS] = {
        {1}, {1, -1}, {1, -2, 1}, {1, -3, 3, -1}, {1, -4, 6, -4, 1}};
    const candidates *c = env;
    wadi_exp sum = wadi_literal(c->sample, 0);
    for (int k = 0; k <= c->order; k++) {
        const wadi_exp x = wadi_index2(c->y, ix.at[0], wadi_add(ix.at[1], wadi_i64(4 - k)));
        sum = wadi_add(sum, wadi_mul(wadi_literal(c->sample, weight[c->order][k]), x));
    }
    return flac_to(WADI_I64, wadi_abs(sum));
}

static wadi_exp sum_of(const candidates *c, int order, wadi_exp row) {
    return wadi_index1(c->sum[order], row);
}

/* Estimated residual per sample of a row under its best fixed predictor; the quarter keeps silence from being free. A mean of
 * m costs about log2(m) + 2.5 bits a sample (Laplace's distribution), and none costs more than its plain bits: that bounds it by
 * 2^bits / 2^2.5. */
static wadi_exp row_cost(const candidates *c, int row) {
    wadi_exp least = sum_of(c, 0, wadi_i64(row));
    for (int o = 1; o < FIXED_ORDERS; o++) least = wadi_min(least, sum_of(c, o, wadi_i64(row)));
    const wadi_exp mean =
        wadi_add(wadi_div(flac_to(WADI_F64, least), flac_to(WADI_F64, c->n)), wadi_f64(0.25));
    const wadi_exp plain = wadi_f64(ldexp(0.177, c->recipe->bits + (row == SIDE)));
    return wadi_min(mean, plain);
}

/* Costs of the four modes as products of per-sample costs, which order as sums of their logarithms do. */
static wadi_exp stereo_mode(const candidates *c) {
    const wadi_exp left = row_cost(c, LEFT), right = row_cost(c, RIGHT);
    const wadi_exp mid = row_cost(c, MID), side = row_cost(c, SIDE);
    const wadi_exp cost[4] = {
        [FLAC_INDEPENDENT] = wadi_mul(left, right),
        [FLAC_LEFT_SIDE] = wadi_mul(left, side),
        [FLAC_SIDE_RIGHT] = wadi_mul(side, right),
        [FLAC_MID_SIDE] = wadi_mul(mid, side),
    };
    wadi_exp best = cost[0], mode = wadi_i32(0);
    for (int m = 1; m < 4; m++) {
        mode = wadi_cond(wadi_lt(cost[m], best), wadi_i32(m), mode);
        best = wadi_min(cost[m], best);
    }
    return mode;
}

static wadi_exp stereo_row(void *env, wadi_ix ix) {
    const candidates *c = env;
    const wadi_exp mode = wadi_the(c->mode);
    const wadi_exp first =
        wadi_cond(wadi_eq(mode, wadi_i32(FLAC_SIDE_RIGHT)), wadi_i64(SIDE),
                  wadi_cond(wadi_eq(mode, wadi_i32(FLAC_MID_SIDE)), wadi_i64(MID), wadi_i64(LEFT)));
    const wadi_exp right = wadi_lor(wadi_eq(mode, wadi_i32(FLAC_INDEPENDENT)),
                                    wadi_eq(mode, wadi_i32(FLAC_SIDE_RIGHT)));
    const wadi_exp second = wadi_cond(right, wadi_i64(RIGHT), wadi_i64(SIDE));
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(0)), first, second);
}

static wadi_exp plain_row(wadi_ix ix) {
    return ix.at[0];
}

/* First argmin over the orders of a channel's row. */
static wadi_exp fixed_order(void *env, wadi_exp row) {
    const candidates *c = env;
    wadi_exp best = sum_of(c, 0, row), order = wadi_i32(0);
    for (int o = 1; o < FIXED_ORDERS; o++) {
        const wadi_exp sum = sum_of(c, o, row);
        order = wadi_cond(wadi_lt(sum, best), wadi_i32(o), order);
        best = wadi_min(sum, best);
    }
    return order;
}

static wadi_exp chosen_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    return wadi_index2(c->y, wadi_index1(c->row, ix.at[0]), ix.at[1]);
}

static wadi_exp change_from_first(void *env, wadi_ix ix) {
    const candidates *c = env;
    return wadi_xor(chosen_sample(env, ix),
                    wadi_index2(c->y, wadi_index1(c->row, ix.at[0]), wadi_i64(0)));
}

/* Trailing zeros common to all samples; none in a constant block, whose one value is stored whole. */
static wadi_exp wasted_bits(wadi_exp ored, wadi_exp constant) {
    return wadi_cond(constant, wadi_i32(0), wadi_ctz(ored));
}

static wadi_exp shifted_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    const wadi_exp i = wadi_sub(ix.at[1], wadi_i64(FLAC_PAD));
    const wadi_exp row = wadi_index1(c->row, ix.at[0]);
    const wadi_exp y = wadi_index2(c->y, row, wadi_max(i, wadi_i64(0)));
    const wadi_exp x = wadi_shr(y, wadi_index1(c->wasted, ix.at[0]));
    return wadi_cond(wadi_lt(i, wadi_i64(0)), wadi_literal(c->sample, 0), x);
}

/* The side channel takes one bit more. */
static wadi_exp channel_bits(void *env, wadi_exp row, wadi_exp wasted) {
    const candidates *c = env;
    const wadi_exp bits = wadi_i32(c->recipe->bits);
    if (!c->recipe->stereo) return wadi_sub(bits, wasted);
    const wadi_exp wide =
        wadi_cond(wadi_eq(row, wadi_i64(SIDE)), wadi_add(bits, wadi_i32(1)), bits);
    return wadi_sub(wide, wasted);
}

static wadi_exp is_zero(wadi_exp e) {
    return wadi_eq(wadi_convert(WADI_I64, e), wadi_i64(0));
}
static wadi_exp to_f64(wadi_exp e) {
    return wadi_convert(WADI_F64, e);
}

flac_signal flac_signal_build(const flac_recipe *recipe, wadi_acc block) {
    const wadi_exp n = wadi_extent(block, 0), channels = wadi_i64(recipe->channels);
    const int rows = recipe->stereo ? 4 : recipe->channels;
    /* differences of order 4 need 4 bits more than the side channel */
    candidates c = {.recipe = recipe,
                    .sample = recipe->bits <= 24 ? WADI_I32 : WADI_I64,
                    .block = block,
                    .n = n};
    const wadi_ix all = wadi_ix2(wadi_i64(rows), n);
    c.y = wadi_named("rows",
                     wadi_generate_env(all, recipe->stereo ? stereo_sample : plain_sample, &c));
    const wadi_ix inner = wadi_ix2(wadi_i64(rows), wadi_max(wadi_sub(n, wadi_i64(4)), wadi_i64(0)));
    for (c.order = 0; c.order < FIXED_ORDERS; c.order++)
        c.sum[c.order] =
            wadi_named(sum_name[c.order], wadi_sum(wadi_generate_env(inner, difference, &c)));
    c.mode = wadi_unit(recipe->stereo ? stereo_mode(&c) : wadi_i32(FLAC_INDEPENDENT));
    c.row = recipe->stereo ? wadi_generate_env(wadi_ix1(channels), stereo_row, &c)
                           : wadi_generate(wadi_ix1(channels), plain_row);
    const wadi_ix chosen = wadi_ix2(channels, n);
    const wadi_exp zero = wadi_literal(c.sample, 0);
    const wadi_acc ored = wadi_fold(wadi_or, zero, wadi_generate_env(chosen, chosen_sample, &c));
    const wadi_acc change =
        wadi_fold(wadi_or, zero, wadi_generate_env(chosen, change_from_first, &c));
    const wadi_acc constant = wadi_named("constant", wadi_map(is_zero, change));
    c.wasted = wadi_named("wasted", wadi_zip_with(wasted_bits, ored, constant));
    const wadi_ix padded = wadi_ix2(channels, wadi_add(n, wadi_i64(FLAC_PAD)));
    wadi_acc x = wadi_named("samples", wadi_generate_env(padded, shifted_sample, &c));
    const wadi_type work = recipe->bits <= 16 ? WADI_I32 : WADI_F64;
    if (work == WADI_F64) x = wadi_named("samples_f64", wadi_map(to_f64, x));
    return (flac_signal){
        .recipe = recipe,
        .sample = c.sample,
        .work = work,
        .n = n,
        .mode = c.mode,
        .x = x,
        .bits = wadi_zip_with_env(channel_bits, &c, c.row, c.wasted),
        .wasted = c.wasted,
        .constant = constant,
        .fixed = wadi_map_env(fixed_order, &c, c.row),
    };
}
