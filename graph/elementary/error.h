/* erf and erfc.
 *
 * erf of f64 is a sum of derivatives at a point beside the argument, of which there is a table. That of f32 has a polynomial up to 15/16, and is 1 - 2^-q
 * beyond. erfc(x) is e^(-x^2) / (1 + 2 x) times a function of (x - 15/4) / (x + 15/4) that is nearly flat (J. L. Schonfelder, Chebyshev Expansions for the
 * Error and Related Functions, 1978; M. M. Shepherd and J. G. Laframboise, 1981). */
#ifndef WADI_ELEMENTARY_ERROR_H
#define WADI_ELEMENTARY_ERROR_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/points.h"

/* erf(t) / t - 1 of z = t^2, t up to 1/2. What is taken off the polynomial keeps its rounding errors small. */
WADI_FN double wadi_erf_ratio(double z) {
    const double first = WADI_FMA(z, -0.28125, 0x1.06eba8214db69p-3, );
    return first + WADI_FMA(z, wadi_poly_erf_f64(z), -0x1.ca38add6025p-57, );
}

/* erf(p + r) = erf(p) + s (r + r^2 (h1 + h2 r + ... + h6 r^5)) of the nearest p = 79 k / 4096, with s the slope there and h the polynomials of C. Hermite of p,
 * over factorials. */
WADI_FN double wadi_erf_f64(double x) {
    const double b = wadi_at_most_f64(WADI_MATH(fabs, )(x), 5.9375);
    const double t = WADI_FMA(b, 4096.0 / 79, 6755399441055744.0, ),
                 p = (t - 6755399441055744.0) * (79 / 4096.0);
    const int64_t k = (int64_t)(wadi_bits_of_f64(t) & 511);
    const double r = b - p, y = p * p, z = r * r, s = wadi_erf_points[k + 310];
    const double h2 = WADI_FMA(y, 0x1.5555555555555p-1, -0x1.5555555555555p-2, );
    const double h3 = WADI_FMA(y, -0x1.5555555555555p-2, 0.5, );
    const double h4 = WADI_FMA(WADI_FMA(y, 0x1.1111111111111p-3, -0.4, ), y, 0.1, );
    const double h5 = WADI_FMA(WADI_FMA(y, -0x1.6c16c16c16c17p-5, 0x1.c71c71c71c71cp-3, ), y,
                               -0x1.5555555555555p-3, );
    const double h6 = WADI_FMA(WADI_FMA(y, 0x1.a01a01a01a01ap-7, -0x1.8618618618618p-4, ), y,
                               0x1.2492492492492p-3, );
    const double h7 = WADI_FMA(h6, y, -0x1.8618618618618p-6, );
    const double even = WADI_FMA(WADI_FMA(h7, z, h4, ), z, h2, );
    const double odd = WADI_FMA(WADI_FMA(h5, z, h3, ), z, -1.0, );
    const double more = WADI_FMA(s * z, WADI_FMA(even, r, odd * p, ), wadi_erf_points[k + 620], );
    const double result = wadi_erf_points[k] + WADI_FMA(s, r, more, );
    return WADI_MATH(copysign, )(x != x ? x : result, x);
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
    const double m = wadi_sum_ordered(1, -x, &ml), near = m + WADI_FMA(-x, wadi_erf_ratio(u), ml, );
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
