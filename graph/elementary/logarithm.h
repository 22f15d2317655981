/* log, log2, log10 and log1p.
 *
 * The argument is 2^k (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1. With s = f / (2 + f), log(1 + f) is 2 atanh(s) = 2 s + s z Q(z), z = s^2, and
 * 2 s is f - s f: so it is f less a number that is small enough to be rounded (W. J. Cody and W. Waite, 1980, and J.-M. Muller, Elementary
 * Functions, 2016, for the argument). */
#ifndef WADI_ELEMENTARY_LOGARITHM_H
#define WADI_ELEMENTARY_LOGARITHM_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* x = 2^k (1 + f) of any x > 0: f, and k in *exponent */
WADI_FN double wadi_split_f64(double x, double *exponent) {
    const bool tiny = x < 0x1p-1022;
    const uint64_t bits = wadi_bits_of_f64(tiny ? x * 0x1p54 : x) + 0x95f619980c433u;
    *exponent = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) -
                (tiny ? 4503599627371573.0 : 4503599627371519.0);
    return wadi_of_bits_f64((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1;
}

/* f - log(1 + f) */
WADI_FN double wadi_log_less(double f) {
    const double s = f / (2 + f), z = s * s;
    return s * WADI_FMA(-z, wadi_poly_log_f64(z), f, );
}

/* `inside`, which is right for 0 < x < infinity, or what logarithms have elsewhere */
WADI_FN double wadi_log_ends_f64(double x, double inside) {
    const double inf = WADI_INF(f64, ), y = x < inf ? inside : x;
    const double z = x == 0 ? -inf : y;
    return x < 0 ? WADI_NAN(f64, ) : z;
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

/* log(1 + f) (head + tail), and k (whole + rest), whole of 42 bits */
WADI_FN double wadi_log_of_base(double f, double k, double head, double tail, double whole,
                                double rest) {
    double l, e;
    const double h = wadi_sum_ordered(f, -wadi_log_less(f), &l), p = h * head;
    const double low = WADI_FMA(h, head, -p, ) + WADI_FMA(h, tail, l * head, );
    const double v = wadi_sum_ordered(k * whole, p, &e);
    return v + (e + WADI_FMA(k, rest, low, ));
}

WADI_FN double wadi_log2_f64(double x) {
    double k;
    const double f = wadi_split_f64(x, &k);
    return wadi_log_ends_f64(
        x, wadi_log_of_base(f, k, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0));
}

WADI_FN double wadi_log10_f64(double x) {
    double k;
    const double f = wadi_split_f64(x, &k);
    return wadi_log_ends_f64(x, wadi_log_of_base(f, k, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                                                 0x1.34413509f7800p-2, 0x1.fef311f12b358p-46));
}

/* log(2^add (1 + x + low)), of x >= 0, or x > -1 if add is 0; `low` is the rounding error of x. If `large`, the 1 does not count. */
WADI_FN double wadi_log1p_of_sum(double x, double low, bool large, double add) {
    double k, e, c;
    const double u = wadi_sum_any(large ? 0 : 1, x, &c);
    const double g = wadi_split_f64(u, &k);
    const bool near = k == 0 && !large;
    const double f = near ? x : g, more = (near ? low : c + low) / u;
    const double n = k + add, less = wadi_log_less(f);
    const double v = wadi_log2_times(n, f, &e);
    return v + (e - WADI_FMA(n, -0x1.ef35793c76730p-45, less - more, ));
}

WADI_FN double wadi_log1p_f64(double x) {
    const double inf = WADI_INF(f64, );
    const double y = x < inf ? wadi_log1p_of_sum(x, 0, false, 0) : x;
    const double z = x == -1 ? -inf : y;
    const double w = x < -1 ? WADI_NAN(f64, ) : z;
    return x == 0 ? x : w;
}

/* ---- f32 ---- */

WADI_FN float wadi_split_f32(float x, float *exponent) {
    const bool tiny = x < 0x1p-126f;
    const uint32_t bits = wadi_bits_of_f32(tiny ? x * 0x1p24f : x) + 0x4afb0du;
    *exponent = (float)(int32_t)(bits >> 23) - (tiny ? 151.0f : 127.0f);
    return wadi_of_bits_f32((bits & 0x7fffff) + 0x3f3504f3u) - 1;
}

WADI_FN float wadi_log_ends_f32(float x, float inside) {
    const float inf = WADI_INF(f32, f), y = x < inf ? inside : x;
    const float z = x == 0 ? -inf : y;
    return x < 0 ? WADI_NAN(f32, f) : z;
}

WADI_FN float wadi_log_f32(float x) {
    float k;
    const float f = wadi_split_f32(x, &k), s = f * f;
    const float less = s * WADI_FMA(-f, wadi_poly_log_f32(f), 0.5f, f);
    const float v = WADI_FMA(k, 0x1.62e4p-1f, f, f), e = WADI_FMA(k, 0x1.62e4p-1f, -v, f) + f;
    return wadi_log_ends_f32(x, v + (e - WADI_FMA(k, -0x1.7f7d1cp-20f, less, f)));
}

/* log(x) for results of f32, of x > 0 */
WADI_FN double wadi_log_light(double x) {
    double k;
    const double f = wadi_split_f64(x, &k), l = WADI_FMA(f * f, wadi_poly_log_light(f), f, );
    return WADI_FMA(k, 0x1.62e42fefa39efp-1, l, );
}

/* log(1 + f) (head + tail), and k (whole + rest), whole of 14 bits */
WADI_FN float wadi_log_of_base_f32(float f, float k, float head, float tail, float whole,
                                   float rest) {
    const float s = f * f, less = s * WADI_FMA(-f, wadi_poly_log_f32(f), 0.5f, f);
    const float h = f - less, l = (f - h) - less, p = h * head;
    const float low = WADI_FMA(h, head, -p, f) + WADI_FMA(h, tail, l * head, f);
    const float w = k * whole, v = w + p, e = (w - v) + p;
    return v + (e + WADI_FMA(k, rest, low, f));
}

WADI_FN float wadi_log2_f32(float x) {
    float k;
    const float f = wadi_split_f32(x, &k);
    return wadi_log_ends_f32(x, wadi_log_of_base_f32(f, k, 0x1.715476p+0f, 0x1.4ae0cp-26f, 1, 0));
}

WADI_FN float wadi_log10_f32(float x) {
    float k;
    const float f = wadi_split_f32(x, &k);
    return wadi_log_ends_f32(x, wadi_log_of_base_f32(f, k, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f,
                                                     0x1.344p-2f, 0x1.3509f8p-18f));
}

WADI_FN float wadi_log1p_f32(float x) {
    const double a = (double)x, series = a - a * a * (0.5 - a * 0x1.5555555555555p-2);
    const double y = WADI_MATH(fabs, )(a) < 0x1p-14 ? series : wadi_log_light(1 + a);
    const float inf = WADI_INF(f32, f), z = x < inf ? (float)y : x;
    const float w = x == -1 ? -inf : z;
    const float v = x < -1 ? WADI_NAN(f32, f) : w;
    return x == 0 ? x : v;
}

#endif
