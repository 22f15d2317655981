/* sinh, cosh, tanh and their inverses. tanh of f64 is made of e^x - 1 as a sum of two numbers, the inverses of f64 of
 * an inverse hyperbolic tangent; those of f32 are polynomials of small numbers, and exponentials or logarithms of others. */
#ifndef WADI_ELEMENTARY_HYPERBOLIC_H
#define WADI_ELEMENTARY_HYPERBOLIC_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/logarithm.h"

/* e^x - 1 of x >= 0; beyond 40 only about */
WADI_FN double wadi_expm1_as_sum(double x, double *low) {
    double h, l;
    const double t = wadi_expm1_parts(x > 45 ? 45 : x, &h, &l);
    *low = wadi_scaled_f64(l, t);
    return wadi_scaled_f64(h, t);
}

/* x = k log 2 + r + *rest of x from 0 to 710.5; *up is 2^(k-2), *down 2^-(k+2) */
WADI_FN double wadi_exps_reduced_f64(double x, double *rest, double *up, double *down) {
    const double t = WADI_FMA(x, 0x1.71547652b82fep+0, 6755399441056765.0, ),
                 k = t - 6755399441056765.0;
    const uint64_t u = wadi_bits_of_f64(t) << 52;
    const int64_t v = (int64_t)(((uint64_t)2042 << 52) - u);
    *up = wadi_of_bits_f64(u);
    *down = wadi_of_bits_f64((uint64_t)(v > 0 ? v : 0));
    *rest = k * -0x1.abc9e3b39803fp-56;
    return WADI_FMA(k, -0x1.62e42fefa39efp-1, x, );
}

/* p sinh(r + rest) + (q + lost) cosh(r + rest) */
WADI_FN double wadi_waves_f64(double p, double q, double lost, double r, double rest) {
    const double h = WADI_FMA(p, r, q, ), e = WADI_FMA(p, r, q - h, ), u = r + rest, z = u * u;
    const double s = WADI_FMA(u * z, wadi_poly_sinh_f64(z), rest, );
    const double c = WADI_FMA(q, z * wadi_poly_cosh_f64(z), lost, );
    return h + (e + WADI_FMA(p, s, c, ));
}

/* With s = 2^(k-1) and i = 2^-(k+1), sinh(k log 2 + r) is (s + i) sinh(r) + (s - i) cosh(r), and cosh (s - i) sinh(r) + (s + i) cosh(r). Both are
 * computed halved. */
WADI_FN double wadi_sinh_f64(double x) {
    double rest, s, i;
    const double a = WADI_MATH(fabs, )(x);
    const double r = wadi_exps_reduced_f64(a > 710.5 ? 710.5 : a, &rest, &s, &i);
    const double q = s - i, y = wadi_waves_f64(s + i, q, (s - q) - i, r, rest) * 2;
    return a < 0x1p-28 ? x : WADI_MATH(copysign, )(y, x);
}

WADI_FN double wadi_cosh_f64(double x) {
    double rest, s, i;
    const double a = WADI_MATH(fabs, )(x);
    const double r = wadi_exps_reduced_f64(a > 710.5 ? 710.5 : a, &rest, &s, &i);
    const double q = s + i;
    return wadi_waves_f64(s - i, q, (s - q) + i, r, rest) * 2;
}

WADI_FN double wadi_tanh_f64(double x) {
    double ul, dl, ql;
    const double a = WADI_MATH(fabs, )(x), b = a > 22 ? 22 : a;
    const double u = wadi_expm1_as_sum(b + b, &ul), d = wadi_sum_any(2, u, &dl);
    const double q = wadi_quotient_of_sums(u, ul, d, dl + ul, &ql);
    const double y = x == 0 ? a : q + ql;
    return WADI_MATH(copysign, )(x != x ? x : y, x);
}

/* k log 2 + 2 atanh((n + nl) / (c + d + dl)), d up to sqrt(2) c and the quotient up to 0.1716 */
WADI_FN double wadi_area_f64(double k, double c, double n, double nl, double d, double dl) {
    const double sum = c + d, q = n / sum, t = q + q, z = q * q;
    const double lost = WADI_FMA(-q, sum, n, ) + WADI_FMA(-q, ((c - sum) + d) + dl, nl, );
    /* 2 / sum to a twentieth */
    const double rest = lost * wadi_of_bits_f64(0x7fee624dd2f1a9fcu - wadi_bits_of_f64(sum));
    double e;
    const double v = wadi_log2_times(k, t, &e);
    const double low = WADI_FMA(t * z, wadi_poly_atanh_f64(z), rest, );
    return v + (e + WADI_FMA(k, 0x1.ef35793c76730p-45, low, ));
}

/* The logarithm of u = a + r, r = sqrt(a^2 + 1). u is 2^k m, and (m - 1) / (m + 1) has one division. If k is 0, that is a / (1 + r). */
WADI_FN double wadi_asinh_f64(double x) {
    double wl, e;
    const double a = WADI_MATH(fabs, )(x), b = wadi_at_most_f64(a, 0x1p28);
    const bool large = a > 0x1p28;
    const double w = wadi_product(b, b, &wl), s = wadi_sum_any(1, w, &e), r = WADI_MATH(sqrt, )(s);
    const double rl = (WADI_FMA(-r, r, s, ) + (e + wl)) * (0.5 * wadi_inverse_root_f64(s));
    const double u = large ? a * 0.25 : r + b, ul = large ? 0 : ((r - u) + b) + rl;
    const uint64_t bits = wadi_bits_of_f64(u) + 0x00095f619980c433u;
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) -
                     (large ? 4503599627371516.0 : 4503599627371519.0);
    const double c = wadi_of_bits_f64(bits & 0xfff0000000000000u);
    const bool far = k > 0;
    const double y = wadi_area_f64(k, c, far ? u - c : b, far ? ul : 0, far ? u : r, far ? ul : rl);
    return WADI_MATH(copysign, )(a < WADI_INF(f64, ) ? y : a, x);
}

/* Likewise, r = sqrt(x^2 - 1); r / (x + 1) if k is 0. Below 2, what x^2 - 1 lacks is computed from x - 1, which is exact. */
WADI_FN double wadi_acosh_f64(double x) {
    const double inf = WADI_INF(f64, ), t = x - 1;
    const bool large = x > 0x1p28, near = x < 2;
    const double b = large ? 0x1p28 : x, s = WADI_FMA(b, b, -1.0, ), r = WADI_MATH(sqrt, )(s);
    const double m = near ? t : b, g = near ? (t + t) - s : -1 - s, sl = WADI_FMA(m, m, g, );
    const double rl = (WADI_FMA(-r, r, s, ) + sl) * (0.5 * wadi_inverse_root_f64(s));
    const double u = large ? x * 0.25 : b + r, ul = large ? 0 : ((b - u) + r) + rl;
    const uint64_t bits = wadi_bits_of_f64(u) + 0x00095f619980c433u;
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) -
                     (large ? 4503599627371516.0 : 4503599627371519.0);
    const double c = wadi_of_bits_f64(bits & 0xfff0000000000000u);
    const bool far = k > 0;
    const double y = wadi_area_f64(k, c, far ? u - c : r, far ? ul : rl, far ? u : b, far ? ul : 0);
    return x < inf ? (x >= 1 ? y : WADI_NAN(f64, )) : x;
}

/* Half of the logarithm of (1 + a) / (1 - a), which is 2^k m. The difference of the bits is k to a twelfth, so that m is from 2/3 to 3/2, and
 * (m - 1) / (m + 1) has one division. If k is 0, that is a. */
WADI_FN double wadi_atanh_f64(double x) {
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x);
    const double n = 1 + a, d = 1 - a, nl = a - (n - 1), dl = (1 - d) - a;
    const uint64_t bits = wadi_bits_of_f64(n) - wadi_bits_of_f64(d) + 0x0008000000000000u;
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) - 0x1p52;
    const double c = wadi_of_bits_f64((bits & 0xfff0000000000000u) + 0x3ff0000000000000u);
    const double p = c * d, pl = c * dl, top = n - p, sum = n + p, more = (n - sum) + p;
    const double q = top / sum;
    const double lost = WADI_FMA(-q, sum, top, ) + WADI_FMA(-q, more + (nl + pl), nl - pl, );
    const bool far = k > 0;
    const double t = far ? q : a;
    /* 1 / sum to a twentieth */
    const double rest =
        far ? lost * wadi_of_bits_f64(0x7fde624dd2f1a9fcu - wadi_bits_of_f64(sum)) : 0;
    const double v = WADI_FMA(k, 0x1.62e42fefa3800p-2, t, );
    const double e = WADI_FMA(k, 0x1.62e42fefa3800p-2, -v, ) + t, z = t * t;
    const double low = WADI_FMA(t * z, wadi_poly_atanh_f64(z), rest, );
    const double y = v + (e + WADI_FMA(k, 0x1.ef35793c76730p-46, low, ));
    const double w = a < 1 ? y : inf;
    return WADI_MATH(copysign, )(a <= 1 ? w : WADI_NAN(f64, ), x);
}

/* ---- f32 ---- */

/* x = k log 2 + r + *rest of x from 0 to 89.5; *up is 2^(k-2), *down 2^-(k+2) */
WADI_FN float wadi_exps_reduced_f32(float x, float *rest, float *up, float *down) {
    const float t = WADI_FMA(x, 0x1.715476p+0f, 12583037.0f, f), k = t - 12583037.0f;
    const uint32_t u = wadi_bits_of_f32(t) << 23;
    const int32_t v = (int32_t)((250u << 23) - u);
    *up = wadi_of_bits_f32(u);
    *down = wadi_of_bits_f32((uint32_t)(v > 0 ? v : 0));
    *rest = k * 0x1.05c610p-29f;
    return WADI_FMA(k, -0x1.62e430p-1f, x, f);
}

/* p sinh(r + rest) + (q + lost) cosh(r + rest) */
WADI_FN float wadi_waves_f32(float p, float q, float lost, float r, float rest) {
    const float h = WADI_FMA(p, r, q, f), e = WADI_FMA(p, r, q - h, f), u = r + rest, z = u * u;
    const float s = WADI_FMA(u * z, wadi_poly_sinh_f32(z), rest, f);
    const float c = WADI_FMA(q, z * wadi_poly_cosh_f32(z), lost, f);
    return h + (e + WADI_FMA(p, s, c, f));
}

WADI_FN float wadi_sinh_f32(float x) {
    float rest, s, i;
    const float a = WADI_MATH(fabs, f)(x);
    const float r = wadi_exps_reduced_f32(a > 89.5f ? 89.5f : a, &rest, &s, &i);
    const float q = s - i, y = wadi_waves_f32(s + i, q, (s - q) - i, r, rest) * 2;
    return a < 0x1p-13f ? x : WADI_MATH(copysign, f)(y, x);
}

WADI_FN float wadi_cosh_f32(float x) {
    float rest, s, i;
    const float a = WADI_MATH(fabs, f)(x);
    const float r = wadi_exps_reduced_f32(a > 89.5f ? 89.5f : a, &rest, &s, &i);
    const float q = s + i;
    return wadi_waves_f32(s - i, q, (s - q) + i, r, rest) * 2;
}

/* From 1 on, 1 - 2 / (1 + e^2x). */
WADI_FN float wadi_tanh_f32(float x) {
    const float a = WADI_MATH(fabs, f)(x), z = a * a;
    const float inner = WADI_FMA(a * z, wadi_poly_tanh_f32(z), a, f);
    const float b = wadi_at_most_f32(a + a, 18.5f);
    const float t = WADI_FMA(b, 0x1.715476p+0f, 12583039.0f, f), k = t - 12583039.0f;
    const float r = WADI_FMA(k, -0x1.62e430p-1f, b, f),
                s = wadi_of_bits_f32(wadi_bits_of_f32(t) << 23);
    const float power = WADI_FMA(s, WADI_FMA(r * r, wadi_poly_exp_f32(r), r, f), s + 1, f);
    return WADI_MATH(copysign, f)(a >= 1 ? 1 - 2 / power : inner, x); /* NaN of NaN */
}

/* log(v) + low; log(2 x) of large x */
WADI_FN float wadi_log_of_root_f32(float v, float low, float x) {
    const bool large = x > 0x1p30f;
    float k;
    const float w = large ? x : v, f = wadi_split_f32(w, &k);
    const float y = wadi_log_parts_f32(large ? k + 1 : k, f, large ? 0 : low);
    return wadi_log_end_f32(w, y);
}

/* log(a + sqrt(a^2 + 1)). What the sum lacks is divided by it, which is multiplied by the root less a. */
WADI_FN float wadi_asinh_f32(float x) {
    const float a = WADI_MATH(fabs, f)(x), z = a * a;
    const float inner = WADI_FMA(a * z, wadi_poly_asinh_f32(z), a, f);
    const float s = WADI_FMA(a, a, 1.0f, f), sl = WADI_FMA(a, a, 1 - s, f);
    const float r = WADI_MATH(sqrt, f)(s);
    const float rl = (WADI_FMA(-r, r, s, f) + sl) * (0.5f * wadi_inverse_root_f32(s));
    const float v = a + r, vl = ((r - v) + a) + rl;
    const float y = wadi_log_of_root_f32(v, vl * (r - a), a);
    return WADI_MATH(copysign, f)(a < 0.5f ? inner : y, x);
}

WADI_FN float wadi_acosh_f32(float x) {
    const float t = x - 1, w = t + t;
    const bool near = x < 1.5f;
    const float s = near ? w : WADI_FMA(x, x, -1.0f, f), sl = near ? 0 : WADI_FMA(x, x, -1 - s, f);
    const float r = WADI_MATH(sqrt, f)(s);
    const float rl = (WADI_FMA(-r, r, s, f) + sl) * (0.5f * wadi_inverse_root_f32(s));
    const float inner = r + WADI_FMA(r * t, wadi_poly_acosh_f32(t), rl, f);
    const float v = x + r, vl = ((x - v) + r) + rl;
    const float y = wadi_log_of_root_f32(v, vl * (x - r), x);
    return near ? inner : y;
}

WADI_FN float wadi_atanh_f32(float x) {
    float k;
    const float a = WADI_MATH(fabs, f)(x), z = a * a;
    const float inner = WADI_FMA(a * z, wadi_poly_atanh_f32(z), a, f);
    const float n = 1 + a, nl = a - (n - 1), d = 1 - a, q = n / d;
    /* 1 / n of n from 3/2 to 2 */
    const float low = (WADI_FMA(-q, d, n, f) + nl) * WADI_FMA(n, -0.333333f, 1.166f, f);
    const float f = wadi_split_normal_f32(q, &k);
    const float y = wadi_log_end_f32(q, wadi_log_parts_f32(k, f, low)) * 0.5f;
    return WADI_MATH(copysign, f)(a < 0.5f ? inner : y, x);
}

#endif
