/* First step: stereo decorrelation, constant blocks, wasted bits, and the order of the fixed predictor.
 *
 * The stereo mode is chosen by the expected size of left, right, mid and side: by the sums of absolute residuals of their
 * fixed predictors, or by the residuals of linear prediction. Coding all four would cost twice the work. */
#include "apps/audio/analysis_parts.h"

#include <math.h>

#include "apps/audio/frame.h"

enum { LEFT, RIGHT, MID, SIDE, FIXED_ORDERS = 5 };

static const char *const sum_name[FIXED_ORDERS] = {"order0", "order1", "order2", "order3",
                                                   "order4"};

/* The candidates a mode is chosen from: left, right, mid and side, or the channels as they are. */
typedef struct candidates {
    const flac_recipe *recipe;
    wadi_type sample;
    wadi_acc block; /* i32[n, channels] */
    wadi_acc y;     /* sample[rows, PAD + n] */
    wadi_acc r;     /* f64[rows, 1, order + 1]: autocorrelations, when linear prediction chooses */
    wadi_acc sums;  /* record of f32[rows]: sums of |difference of order o| from sample 4 on */
    wadi_exp n;
    wadi_acc mode, row;  /* i32; i64[channels]: the row of y each channel is */
    wadi_acc row_wasted; /* i32[rows] */
    wadi_acc wasted;     /* i32[channels] */
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

/* |differences| of every order at sample i + 4 (RFC 9639, section 9.2.5), each from those of the order before. Sums of them only
 * say which order and which mode takes less, so that the 24 bits of f32 are enough, and all five fit the registers. */
static wadi_exp differences(void *env, wadi_ix ix) {
    const candidates *c = env;
    wadi_exp d[FIXED_ORDERS], value[FIXED_ORDERS];
    for (int k = 0; k < FIXED_ORDERS; k++) /* k samples back */
        d[k] = wadi_index2(c->y, ix.at[0], wadi_add(ix.at[1], wadi_i64(FLAC_PAD + 4 - k)));
    for (int o = 0; o < FIXED_ORDERS; o++) {
        value[o] = flac_to(WADI_F32, wadi_abs(d[0]));
        for (int k = 0; k + 1 < FIXED_ORDERS - o; k++) d[k] = wadi_sub(d[k], d[k + 1]);
    }
    return wadi_rec(FIXED_ORDERS, sum_name, value);
}

static wadi_exp add_all(wadi_exp a, wadi_exp b) {
    wadi_exp value[FIXED_ORDERS];
    for (int o = 0; o < FIXED_ORDERS; o++)
        value[o] = wadi_add(wadi_get(a, sum_name[o]), wadi_get(b, sum_name[o]));
    return wadi_rec(FIXED_ORDERS, sum_name, value);
}

static wadi_exp none(void) {
    wadi_exp value[FIXED_ORDERS];
    for (int o = 0; o < FIXED_ORDERS; o++) value[o] = wadi_f32(0);
    return wadi_rec(FIXED_ORDERS, sum_name, value);
}

static wadi_exp sum_of(const candidates *c, int order, wadi_exp row) {
    return wadi_get(wadi_index1(c->sums, row), sum_name[order]);
}

/* Bits of row ix[0] with its best fixed predictor, without the part that is the same for all rows. The quarter makes silence cost
 * something. A mean of m costs about log2(m) + 2.5 bits a sample (Laplace's distribution). */
static wadi_exp fixed_bits(void *env, wadi_ix ix) {
    const candidates *c = env;
    wadi_exp least = sum_of(c, 0, ix.at[0]);
    for (int o = 1; o < FIXED_ORDERS; o++) least = wadi_min(least, sum_of(c, o, ix.at[0]));
    const wadi_exp n = flac_to(WADI_F64, c->n);
    const wadi_exp mean = wadi_add(wadi_div(flac_to(WADI_F64, least), n), wadi_f64(0.25));
    return wadi_mul(n, wadi_log2(mean));
}

/* The same under linear prediction. */
static wadi_exp linear_bits(void *env, wadi_ix ix) {
    const candidates *c = env;
    const int order = c->recipe->max_order;
    wadi_exp r[FLAC_COEF_ORDER + 1], g[FLAC_COEF_ORDER], e[FLAC_COEF_ORDER];
    for (int l = 0; l <= order; l++) r[l] = wadi_index3(c->r, ix.at[0], wadi_i64(0), wadi_i64(l));
    flac_levinson(r, order, g, e);
    return flac_best_order(e, order, c->n, wadi_i32(c->recipe->bits)).bits;
}

/* No row takes more than its plain bits, also without the 2.5. Wasted bits are not coded; if left and right have some, mid has one
 * less. */
static wadi_exp bounded_bits(const candidates *c, wadi_acc coded, int row) {
    const double plain = c->recipe->bits + (row == SIDE) - 2.5;
    const wadi_exp n = flac_to(WADI_F64, c->n), at = wadi_i64(row);
    const wadi_exp bits = wadi_min(wadi_index1(coded, at), wadi_mul(n, wadi_f64(plain)));
    return wadi_sub(bits, wadi_mul(n, flac_to(WADI_F64, wadi_index1(c->row_wasted, at))));
}

static wadi_exp stereo_mode(candidates *c) {
    const bool linear = c->recipe->stereo == FLAC_STEREO_BY_LINEAR;
    const wadi_acc coded = wadi_named(
        "row_bits", wadi_generate_env(wadi_ix1(wadi_i64(4)), linear ? linear_bits : fixed_bits, c));
    wadi_exp bits[4];
    for (int row = 0; row < 4; row++) bits[row] = bounded_bits(c, coded, row);
    const wadi_exp cost[4] = {
        [FLAC_INDEPENDENT] = wadi_add(bits[LEFT], bits[RIGHT]),
        [FLAC_LEFT_SIDE] = wadi_add(bits[LEFT], bits[SIDE]),
        [FLAC_SIDE_RIGHT] = wadi_add(bits[SIDE], bits[RIGHT]),
        [FLAC_MID_SIDE] = wadi_add(bits[MID], bits[SIDE]),
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
    return wadi_index2(c->y, wadi_index1(c->row, ix.at[0]), wadi_add(ix.at[1], wadi_i64(FLAC_PAD)));
}

static wadi_exp change_from_first(void *env, wadi_ix ix) {
    const candidates *c = env;
    return wadi_xor(chosen_sample(env, ix),
                    wadi_index2(c->y, wadi_index1(c->row, ix.at[0]), wadi_i64(FLAC_PAD)));
}

/* The trailing zero bits that all samples have; 0 in silence. */
static wadi_exp trailing_zeros(wadi_exp ored) {
    const wadi_exp bits = flac_to(WADI_I64, ored);
    return wadi_cond(wadi_eq(bits, wadi_i64(0)), wadi_i32(0), wadi_ctz(bits));
}

/* 0 in a constant block, whose value is stored whole. */
static wadi_exp wasted_bits(void *env, wadi_exp row, wadi_exp constant) {
    const candidates *c = env;
    return wadi_cond(constant, wadi_i32(0), wadi_index1(c->row_wasted, row));
}

static wadi_exp row_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    return wadi_index2(c->y, ix.at[0], wadi_add(ix.at[1], wadi_i64(FLAC_PAD)));
}

static wadi_exp shifted_sample(void *env, wadi_ix ix) {
    const candidates *c = env;
    const wadi_exp y = wadi_index2(c->y, wadi_index1(c->row, ix.at[0]), ix.at[1]);
    return wadi_shr(y, wadi_index1(c->wasted, ix.at[0]));
}

/* Lag ix[2] of the chosen row without its wasted bits. */
static wadi_exp chosen_lag(void *env, wadi_ix ix) {
    const candidates *c = env;
    const wadi_exp scale = wadi_div(
        wadi_f64(1), flac_to(WADI_F64, wadi_shl(wadi_i64(1), wadi_index1(c->wasted, ix.at[0]))));
    const wadi_exp r = wadi_index3(c->r, wadi_index1(c->row, ix.at[0]), ix.at[1], ix.at[2]);
    return wadi_mul(r, wadi_mul(scale, scale));
}

/* The side channel takes one bit more. */
static wadi_exp channel_bits(void *env, wadi_exp row, wadi_exp wasted) {
    const candidates *c = env;
    const wadi_exp bits = wadi_i32(c->recipe->bits);
    if (c->recipe->stereo == FLAC_STEREO_OFF) return wadi_sub(bits, wasted);
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
    const bool stereo = recipe->stereo != FLAC_STEREO_OFF;
    const int rows = stereo ? 4 : recipe->channels;
    /* differences of order 4 need 4 bits more than the side channel */
    candidates c = {.recipe = recipe,
                    .sample = recipe->bits <= 24 ? WADI_I32 : WADI_I64,
                    .block = block,
                    .n = n};
    const wadi_acc all =
        wadi_generate_env(wadi_ix2(wadi_i64(rows), n), stereo ? stereo_sample : plain_sample, &c);
    c.y = wadi_named("rows", flac_padded(c.sample, all));
    const wadi_ix inner = wadi_ix2(wadi_i64(rows), wadi_max(wadi_sub(n, wadi_i64(4)), wadi_i64(0)));
    c.sums =
        wadi_named("fixed", wadi_fold(add_all, none(), wadi_generate_env(inner, differences, &c)));
    const wadi_exp zero = wadi_literal(c.sample, 0);
    const wadi_acc ored =
        wadi_fold(wadi_or, zero, wadi_generate_env(wadi_ix2(wadi_i64(rows), n), row_sample, &c));
    c.row_wasted = wadi_named("row_wasted", wadi_map(trailing_zeros, ored));
    const bool predicted = recipe->stereo == FLAC_STEREO_BY_LINEAR;
    if (predicted) c.r = flac_autocorrelation_of(recipe, c.y, 1, "windowed", "autocorrelation");
    c.mode = wadi_unit(stereo ? stereo_mode(&c) : wadi_i32(FLAC_INDEPENDENT));
    c.row = stereo ? wadi_generate_env(wadi_ix1(channels), stereo_row, &c)
                   : wadi_generate(wadi_ix1(channels), plain_row);
    const wadi_ix chosen = wadi_ix2(channels, n);
    const wadi_acc change =
        wadi_fold(wadi_or, zero, wadi_generate_env(chosen, change_from_first, &c));
    const wadi_acc constant = wadi_named("constant", wadi_map(is_zero, change));
    c.wasted = wadi_named("wasted", wadi_zip_with_env(wasted_bits, &c, c.row, constant));
    const wadi_ix padded = wadi_ix2(channels, wadi_add(n, wadi_i64(FLAC_PAD)));
    wadi_acc x = wadi_named("samples", wadi_generate_env(padded, shifted_sample, &c));
    const wadi_type work = recipe->bits <= 16 ? WADI_I32 : WADI_F64;
    if (work == WADI_F64) x = wadi_named("samples_f64", wadi_map(to_f64, x));
    const wadi_ix lags = wadi_ix3(channels, wadi_i64(1), wadi_i64(recipe->max_order + 1));
    return (flac_signal){
        .has_whole = predicted,
        .whole = predicted ? wadi_generate_env(lags, chosen_lag, &c) : (wadi_acc){0},
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
