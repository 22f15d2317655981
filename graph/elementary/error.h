/* erf and erfc.
 *
 * erf of f64 is a sum of derivatives at a point beside the argument, of which there is a table. That of f32 has a polynomial up to 15/16, and is 1 - 2^-q
 * beyond. erfc(x) is e^(-x^2) times a quotient of polynomials that is e^(x^2) erfc(x) but for a twelfth, times 1 + g, g a polynomial of
 * (x - c) / (x + c), which has the same divisor (J. L. Schonfelder, Chebyshev Expansions for the Error and Related Functions, 1978;
 * M. M. Shepherd and J. G. Laframboise, 1981). */
#ifndef WADI_ELEMENTARY_ERROR_H
#define WADI_ELEMENTARY_ERROR_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/points.h"

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

/* e^(-b^2) = 2^k (1 + *whole + result), of b from 0 to 27.3; the number k + 1087 is in the low bits of *power. */
WADI_FN double wadi_bell_f64(double b, double *whole, double *power) {
    const double z = b * b, zl = WADI_FMA(b, b, -z, );
    const double t = WADI_FMA(z, -0x1.71547652b82fep+0, 6755399441056831.0, );
    const double k = t - 6755399441056831.0, w = WADI_FMA(k, -0x1.62e42fefa39efp-1, -z, );
    const double wl = WADI_FMA(k, -0x1.abc9e3b39803fp-56, -zl, ), r = w + wl;
    *whole = w;
    *power = t;
    return WADI_FMA(r * r, wadi_poly_exp_f64(r), wl, );
}

/* q + *low = (1 + 23/128 b) / ((1 + 11/32 b) (1 + 63/64 b)) and *v = 1 - 2 / (1 + 11/32 b) */
WADI_FN double wadi_tail_f64(double b, double *low, double *v) {
    const double n = WADI_FMA(b, 0.1796875, 1.0, ), nl = WADI_FMA(b, 0.1796875, 1 - n, );
    const double u = WADI_FMA(b, 0.33837890625, 1.328125, ),
                 ul = WADI_FMA(b, 0.33837890625, 1.328125 - u, );
    const double d = WADI_FMA(b, u, 1.0, ), dl = WADI_FMA(b, ul, WADI_FMA(b, u, 1 - d, ), );
    const double inverse = 1 / d, q = n * inverse;
    *low = (WADI_FMA(-q, d, n, ) + WADI_FMA(-q, dl, nl, )) * inverse;
    *v = WADI_FMA(WADI_FMA(b, -1.96875, -2.0, ), inverse, 1.0, );
    return q;
}

WADI_FN double wadi_erfc_f64(double x) {
    double w, t, ql, v;
    const double a = WADI_MATH(fabs, )(x), b = a > 27.3 ? 27.3 : a;
    const double p = wadi_bell_f64(b, &w, &t), q = wadi_tail_f64(b, &ql, &v);
    const double z = v * v;
    const double g = WADI_FMA(wadi_poly_erfc_odd_f64(z), v, wadi_poly_erfc_even_f64(z), );
    /* (q + ql) (1 + w + p) (1 + g) */
    const double h = WADI_FMA(q, w, q, ), e = WADI_FMA(q, w, q - h, ), c = w + p;
    const double rest = WADI_FMA(q, WADI_FMA(g, c, g + p, ), WADI_FMA(ql, c, ql, ), );
    const double scale = wadi_of_bits_f64(wadi_bits_of_f64(t) << 52);
    const double y = (h + (e + rest)) * scale * 0x1p-64;
    return x < 0 ? 2 - y : y;
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

/* e^(-b^2) = 2^k (1 + *whole + result), of b from 0 to 10.25; the number k + 159 is in the low bits of *power. */
WADI_FN float wadi_bell_f32(float b, float *whole, float *power) {
    const float z = b * b, zl = WADI_FMA(b, b, -z, f);
    const float t = WADI_FMA(z, -0x1.715476p+0f, 12583071.0f, f), k = t - 12583071.0f;
    const float w = WADI_FMA(k, -0x1.62e430p-1f, -z, f), wl = WADI_FMA(k, 0x1.05c610p-29f, -zl, f);
    const float r = w + wl;
    *whole = w;
    *power = t;
    return WADI_FMA(r * r, wadi_poly_exp_f32(r), wl, f);
}

/* q + *low = (1 + 23/128 b) / ((1 + 3/8 b) (1 + 31/32 b)) and *v = 1 - 2 / (1 + 3/8 b) */
WADI_FN float wadi_tail_f32(float b, float *low, float *v) {
    const float n = WADI_FMA(b, 0.1796875f, 1.0f, f), nl = WADI_FMA(b, 0.1796875f, 1 - n, f);
    const float u = WADI_FMA(b, 0.36328125f, 1.34375f, f),
                ul = WADI_FMA(b, 0.36328125f, 1.34375f - u, f);
    const float d = WADI_FMA(b, u, 1.0f, f), dl = WADI_FMA(b, ul, WADI_FMA(b, u, 1 - d, f), f);
    const float inverse = 1 / d, q = n * inverse;
    *low = (WADI_FMA(-q, d, n, f) + WADI_FMA(-q, dl, nl, f)) * inverse;
    *v = WADI_FMA(WADI_FMA(b, -1.9375f, -2.0f, f), inverse, 1.0f, f);
    return q;
}

WADI_FN float wadi_erfc_f32(float x) {
    float w, t, ql, v;
    const float a = WADI_MATH(fabs, f)(x), b = a > 10.25f ? 10.25f : a;
    const float p = wadi_bell_f32(b, &w, &t), q = wadi_tail_f32(b, &ql, &v);
    const float g = wadi_poly_erfc_f32(v);
    /* (q + ql) (1 + w + p) (1 + g) */
    const float h = WADI_FMA(q, w, q, f), e = WADI_FMA(q, w, q - h, f), c = w + p;
    const float rest = WADI_FMA(q, WADI_FMA(g, c, g + p, f), WADI_FMA(ql, c, ql, f), f);
    const float scale = wadi_of_bits_f32(wadi_bits_of_f32(t) << 23);
    const float y = (h + (e + rest)) * scale * 0x1p-32f;
    return x < 0 ? 2 - y : y;
}

#endif
