/* erf and erfc. erfc(x) is e^(-x^2) / (1 + 2 x) times a function of (x - 15/4) / (x + 15/4) that is nearly flat (J. L. Schonfelder, Chebyshev
 * Expansions for the Error and Related Functions, 1978; M. M. Shepherd and J. G. Laframboise, 1981). Small arguments of erf of f64 have a
 * polynomial of their own; for f32 all are 1 - p(x)^-16 (C. Hastings, Approximations for Digital Computers, 1955). */
#ifndef WADI_ELEMENTARY_ERROR_H
#define WADI_ELEMENTARY_ERROR_H

#include "graph/elementary/exponential.h"

/* e^(low - x) of x from 0 to 40 */
WADI_FN double wadi_exp_least(double x, double low) {
    double r, rl;
    const double t = wadi_exp_start(-x, -low, &r, &rl);
    const double p = r + WADI_FMA(r * r, wadi_poly_exp_f64(r), rl, );
    const double scale = wadi_of_bits_f64((wadi_bits_of_f64(t) - 1023) << 52);
    return WADI_FMA(scale, p, scale, );
}

/* erf(t) / t - 1 of z - low = t^2, t up to 9/8. What is taken off the polynomial keeps its rounding errors small. */
WADI_FN double wadi_erf_ratio(double z, double low) {
    const double first = WADI_FMA(z, -0.28125, 0x1.06eba8214db69p-3, );
    const double rest = WADI_FMA(low, 0.25, -0x1.ca38add6025p-57, );
    return first + WADI_FMA(z, wadi_poly_erf_f64(z), rest, );
}

WADI_FN double wadi_erf_f64(double x) {
    const double a = WADI_MATH(fabs, )(x), b = a > 6 ? 6 : a, z = b * b;
    /* both quotients by one division */
    const double c = b + 3.75, d = WADI_FMA(2.0, b, 1.0, ), inverse = 1 / (c * d);
    const double q = c * inverse, part = WADI_FMA(WADI_FMA(-q, d, 1.0, ), q, q, );
    const double g = wadi_poly_erf_outer((b - 3.75) * (d * inverse)) * part;
    const double low = WADI_FMA(-b, b, z, );
    const double outer = WADI_FMA(-wadi_exp_least(z, low), g, 1.0, );
    const double inner = WADI_FMA(x, wadi_erf_ratio(z, low), x, );
    return a < 1.0625 ? inner : WADI_MATH(copysign, )(x != x ? a : outer, x);
}

WADI_FN double wadi_erfc_f64(double x) {
    double h, l, el, pl, cl, fl, tl, gl, nl, dl, ql, ml;
    const double a = WADI_MATH(fabs, )(x), b = a > 28 ? 28 : a;
    const double s = wadi_product(b, b, &el);
    const double k = wadi_exp_parts(-s < -746 ? -746 : -s, -el, &h, &l);
    const double e = wadi_sum_ordered(1, h, &pl);
    const double c = wadi_sum_any(b, -3.75, &cl), f = wadi_sum_any(b, 3.75, &fl);
    const double t = wadi_quotient_of_sums(c, cl, f, fl, &tl);
    /* the function's slope, for what t lacks */
    const double slope = -0.14 + t * (0.095 + t * (0.257 + t * -1.19));
    const double g = wadi_sum_ordered(0x1.3ccda0b5d5dc2p+0,
                                      WADI_FMA(t, wadi_poly_erfc_f64(t), tl * slope, ), &gl);
    const double n = wadi_product_of_sums(e, pl + l, g, gl + 0x1.e65b158f28ce5p-54, &nl);
    const double d = wadi_sum_any(1, b + b, &dl);
    const double q = wadi_quotient_of_sums(n, nl, d, dl, &ql);
    const double right = wadi_scaled_f64(q + ql, k);
    const double u = a < 0.5 ? a * a : 0;
    const double m = wadi_sum_ordered(1, -x, &ml),
                 near = m + WADI_FMA(-x, wadi_erf_ratio(u, 0), ml, );
    const double y = x < 0 ? 2 - right : right, z = a < 0.5 ? near : y;
    return x != x ? x : z;
}

/* ---- f32 ---- */

/* From 15/16 on, 1 - 2^-q, of which the power has no more than a fifth; q is known better where that is much. */
WADI_FN float wadi_erf_f32(float x) {
    const float a = WADI_MATH(fabs, f)(x), z = a * a;
    const float inner = WADI_FMA(a, wadi_poly_erf_inner_f32(z), a, f);
    const float b = a > 3.93f ? 3.93f : a, u = b - 0.9375f, p = wadi_poly_erf_outer_f32(u);
    const float t = 12583039.0f - WADI_FMA(u, p, 0x1.37b4b00000000p+1f, f), k = 12583039.0f - t;
    const float f = WADI_FMA(-u, p, k - 0x1.37b4b00000000p+1f, f);
    const float scale = wadi_of_bits_f32(wadi_bits_of_f32(t) << 23);
    const float power = WADI_FMA(f * f, wadi_poly_exp2_f32(f), f * 0x1.62e430p-1f, f);
    const float outer = 1 - WADI_FMA(scale, power, scale, f);
    return WADI_MATH(copysign, f)(a < 0.9375f ? inner : outer, x);
}

WADI_FN float wadi_erfc_f32(float x) {
    const float n = WADI_MATH(fabs, f)(x);
    const double b = (double)(n > 10.5f ? 10.5f : n), c = b + 3.75, d = WADI_FMA(b, 2.0, 1.0, );
    const double inverse = 1 / (c * d); /* both quotients by one division */
    const double g = wadi_poly_erfc_light((b - 3.75) * (d * inverse)) * (c * inverse);
    const float y = (float)(wadi_exp_light(-(b * b)) * g);
    return x < 0 ? 2 - y : y;
}

#endif
