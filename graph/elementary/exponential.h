/* exp, exp2 and expm1.
 *
 * The argument is k log 2 + r with whole k (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980): log 2 is the sum
 * of two numbers, and the first part of the difference is exact. e^r is a polynomial. 2^k is multiplied in two steps, so that
 * subnormal results are rounded once. Adding 1.5 2^52 rounds to a whole number, which then stands in the low bits. */
#ifndef WADI_ELEMENTARY_EXPONENTIAL_H
#define WADI_ELEMENTARY_EXPONENTIAL_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* y 2^k of k + 2046 in the low bits of t */
WADI_FN double wadi_scaled_f64(double y, double t) {
    const uint64_t u = wadi_bits_of_f64(t), mid = u >> 1;
    return y * wadi_of_bits_f64(mid << 52) * wadi_of_bits_f64((u - mid) << 52);
}

/* x - less = k log 2 + *r + *low, of x from -746 to 710; the number k + 2046 is in the low bits of the result. */
WADI_FN double wadi_exp_start(double x, double less, double *r, double *low) {
    const double t = WADI_FMA(x, 0x1.71547652b82fep+0, 6755399441057790.0, );
    const double k = t - 6755399441057790.0;
    const double a = WADI_FMA(k, -0x1.62e42fefa39efp-1, x, ),
                 b = WADI_FMA(k, 0x1.abc9e3b39803fp-56, less, );
    *r = a - b;
    *low = (a - *r) - b;
    return t;
}

/* e^(x + low) - 1 = 2^k (1 + *high + *rest) - 1, of x from -746 to 710; the number k + 2046 is in the low bits of the result. */
WADI_FN double wadi_exp_parts(double x, double low, double *high, double *rest) {
    double r, rl;
    const double t = wadi_exp_start(x, -low, &r, &rl);
    *high =
        wadi_sum_ordered(r, WADI_FMA(r * r, wadi_poly_exp_long(r), WADI_FMA(r, rl, rl, ), ), rest);
    return t;
}

/* x, not beyond the bounds; NaN of NaN */
WADI_FN double wadi_clamped_f64(double x, double least, double most) {
    const double y = x > most ? most : x;
    return y < least ? least : y;
}

WADI_FN double wadi_exp_of_sum(double x, double low) {
    double r, rl, e;
    const double t = wadi_exp_start(x, -low, &r, &rl), y = wadi_sum_ordered(1, r, &e);
    const double p = WADI_FMA(r * r, wadi_poly_exp_f64(r), rl, );
    return wadi_scaled_f64(y + (e + p), t);
}

/* e^(r + rl) 2^k, of |r| up to log(2) / 2, a small rl, and k + 2046 in the low bits of t */
WADI_FN double wadi_exp_end_f64(double r, double rl, double t) {
    return wadi_scaled_f64(1 + (r + WADI_FMA(r * r, wadi_poly_exp_f64(r), rl, )), t);
}

WADI_FN double wadi_exp_f64(double x) {
    double r, rl;
    const double t = wadi_exp_start(wadi_clamped_f64(x, -746, 710), 0, &r, &rl);
    return wadi_exp_end_f64(r, rl, t);
}

WADI_FN double wadi_exp2_f64(double x) {
    const double y = wadi_clamped_f64(x, -1076, 1025);
    const double t = y + 6755399441057790.0, f = y - (t - 6755399441057790.0);
    const double r = f * 0x1.62e42fefa39efp-1, e = WADI_FMA(f, 0x1.62e42fefa39efp-1, -r, );
    return wadi_exp_end_f64(r, WADI_FMA(f, 0x1.abc9e3b39803fp-56, e, ), t);
}

/* e^x - 1 = 2^k (*high + *rest), of x from -50 to 710; the number k + 2046 is in the low bits of the result. */
WADI_FN double wadi_expm1_parts(double x, double *high, double *rest) {
    double p, pl, e;
    const double t = wadi_exp_parts(x, 0, &p, &pl);
    const uint64_t u = wadi_bits_of_f64(t) & 0xfff;
    const double inverse = u > 2046 + 64 ? 0 : wadi_of_bits_f64((3069 - u) << 52); /* 2^-k */
    const double a = wadi_sum_ordered(1 - inverse, p, &e);
    *high = wadi_sum_ordered(a, e + pl, rest);
    return t;
}

WADI_FN double wadi_expm1_f64(double x) {
    double high, rest;
    const double t = wadi_expm1_parts(wadi_clamped_f64(x, -50, 710), &high, &rest);
    return x == 0 ? x : wadi_scaled_f64(high, t);
}

/* ---- f32 ---- */

/* y 2^k of k + 254 in the low bits of t */
WADI_FN float wadi_scaled_f32(float y, float t) {
    const uint32_t u = wadi_bits_of_f32(t), mid = u >> 1;
    return y * wadi_of_bits_f32(mid << 23) * wadi_of_bits_f32((u - mid) << 23);
}

WADI_FN float wadi_clamped_f32(float x, float least, float most) {
    const float y = x > most ? most : x;
    return y < least ? least : y;
}

WADI_FN float wadi_exp_end_f32(float r, float rl, float t) {
    return wadi_scaled_f32(1 + (r + WADI_FMA(r * r, wadi_poly_exp_f32(r), rl, f)), t);
}

WADI_FN float wadi_exp_f32(float x) {
    const float y = wadi_clamped_f32(x, -105, 89);
    const float t = WADI_FMA(y, 0x1.715476p+0f, 12583166.0f, f), k = t - 12583166.0f;
    const float a = WADI_FMA(k, -0x1.62e430p-1f, y, f), b = k * 0x1.05c610p-29f, r = a + b;
    return wadi_exp_end_f32(r, (a - r) + b, t);
}

WADI_FN float wadi_exp2_f32(float x) {
    const float y = wadi_clamped_f32(x, -151, 129);
    const float t = y + 12583166.0f, f = y - (t - 12583166.0f);
    const float r = f * 0x1.62e430p-1f, e = WADI_FMA(f, 0x1.62e430p-1f, -r, f);
    return wadi_exp_end_f32(r, WADI_FMA(f, -0x1.05c610p-29f, e, f), t);
}

/* e^x - 1 = 2^k (1 + result) - 1 for results of f32, of x from -700 to 700; 2^k in *scale */
WADI_FN double wadi_exp_light_parts(double x, double *scale) {
    const double t = WADI_FMA(x, 0x1.71547652b82fep+0, 6755399441056767.0, );
    const double k = t - 6755399441056767.0, r = WADI_FMA(k, -0x1.62e42fefa39efp-1, x, );
    *scale = wadi_of_bits_f64(wadi_bits_of_f64(t) << 52);
    return WADI_FMA(r * r, wadi_poly_exp_light(r), r, );
}

WADI_FN double wadi_exp_light(double x) {
    double scale;
    const double p = wadi_exp_light_parts(x, &scale);
    return WADI_FMA(scale, p, scale, );
}

WADI_FN double wadi_expm1_light(double x) {
    double scale;
    const double p = wadi_exp_light_parts(x, &scale);
    return WADI_FMA(scale, p, scale - 1, );
}

WADI_FN float wadi_expm1_f32(float x) {
    const float y = (float)wadi_expm1_light((double)wadi_clamped_f32(x, -104, 90));
    return x == 0 ? x : y;
}

#endif
