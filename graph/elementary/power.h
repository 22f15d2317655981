/* pow: e^(y log x), with log x to 70 bits or so, since its error is multiplied by up to 745.
 *
 * log(1 + f) = 2 s + s^3 (2/3 + z tail(z)), z = s^2: all but the tail are sums of two numbers. */
#ifndef WADI_ELEMENTARY_POWER_H
#define WADI_ELEMENTARY_POWER_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/logarithm.h"

/* log(x), of x > 0 */
WADI_FN double wadi_log_as_sum(double x, double *low) {
    double k, dl, al, sl, e;
    const double f = wadi_split_f64(x, &k), d = wadi_sum_ordered(2, f, &dl);
    const double s = wadi_quotient_of_sums(f, 0, d, dl, &sl);
    const double z = s * s, zl = WADI_FMA(s, s, -z, ) + (s + s) * sl;
    const double t = wadi_poly_log_tail(z), w = z * t, wl = WADI_FMA(zl, t, WADI_FMA(z, t, -w, ), );
    const double a = wadi_sum_ordered(0x1.5555555555555p-1, w, &e);
    const double b = z * a, rest = e + (wl + 0x1.5555555555555p-55);
    const double bl = WADI_FMA(z, a, -b, ) + WADI_FMA(z, rest, zl * a, );
    const double c = s * b, cl = WADI_FMA(s, b, -c, ) + WADI_FMA(s, bl, sl * b, );
    const double h = wadi_sum_ordered(s + s, c, &al), l = al + (cl + (sl + sl));
    const double v = wadi_log2_times(k, h, &e);
    return wadi_sum_ordered(v, e + WADI_FMA(k, 0x1.ef35793c76730p-45, l, ), low);
}

/* `inside`, which is |x|^y of finite x other than 0 and any y that is not NaN, or what the power has elsewhere */
WADI_FN double wadi_pow_ends_f64(double x, double y, double inside) {
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x), mid = y * 0.5;
    const bool whole = WADI_MATH(floor, )(y) == y;
    const bool odd = whole & (WADI_MATH(floor, )(mid) != mid);
    const double outside = (a == 0) == (y < 0) ? inf : 0;
    const double m = ((a == 0) | (a == inf)) ? outside : inside;
    const bool negative = wadi_bits_of_f64(x) >> 63 != 0;
    const double n = (negative & odd) ? -m : m;
    const double v = ((x < 0) & (a < inf) & !whole) ? WADI_NAN(f64, ) : n;
    const double w = ((x != x) | (y != y)) ? WADI_NAN(f64, ) : v;
    return ((x == 1) | (y == 0)) ? 1 : w;
}

WADI_FN float wadi_pow_ends_f32(float x, float y, float inside) {
    const float inf = WADI_INF(f32, f), a = WADI_MATH(fabs, f)(x), mid = y * 0.5f;
    const bool whole = WADI_MATH(floor, f)(y) == y;
    const bool odd = whole & (WADI_MATH(floor, f)(mid) != mid);
    const float outside = (a == 0) == (y < 0) ? inf : 0;
    const float m = ((a == 0) | (a == inf)) ? outside : inside;
    const bool negative = wadi_bits_of_f32(x) >> 31 != 0;
    const float n = (negative & odd) ? -m : m;
    const float v = ((x < 0) & (a < inf) & !whole) ? WADI_NAN(f32, f) : n;
    const float w = ((x != x) | (y != y)) ? WADI_NAN(f32, f) : v;
    return ((x == 1) | (y == 0)) ? 1 : w;
}

WADI_FN double wadi_pow_f64(double x, double y) {
    double low, e;
    const double a = WADI_MATH(fabs, )(x), log = wadi_log_as_sum(a, &low);
    const double b = wadi_clamped_f64(y, -0x1p64, 0x1p64), p = wadi_product(b, log, &e);
    const double q = wadi_clamped_f64(p, -746, 710), ql = q == p ? WADI_FMA(b, low, e, ) : 0;
    return wadi_pow_ends_f64(x, y, wadi_exp_of_sum(q, ql));
}

WADI_FN float wadi_pow_f32(float x, float y) {
    double k;
    const double a = (double)x, b = (double)y, f = wadi_split_f64(WADI_MATH(fabs, )(a), &k);
    const double log = WADI_FMA(k, 0x1.62e42fefa39efp-1, f - wadi_log_less(f), );
    const double p = wadi_clamped_f64(b, -0x1p40, 0x1p40) * log;
    return wadi_pow_ends_f32(x, y, (float)wadi_exp_light(wadi_clamped_f64(p, -110, 95)));
}

#endif
