/* Second step: linear prediction. Windows, autocorrelation, Levinson-Durbin, choice of the order, quantisation.
 *
 * One predictor comes from the whole block; with three windows, one more from each half. The halves lie in an array of
 * their own, so that each costs half. Sums are f64: in f32 the ill-conditioned systems of band-limited music cost 1 to
 * 6 % in size.
 */
#include "apps/audio/analysis_parts.h"

#include <stddef.h>

enum { MAX_ORDER = FLAC_COEF_ORDER };

typedef struct windows {
    const flac_signal *s;
    wadi_exp part, length;  /* i64: parts of the block side by side, length of the longest */
    int parts;              /* 1: the whole block; 2: its halves */
    wadi_acc v;             /* f64[channels, parts, PAD + length]: windowed samples */
    wadi_acc whole, halves; /* f64[channels, parts, order + 1]: autocorrelations */
    wadi_acc r;             /* f64[channels, windows, order + 1] */
    wadi_acc model;         /* record[channels, windows] */
} windows;

static wadi_exp f64_of(wadi_exp e) {
    return wadi_convert(WADI_F64, e);
}

/* Of a position in the block: by way of 32 bits, which processors convert many at a time. */
static wadi_exp f64_of_position(wadi_exp e) {
    return f64_of(wadi_convert(WADI_I32, e));
}

/* A trapezoid: the flat top of a Tukey window with straight tapers, zero outside its part of the block. */
static wadi_exp windowed_sample(void *env, wadi_ix ix) {
    const windows *w = env;
    const wadi_exp n = w->s->n, half = ix.at[1], i = wadi_sub(ix.at[2], wadi_i64(FLAC_PAD));
    const int taper_parts = w->s->recipe->windows == 1 ? 4 : 8;
    const wadi_exp first =
        wadi_quot(n, wadi_i64(w->parts)); /* of two halves, the second may be one longer */
    const wadi_exp lo = wadi_mul(half, first);
    const wadi_exp length =
        wadi_cond(wadi_eq(half, wadi_i64(w->parts - 1)), wadi_sub(n, lo), first);
    const wadi_exp taper = wadi_max(wadi_quot(n, wadi_i64(taper_parts)), wadi_i64(1));
    const wadi_exp slope = wadi_div(wadi_f64(1), f64_of(taper));
    const wadi_exp rise = wadi_mul(wadi_add(f64_of_position(i), wadi_f64(0.5)), slope);
    const wadi_exp fall =
        wadi_mul(wadi_sub(f64_of_position(wadi_sub(length, i)), wadi_f64(0.5)), slope);
    const wadi_exp weight = wadi_max(wadi_f64(0), wadi_min(wadi_f64(1), wadi_min(rise, fall)));
    return wadi_mul(weight, f64_of(wadi_index2(w->s->x, ix.at[0], wadi_add(ix.at[2], lo))));
}

static wadi_exp lag_product(void *env, wadi_ix ix) {
    const windows *w = env;
    const wadi_exp i = wadi_add(ix.at[3], wadi_i64(FLAC_PAD));
    return wadi_mul(wadi_index3(w->v, ix.at[0], ix.at[1], i),
                    wadi_index3(w->v, ix.at[0], ix.at[1], wadi_sub(i, ix.at[2])));
}

/* f64[channels, parts, max_order + 1] */
static wadi_acc autocorrelation(windows *w, int parts) {
    const flac_recipe *recipe = w->s->recipe;
    const wadi_exp n = w->s->n, channels = wadi_i64(recipe->channels), count = wadi_i64(parts);
    w->parts = parts;
    w->length = wadi_sub(n, wadi_mul(wadi_i64(parts - 1), wadi_quot(n, count)));
    w->v = wadi_named(
        parts == 1 ? "windowed" : "windowed_halves",
        wadi_generate_env(wadi_ix3(channels, count, wadi_add(w->length, wadi_i64(FLAC_PAD))),
                          windowed_sample, w));
    const wadi_ix lags = wadi_ix4(channels, count, wadi_i64(recipe->max_order + 1), w->length);
    const wadi_acc r = wadi_fold(wadi_add, wadi_f64(0), wadi_generate_env(lags, lag_product, w));
    return wadi_named(parts == 1 ? "autocorrelation" : "autocorrelation_halves", r);
}

static wadi_exp whole_or_half(void *env, wadi_ix ix) {
    const windows *w = env;
    const wadi_exp k = ix.at[1];
    return wadi_cond(wadi_eq(k, wadi_i64(0)),
                     wadi_index3(w->whole, ix.at[0], wadi_i64(0), ix.at[2]),
                     wadi_index3(w->halves, ix.at[0],
                                 wadi_max(wadi_sub(k, wadi_i64(1)), wadi_i64(0)), ix.at[2]));
}

/* One step of the recursion (Levinson 1947, Durbin 1960): coefficients of order i + 1 from those of order i and the
 * reflection coefficient g. Divides nothing, so it serves again with reflections set to zero. */
static void reflect(wadi_exp *a, int i, wadi_exp g) {
    wadi_exp next[MAX_ORDER];
    for (int j = 0; j < i; j++) next[j] = wadi_sub(a[j], wadi_mul(g, a[i - 1 - j]));
    for (int j = 0; j < i; j++) a[j] = next[j];
    a[i] = g;
}

/* Reflection coefficients g[0..order) and prediction errors e[0..order) from the autocorrelation r. */
static void levinson(const wadi_exp *r, int order, wadi_exp *g, wadi_exp *e) {
    wadi_exp a[MAX_ORDER], error = r[0];
    for (int i = 0; i < order; i++) {
        wadi_exp num = r[i + 1];
        for (int j = 0; j < i; j++) num = wadi_sub(num, wadi_mul(a[j], r[i - j]));
        g[i] = wadi_cond(wadi_gt(error, wadi_f64(0)), wadi_div(num, error), wadi_f64(0));
        reflect(a, i, g[i]);
        error = wadi_max(wadi_f64(0), wadi_mul(error, wadi_sub(wadi_f64(1), wadi_mul(g[i], g[i]))));
        e[i] = error;
    }
}

/* Bits of a quantised coefficient. Up to 17 bits per sample the products must fit 32 bits. */
static wadi_exp precision(wadi_exp bits, wadi_exp order) {
    const wadi_exp log2_order = wadi_sub(wadi_i32(31), wadi_clz(order));
    const wadi_exp fits =
        wadi_min(wadi_i32(13), wadi_sub(wadi_sub(wadi_i32(32), bits), log2_order));
    const wadi_exp narrow = wadi_max(
        wadi_i32(5), wadi_min(wadi_i32(13), wadi_add(wadi_i32(5), wadi_quot(bits, wadi_i32(2)))));
    return wadi_cond(wadi_ge(bits, wadi_i32(18)), wadi_i32(14),
                     wadi_cond(wadi_ge(bits, wadi_i32(16)), fits, narrow));
}

/* The order with the least expected size: residuals taken as Laplacian with the prediction error's variance. */
static wadi_exp best_order(const wadi_exp *e, int max_order, wadi_exp n, wadi_exp bits) {
    wadi_exp best = wadi_f64(0), order = wadi_i32(1);
    for (int o = 1; o <= max_order; o++) {
        const wadi_exp variance = wadi_div(wadi_mul(wadi_f64(0.5), e[o - 1]), f64_of(n));
        const wadi_exp per_sample =
            wadi_max(wadi_f64(0), wadi_mul(wadi_f64(0.5), wadi_log2(variance)));
        const wadi_exp header = wadi_mul(wadi_i32(o), wadi_add(bits, precision(bits, wadi_i32(o))));
        const wadi_exp cost =
            wadi_add(wadi_mul(per_sample, f64_of(wadi_sub(n, wadi_i64(o)))), f64_of(header));
        if (o > 1) order = wadi_cond(wadi_lt(cost, best), wadi_i32(o), order);
        best = o > 1 ? wadi_min(cost, best) : cost;
    }
    return order;
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
    levinson(r, max_order, g, e);
    const wadi_exp bits = wadi_index1(w->s->bits, ix.at[0]);
    const wadi_exp order = best_order(e, max_order, w->s->n, bits);
    for (int i = 0; i < max_order; i++)
        reflect(a, i, wadi_cond(wadi_lt(wadi_i32(i), order), g[i], wadi_f64(0)));
    const wadi_exp prec = precision(bits, order), shift = quantiser_shift(a, max_order, prec);
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
    w.whole = autocorrelation(&w, 1);
    w.r = w.whole;
    if (recipe->windows > 1) {
        w.halves = autocorrelation(&w, 2);
        w.r = wadi_generate_env(wadi_ix3(channels, count, wadi_i64(recipe->max_order + 1)),
                                whole_or_half, &w);
    }
    w.model = wadi_named("models", wadi_generate_env(wadi_ix2(channels, count), model, &w));
    return wadi_generate_env(wadi_ix3(channels, count, wadi_i64(FLAC_COEF_ROW)), coef_entry, &w);
}
