/* asin, acos, atan and atan2.
 *
 * The arc sine is a polynomial up to 1/2; above, that of the root of (1 - x) / 2 is half of what is left to a right angle. The arc tangent of
 * n / d is taken of d / n if n > d, and by the tangent of a difference of (n - d) / (n + d) if the quotient is more than 0.41
 * (W. J. Cody and W. Waite, 1980). */
#ifndef WADI_ELEMENTARY_INVERSE_H
#define WADI_ELEMENTARY_INVERSE_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* asin of |x| up to 1/2, or of the root of (1 - |x|) / 2, as a sum */
WADI_FN double wadi_asin_parts(double a, double *low) {
    double sl;
    const bool outer = a > 0.5;
    const double z = outer ? (1 - a) * 0.5 : a * a;
    const double root = wadi_root_of_sum(z, 0, &sl), s = outer ? root : a;
    *low = s * (z * wadi_poly_asin_f64(z)) + (outer ? sl : 0);
    return s;
}

WADI_FN double wadi_asin_f64(double x) {
    double l, e;
    const double a = WADI_MATH(fabs, )(x), s = wadi_asin_parts(a, &l);
    const double v = wadi_sum_ordered(0x1.921fb54442d18p+0, -2 * s, &e);
    const double y = a > 0.5 ? v + (e - (2 * l - 0x1.1a62633145c07p-54)) : s + l;
    return WADI_MATH(copysign, )(a <= 1 ? y : WADI_NAN(f64, ), x);
}

WADI_FN double wadi_acos_f64(double x) {
    double l, e;
    const double a = WADI_MATH(fabs, )(x), s = wadi_asin_parts(a, &l);
    const bool inner = a <= 0.5, right = x > 0.5;
    /* right angle - asin(x); 2 asin(root); straight angle - 2 asin(root) */
    const double angle = inner ? 0x1.921fb54442d18p+0 : right ? 0 : 0x1.921fb54442d18p+1;
    const double rest = inner ? 0x1.1a62633145c07p-54 : right ? 0 : 0x1.1a62633145c07p-53;
    const double times = inner ? (x > 0 ? -1.0 : 1.0) : right ? 2 : -2;
    const double v = wadi_sum_ordered(angle, times * s, &e), y = v + (e + (times * l + rest));
    return a <= 1 ? y : WADI_NAN(f64, );
}

/* The arc tangent of y / x, neither negative, the larger one neither very large nor very small; if `far`, the straight angle less it. */
WADI_FN double wadi_atan_of_ratio(double y, double x, bool far) {
    double nl, dl, ql, e;
    const bool steep = y > x;
    const double p = steep ? x : y, q = steep ? y : x;
    const bool middle = p > q * 0.41421356237309503;
    const double d = wadi_sum_ordered(q, middle ? p : 0, &dl);
    const double n = -wadi_sum_ordered(middle ? q : 0, -p, &nl);
    const double t = wadi_quotient_of_sums(n, -nl, d, dl, &ql), z = t * t;
    const double less = t * (z * wadi_poly_atan_f64(z)) + ql;
    const double base = middle ? 0x1.921fb54442d18p-1 : steep ? 0x1.921fb54442d18p+0 : 0;
    const double rest = middle ? 0x1.1a62633145c07p-55 : steep ? 0x1.1a62633145c07p-54 : 0;
    /* straight angle - (base +- t) */
    const double whole = far ? (middle ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p+1 - base) : base;
    const double more =
        far ? (middle ? 0x1.a79394c9e8a0ap-54 : 0x1.1a62633145c07p-53 - rest) : rest;
    const double sign = steep != far ? -1 : 1;
    const double v = wadi_sum_ordered(whole, sign * t, &e);
    return v + (e + (sign * less + more));
}

WADI_FN double wadi_atan_f64(double x) {
    const double a = WADI_MATH(fabs, )(x);
    const double y = wadi_atan_of_ratio(a > 0x1p64 ? 0x1p64 : a, 1, false);
    return WADI_MATH(copysign, )(y, x);
}

WADI_FN double wadi_atan2_f64(double y, double x) {
    const double inf = WADI_INF(f64, ), most = 0x1.fffffffffffffp+1023;
    const double a = WADI_MATH(fabs, )(y), b = WADI_MATH(fabs, )(x);
    const bool west = wadi_bits_of_f64(x) >> 63 != 0, both = (a == inf) & (b == inf);
    /* what is infinite is large; what is finite beside it is 0 */
    const double n = both ? 1 : b == inf ? 0 : a == inf ? most : a;
    const double d = both ? 1 : a == inf ? 0 : b == inf ? most : b;
    const double larger = n > d ? n : d;
    const uint64_t exponent = wadi_bits_of_f64(larger) >> 52;
    const double up = exponent > 2045 ? 0x1p-1022 : wadi_of_bits_f64((2046 - exponent) << 52);
    /* a ratio that may be subnormal is computed 2^200 times as large, and rounded once */
    const bool thin = n < d * 0x1p-900;
    const double angle =
        wadi_atan_of_ratio(n * (thin ? 0x1p200 : 1) * up, larger == 0 ? 1 : d * up, west);
    const double back = thin ? 0x1p-200 : 1, shrink = west ? 1 : back;
    const double v = ((x != x) | (y != y)) ? WADI_NAN(f64, ) : angle * shrink;
    return WADI_MATH(copysign, )(v, y);
}

/* ---- f32 ---- */

WADI_FN float wadi_asin_f32(float x) {
    const double d = (double)x, a = WADI_MATH(fabs, )(d);
    const double z = a > 0.5 ? (1 - a) * 0.5 : a * a, root = WADI_MATH(sqrt, )(z);
    const double s = a > 0.5 ? root : a, arc = s + s * z * wadi_poly_asin_light(z);
    const double y = a > 0.5 ? 0x1.921fb54442d18p+0 - 2 * arc : arc;
    return (float)WADI_MATH(copysign, )(a <= 1 ? y : WADI_NAN(f64, ), d);
}

WADI_FN float wadi_acos_f32(float x) {
    const double d = (double)x, a = WADI_MATH(fabs, )(d);
    const double z = a > 0.5 ? (1 - a) * 0.5 : a * a, root = WADI_MATH(sqrt, )(z);
    const double s = a > 0.5 ? root : a, arc = s + s * z * wadi_poly_asin_light(z);
    const double inner = 0x1.921fb54442d18p+0 - WADI_MATH(copysign, )(arc, d);
    const double outer = x > 0 ? 2 * arc : 0x1.921fb54442d18p+1 - 2 * arc;
    const double y = a > 0.5 ? outer : inner;
    return (float)(a <= 1 ? y : WADI_NAN(f64, ));
}

/* of y, x >= 0, not both 0 */
WADI_FN double wadi_atan_light(double y, double x) {
    const bool steep = y > x;
    const double p = steep ? x : y, q = steep ? y : x;
    const bool middle = p > q * 0.41421356237309503;
    const double t = (middle ? p - q : p) / (middle ? p + q : q), z = t * t;
    const double arc = (middle ? 0x1.921fb54442d18p-1 : 0) + (t + t * z * wadi_poly_atan_light(z));
    return steep ? 0x1.921fb54442d18p+0 - arc : arc;
}

WADI_FN float wadi_atan_f32(float x) {
    const double d = (double)x, a = WADI_MATH(fabs, )(d);
    const double y = wadi_atan_light(a > 0x1p64 ? 0x1p64 : a, 1);
    return (float)WADI_MATH(copysign, )(y, d);
}

WADI_FN float wadi_atan2_f32(float y, float x) {
    const double inf = WADI_INF(f64, ), c = (double)y, d = (double)x;
    const double a = WADI_MATH(fabs, )(c), b = WADI_MATH(fabs, )(d);
    const bool both = (a == inf) & (b == inf);
    const double n = both ? 1 : a == inf ? 0x1p900 : a, m = both ? 1 : b == inf ? 0x1p900 : b;
    const double arc = wadi_atan_light(n, ((n == 0) & (m == 0)) ? 1 : m);
    const double west = wadi_bits_of_f32(x) >> 31 != 0 ? 0x1.921fb54442d18p+1 - arc : arc;
    return (float)WADI_MATH(copysign, )(((c != c) | (d != d)) ? WADI_NAN(f64, ) : west, c);
}

#endif
