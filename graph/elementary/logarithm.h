/* log, log2, log10 and log1p.
 *
 * The argument is 2^k (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1. With s = f / (2 + f), log(1 + f) is 2 atanh(s) = 2 s + s z Q(z), z = s^2, and
 * 2 s is f - s f: so it is f less a number that is small enough to be rounded (W. J. Cody and W. Waite, 1980, and J.-M. Muller, Elementary
 * Functions, 2016, for the argument). */
#ifndef WADI_ELEMENTARY_LOGARITHM_H
#define WADI_ELEMENTARY_LOGARITHM_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* x = 2^k (1 + f) of any x > 0: f, and k in *exponent. Both selections stand together: compilers that take them for one branch would
 * compute what is between them twice. */
WADI_FN double wadi_split_f64(double x, double *exponent) {
    const bool tiny = x < 0x1p-1022;
    const double y = tiny ? x * 0x1p54 : x;
    const uint64_t more = tiny ? 0x00a95f619980c433u : 0x04095f619980c433u;
    const uint64_t bits = wadi_bits_of_f64(y) + more;
    *exponent = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) - 4503599627371583.0;
    return wadi_of_bits_f64((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1;
}

/* f - log(1 + f), which is f^2 / 2 less a smaller part */
WADI_FN double wadi_log_less(double f) {
    const double s = f / (2 + f), z = s * s, y = f * 0.5 * f;
    return WADI_FMA(-s, WADI_FMA(z, wadi_poly_log_f64(z), y, ), y, );
}

/* `inside`, which is right for 0 < x < infinity, or what logarithms have elsewhere: infinity and NaN as they are, NaN of what is negative */
WADI_FN double wadi_log_ends_f64(double x, double inside) {
    const double inf = WADI_INF(f64, ), outside = WADI_FMA(x, inf, inf, );
    const double y = wadi_bits_of_f64(x) < 0x7ff0000000000000u ? inside : outside;
    return x == 0 ? -inf : y;
}

/* k log 2 + f to 42 bits of log 2, of a whole k */
WADI_FN double wadi_log2_times(double k, double f, double *low) {
    const double v = WADI_FMA(k, 0x1.62e42fefa3800p-1, f, );
    *low = WADI_FMA(k, 0x1.62e42fefa3800p-1, -v, ) + f;
    return v;
}

WADI_FN double wadi_log_f64(double x) {
    double k, e;
    const double f = wadi_split_f64(x, &k), less = wadi_log_less(f);
    const double v = wadi_log2_times(k, f, &e);
    return wadi_log_ends_f64(x, v + (e - WADI_FMA(k, -0x1.ef35793c76730p-45, less, )));
}

/* The polynomial and y, f^2 / 2, are by 1 / log(2) already. What that lacks as a number is multiplied by 2 s, which is nearly f. log2(1 + f) is at most 1/2, so that its rounding error is
 * small beside k. */
WADI_FN double wadi_log2_f64(double x) {
    double k;
    const double f = wadi_split_f64(x, &k), s = f / (2 + f), z = s * s;
    const double y = f * 0x1.71547652b82fep-1 * f;
    const double u = WADI_FMA(z, wadi_poly_log2_f64(z), y + 0x1.777d0ffda0d24p-55, );
    return wadi_log_ends_f64(x, k + WADI_FMA(f, 0x1.71547652b82fep+0, WADI_FMA(s, u, -y, ), ));
}

/* The same by 1 / log(10). What the multiple of log10(2) lacks is added to the small parts. */
WADI_FN double wadi_log10_f64(double x) {
    double k;
    const double f = wadi_split_f64(x, &k), s = f / (2 + f), z = s * s;
    const double y = f * 0x1.bcb7b1526e50ep-3 * f;
    const double u = WADI_FMA(z, wadi_poly_log10_f64(z), y + 0x1.95355baaafad3p-56, );
    const double rest = WADI_FMA(k, -0x1.9dc1da994fd21p-59, WADI_FMA(s, u, -y, ), );
    const double v = WADI_FMA(f, 0x1.bcb7b1526e50ep-2, rest, );
    return wadi_log_ends_f64(x, WADI_FMA(k, 0x1.34413509f79ffp-2, v, ));
}

/* 1 + x = 2^k (1 + f), where f and what it lacks are computed from x */
WADI_FN double wadi_log1p_f64(double x) {
    double e;
    const double u = 1 + x;
    const uint64_t bits = wadi_bits_of_f64(u) + 0x04095f619980c433u;
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) - 4503599627371583.0;
    const double s =
        wadi_of_bits_f64(0x8400000000000000u - (bits & 0xfff0000000000000u)); /* 2^(2-k) */
    const double y = x * 0.25, c = WADI_FMA(s, 0.25, -1.0, );
    const double f = WADI_FMA(s, y, c, ), low = WADI_FMA(s, y, c - f, );
    const double less = wadi_log_less(f), v = wadi_log2_times(k, f, &e);
    const double inside = v + ((e + low) - WADI_FMA(k, -0x1.ef35793c76730p-45, less, ));
    return u == 1 ? x : wadi_log_ends_f64(u, inside);
}

/* ---- f32 ---- */

WADI_FN float wadi_split_f32(float x, float *exponent) {
    const bool tiny = x < 0x1p-126f;
    const float y = tiny ? x * 0x1p24f : x;
    const uint32_t less = tiny ? 0x4b3504f3u : 0x3f3504f3u;
    const uint32_t bits = wadi_bits_of_f32(y) - less;
    *exponent = (float)((int32_t)bits >> 23);
    return wadi_of_bits_f32((bits & 0x7fffff) + 0x3f3504f3u) - 1;
}

/* `inside`, which is right for 0 < x < infinity, or what logarithms have elsewhere but at 0 */
WADI_FN float wadi_log_end_f32(float x, float inside) {
    const float inf = WADI_INF(f32, f), outside = WADI_FMA(x, inf, inf, f);
    return wadi_bits_of_f32(x) < 0x7f800000u ? inside : outside;
}

WADI_FN float wadi_log_ends_f32(float x, float inside) {
    const float y = wadi_log_end_f32(x, inside);
    return x == 0 ? -WADI_INF(f32, f) : y;
}

/* f - log(1 + f) */
WADI_FN float wadi_log_less_f32(float f) {
    return f * f * WADI_FMA(-f, wadi_poly_log_f32(f), 0.5f, f);
}

/* k log 2 + f to 17 bits of log 2, of a whole k */
WADI_FN float wadi_log2_times_f32(float k, float f, float *low) {
    const float v = WADI_FMA(k, 0x1.62e4p-1f, f, f);
    *low = WADI_FMA(k, 0x1.62e4p-1f, -v, f) + f;
    return v;
}

WADI_FN float wadi_log_f32(float x) {
    float k, e;
    const float f = wadi_split_f32(x, &k), less = wadi_log_less_f32(f);
    const float v = wadi_log2_times_f32(k, f, &e);
    return wadi_log_ends_f32(x, v + (e - WADI_FMA(k, -0x1.7f7d1cp-20f, less, f)));
}

/* k log 2 + log(1 + f) + low */
WADI_FN float wadi_log_parts_f32(float k, float f, float low) {
    float e;
    const float less = wadi_log_less_f32(f), v = wadi_log2_times_f32(k, f, &e);
    return v + ((e + low) - WADI_FMA(k, -0x1.7f7d1cp-20f, less, f));
}

WADI_FN float wadi_log2_f32(float x) {
    float k;
    const float f = wadi_split_f32(x, &k);
    const float q = WADI_FMA(f, wadi_poly_log2_f32(f), 0x1.4ae0cp-26f, f);
    return wadi_log_ends_f32(x, k + WADI_FMA(f, 0x1.715476p+0f, f * q, f));
}

WADI_FN float wadi_log10_f32(float x) {
    float k;
    const float f = wadi_split_f32(x, &k);
    const float q = WADI_FMA(f, wadi_poly_log10_f32(f), -0x1.5b235ep-27f, f);
    const float rest = WADI_FMA(k, -0x1.ec10c0p-27f, f * q, f);
    const float v = WADI_FMA(f, 0x1.bcb7b2p-2f, rest, f);
    return wadi_log_ends_f32(x, WADI_FMA(k, 0x1.344136p-2f, v, f));
}

/* of x that is not subnormal */
WADI_FN float wadi_split_normal_f32(float x, float *exponent) {
    const uint32_t bits = wadi_bits_of_f32(x) - 0x3f3504f3u;
    *exponent = (float)((int32_t)bits >> 23);
    return wadi_of_bits_f32((bits & 0x7fffff) + 0x3f3504f3u) - 1;
}

/* 1 + x = 2^k (1 + f), where f and what it lacks are computed from x */
WADI_FN float wadi_log1p_f32(float x) {
    const float u = 1 + x;
    const uint32_t bits = wadi_bits_of_f32(u) - 0x3f3504f3u;
    const float k = (float)((int32_t)bits >> 23);
    const float s = wadi_of_bits_f32(0x40800000u - (bits & 0xff800000u)); /* 2^(2-k) */
    const float y = x * 0.25f, c = WADI_FMA(s, 0.25f, -1.0f, f);
    const float f = WADI_FMA(s, y, c, f), low = WADI_FMA(s, y, c - f, f);
    const float v = wadi_log_ends_f32(u, wadi_log_parts_f32(k, f, low));
    return u == 1 ? x : v;
}

#endif
