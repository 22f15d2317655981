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

/* (1 + p) 2^k of the same */
WADI_FN double wadi_scaled_one_f64(double p, double t) {
    const uint64_t u = wadi_bits_of_f64(t), mid = u >> 1;
    const double scale = wadi_of_bits_f64(mid << 52);
    return WADI_FMA(scale, p, scale, ) * wadi_of_bits_f64((u - mid) << 52);
}

/* Not more than `most`, which is positive, also of a positive NaN. A comparison of integers is one instruction, where that of floats takes two. */
WADI_FN double wadi_at_most_f64(double t, double most) {
    const int64_t a = (int64_t)wadi_bits_of_f64(t), b = (int64_t)wadi_bits_of_f64(most);
    return wadi_of_bits_f64((uint64_t)(a < b ? a : b));
}

/* x - less = k log 2 + *r + *low, of x from -746 on; the number k + 2046 is in the low bits of the result. */
WADI_FN double wadi_exp_start(double x, double less, double *r, double *low) {
    const double t = wadi_at_most_f64(WADI_FMA(x, 0x1.71547652b82fep+0, 6755399441057790.0, ),
                                      6755399441058815.0);
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

/* x - less = k log 2 + *whole + *rest, of x from -746 on. Where the argument is too large, so is the result. The difference `whole` is
 * exact. */
WADI_FN double wadi_exp_reduced_f64(double x, double less, double *whole, double *rest) {
    const double t = wadi_at_most_f64(WADI_FMA(x, 0x1.71547652b82fep+0, 6755399441057790.0, ),
                                      6755399441058815.0);
    const double k = t - 6755399441057790.0;
    const double a = WADI_FMA(k, -0x1.62e42fefa39efp-1, x, ),
                 b = WADI_FMA(k, -0x1.abc9e3b39803fp-56, -less, );
    *whole = a;
    *rest = b;
    return t;
}

/* the same, and e^(x - less) = 2^k (1 + *whole + *rest) */
WADI_FN double wadi_exp_pair_f64(double x, double less, double *whole, double *rest) {
    double a, b;
    const double t = wadi_exp_reduced_f64(x, less, &a, &b), r = a + b;
    *whole = a;
    *rest = WADI_FMA(r * r, wadi_poly_exp_f64(r), b, );
    return t;
}

WADI_FN double wadi_exp_of_sum(double x, double low) {
    double r, rl, e;
    const double t = wadi_exp_start(x, -low, &r, &rl), y = wadi_sum_ordered(1, r, &e);
    const double p = WADI_FMA(r * r, wadi_poly_exp_f64(r), rl, );
    return wadi_scaled_f64(y + (e + p), t);
}

WADI_FN double wadi_exp_f64(double x) {
    double a, b;
    const double t = wadi_exp_pair_f64(x < -746 ? -746 : x, 0, &a, &b);
    return wadi_scaled_one_f64(a + b, t);
}

WADI_FN double wadi_exp2_f64(double x) {
    const double y = x < -1076 ? -1076 : x;
    const double t = wadi_at_most_f64(y + 6755399441057790.0, 6755399441058815.0);
    const double f = y - (t - 6755399441057790.0);
    const double q = WADI_FMA(f, wadi_poly_exp2_f64(f), 0x1.abc9e3b39803fp-56, );
    return wadi_scaled_one_f64(WADI_FMA(f, 0x1.62e42fefa39efp-1, f * q, ), t);
}

/* e^x - 1 = 2^k (*high + *rest), of x from -50 to 710; the number k + 2046 is in the low bits of the result. */
WADI_FN double wadi_expm1_parts(double x, double *high, double *rest) {
    double p, pl, e;
    const double t = wadi_exp_parts(x, 0, &p, &pl);
    const uint64_t u = wadi_bits_of_f64(t) & 0xfff;
    const double inverse = u > 2046 + 64 ? 0 : wadi_of_bits_f64((3069 - u) << 52); /* 2^-k */
    const double c = 1 - inverse, lost = (1 - c) - inverse;
    const double a = wadi_sum_ordered(c, p, &e);
    *high = wadi_sum_ordered(a, e + (pl + lost), rest);
    return t;
}

/* Half of it is 2^(k-1) (a + p) + (2^(k-1) - 1/2). */
WADI_FN double wadi_expm1_f64(double x) {
    double a, b;
    const double t = wadi_exp_reduced_f64(wadi_at_most_f64(x < -40 ? -40 : x, 710), 0, &a, &b);
    const double q = a * a * wadi_poly_exp_long(a), g = a + q, p = q + WADI_FMA(g, b, b, );
    const double s = wadi_of_bits_f64((wadi_bits_of_f64(t) - 1024) << 52), c = s - 0.5;
    const double h = WADI_FMA(s, a, c, ), e = WADI_FMA(s, a, c - h, );
    const double lost = (s - c) - 0.5; /* of c, whose last place may be above 1/2 */
    const double y = (h + (WADI_FMA(s, p, e, ) + lost)) * 2;
    return WADI_MATH(fabs, )(x) >= 0x1p-100 ? y : x; /* NaN of NaN */
}

/* ---- f32 ---- */

/* (1 + p) 2^k of k + 254 in the low bits of t */
WADI_FN float wadi_scaled_one_f32(float p, float t) {
    const uint32_t u = wadi_bits_of_f32(t), mid = u >> 1;
    const float scale = wadi_of_bits_f32(mid << 23);
    return WADI_FMA(scale, p, scale, f) * wadi_of_bits_f32((u - mid) << 23);
}

WADI_FN float wadi_at_most_f32(float t, float most) {
    const int32_t a = (int32_t)wadi_bits_of_f32(t), b = (int32_t)wadi_bits_of_f32(most);
    return wadi_of_bits_f32((uint32_t)(a < b ? a : b));
}

/* as for f64, of x from -105 on, and k + 254 */
WADI_FN float wadi_exp_reduced_f32(float x, float less, float *whole, float *rest) {
    const float t = wadi_at_most_f32(WADI_FMA(x, 0x1.715476p+0f, 12583166.0f, f), 12583295.0f);
    const float k = t - 12583166.0f;
    *whole = WADI_FMA(k, -0x1.62e430p-1f, x, f);
    *rest = WADI_FMA(k, 0x1.05c610p-29f, -less, f);
    return t;
}

WADI_FN float wadi_exp_pair_f32(float x, float less, float *whole, float *rest) {
    float a, b;
    const float t = wadi_exp_reduced_f32(x, less, &a, &b), r = a + b;
    *whole = a;
    *rest = WADI_FMA(r * r, wadi_poly_exp_f32(r), b, f);
    return t;
}

WADI_FN float wadi_exp_f32(float x) {
    float a, b;
    const float t = wadi_exp_pair_f32(x < -105 ? -105 : x, 0, &a, &b);
    return wadi_scaled_one_f32(a + b, t);
}

WADI_FN float wadi_exp2_f32(float x) {
    const float y = x < -151 ? -151 : x;
    const float t = wadi_at_most_f32(y + 12583166.0f, 12583295.0f), f = y - (t - 12583166.0f);
    const float q = WADI_FMA(f, wadi_poly_exp2_f32(f), -0x1.05c610p-29f, f);
    return wadi_scaled_one_f32(WADI_FMA(f, 0x1.62e430p-1f, f * q, f), t);
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

WADI_FN float wadi_expm1_f32(float x) {
    float a, b;
    const float t = wadi_exp_reduced_f32(wadi_at_most_f32(x < -20 ? -20 : x, 89), 0, &a, &b);
    const float r = a + b, p = WADI_FMA(r * r, wadi_poly_expm1_f32(r), b, f);
    const float s = wadi_of_bits_f32((wadi_bits_of_f32(t) - 128) << 23), c = s - 0.5f;
    const float h = WADI_FMA(s, a, c, f), e = WADI_FMA(s, a, c - h, f);
    const float y = (h + (WADI_FMA(s, p, e, f) + ((s - c) - 0.5f))) * 2;
    return WADI_MATH(fabs, f)(x) >= 0x1p-40f ? y : x;
}

#endif
