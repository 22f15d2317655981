/* Predictors from autocorrelations: the recursion, and the order that is expected to take the fewest bits. */
#include "apps/audio/analysis_parts.h"

enum { MAX_ORDER = FLAC_COEF_ORDER };

/* One step of the recursion (Levinson 1947, Durbin 1960): coefficients of order i + 1 from those of order i and the
 * reflection coefficient g. It has no division, so it can also be used with reflections set to zero. */
void flac_reflect(wadi_exp *a, int i, wadi_exp g) {
    wadi_exp next[MAX_ORDER];
    for (int j = 0; j < i; j++) next[j] = wadi_sub(a[j], wadi_mul(g, a[i - 1 - j]));
    for (int j = 0; j < i; j++) a[j] = next[j];
    a[i] = g;
}

void flac_levinson(const wadi_exp *r, int order, wadi_exp *g, wadi_exp *e) {
    wadi_exp a[MAX_ORDER], error = r[0];
    for (int i = 0; i < order; i++) {
        wadi_exp num = r[i + 1];
        for (int j = 0; j < i; j++) num = wadi_sub(num, wadi_mul(a[j], r[i - j]));
        g[i] = wadi_cond(wadi_gt(error, wadi_f64(0)), wadi_div(num, error), wadi_f64(0));
        flac_reflect(a, i, g[i]);
        error = wadi_max(wadi_f64(0), wadi_mul(error, wadi_sub(wadi_f64(1), wadi_mul(g[i], g[i]))));
        e[i] = error;
    }
}

/* For samples of up to 17 bits, the products must fit 32 bits. */
wadi_exp flac_precision(wadi_exp bits, wadi_exp order) {
    const wadi_exp log2_order = wadi_sub(wadi_i32(31), wadi_clz(order));
    const wadi_exp fits =
        wadi_min(wadi_i32(13), wadi_sub(wadi_sub(wadi_i32(32), bits), log2_order));
    const wadi_exp narrow = wadi_max(
        wadi_i32(5), wadi_min(wadi_i32(13), wadi_add(wadi_i32(5), wadi_quot(bits, wadi_i32(2)))));
    return wadi_cond(wadi_ge(bits, wadi_i32(18)), wadi_i32(14),
                     wadi_cond(wadi_ge(bits, wadi_i32(16)), fits, narrow));
}

/* Assumes that residuals have Laplace's distribution with the variance of the prediction error. */
flac_order flac_best_order(const wadi_exp *e, int max_order, wadi_exp n, wadi_exp bits) {
    flac_order best = {wadi_i32(1), wadi_f64(0)};
    for (int o = 1; o <= max_order; o++) {
        const wadi_exp samples = wadi_convert(WADI_F64, n);
        const wadi_exp variance = wadi_div(wadi_mul(wadi_f64(0.5), e[o - 1]), samples);
        const wadi_exp per_sample =
            wadi_max(wadi_f64(0), wadi_mul(wadi_f64(0.5), wadi_log2(variance)));
        const wadi_exp header =
            wadi_mul(wadi_i32(o), wadi_add(bits, flac_precision(bits, wadi_i32(o))));
        const wadi_exp coded = wadi_mul(per_sample, wadi_sub(samples, wadi_f64(o)));
        const wadi_exp cost = wadi_add(coded, wadi_convert(WADI_F64, header));
        if (o > 1) best.order = wadi_cond(wadi_lt(cost, best.bits), wadi_i32(o), best.order);
        best.bits = o > 1 ? wadi_min(cost, best.bits) : cost;
    }
    return best;
}
