/* cbrt and hypot. The cube root is a polynomial, and one step of Halley's method (E. Halley, 1694), which is exact enough if the square of
 * the first value has no rounding error. */
#ifndef WADI_ELEMENTARY_ROOT_H
#define WADI_ELEMENTARY_ROOT_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* x > 0 as m 2^(3 q), m from 1/2 to 4; 2^q, and p: the cube root of m about, if `poly` is that of m from 1 to 2 */
WADI_FN double wadi_cube_parts(double x, double *scale, double *lift) {
    const bool tiny = x < 0x1p-1022;
    const uint64_t bits = wadi_bits_of_f64(tiny ? x * 0x1p54 : x);
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) -
                     (tiny ? 4503599627371573.0 : 4503599627371519.0);
    const double t = k * 0x1.5555555555555p-2 + 6755399441056767.0;
    const double rest = k - 3 * (t - 6755399441056767.0);
    *scale = wadi_of_bits_f64(wadi_bits_of_f64(t) << 52);
    *lift = rest < 0 ? 0.5 : rest > 0 ? 2 : 1;
    return wadi_of_bits_f64((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
}

/* the cube root of 1/2, 1 or 2 */
WADI_FN double wadi_cube_lift(double lift) {
    return lift < 1 ? 0x1.965fea53d6e3dp-1 : lift > 1 ? 0x1.428a2f98d728bp+0 : 1;
}

WADI_FN double wadi_cbrt_f64(double x) {
    double scale, lift;
    const double a = WADI_MATH(fabs, )(x), inf = WADI_INF(f64, );
    const double one = wadi_cube_parts(a, &scale, &lift), m = one * lift;
    const double y = wadi_upper_half(wadi_poly_cbrt_f64(one) * wadi_cube_lift(lift));
    const double r = m / (y * y), z = y + y * ((r - y) / (y + y + r));
    const double w = ((a == 0) | !(a < inf)) ? a : z * scale;
    return WADI_MATH(copysign, )(w, x);
}

WADI_FN float wadi_cbrt_f32(float x) {
    double scale, lift;
    const double d = (double)x, a = WADI_MATH(fabs, )(d), inf = WADI_INF(f64, );
    const double one = wadi_cube_parts(a, &scale, &lift), m = one * lift;
    const double y = wadi_poly_cbrt_light(one) * wadi_cube_lift(lift), c = y * y * y;
    const double z = y * ((c + (m + m)) / (c + c + m));
    const double w = ((a == 0) | !(a < inf)) ? a : z * scale;
    return (float)WADI_MATH(copysign, )(w, d);
}

WADI_FN double wadi_hypot_f64(double x, double y) {
    double sl, hl, e, gl;
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x), b = WADI_MATH(fabs, )(y);
    const double most = a > b ? a : b, least = a > b ? b : a;
    const bool large = most > 0x1p500, small = most < 0x1p-400;
    const double up = large ? 0x1p-600 : small ? 0x1p600 : 1;
    const double back = large ? 0x1p600 : small ? 0x1p-600 : 1;
    const double p = most * up, q = least * up;
    const double h = wadi_product(p, p, &hl), s = wadi_product(q, q, &sl);
    const double sum = wadi_sum_ordered(h, s, &e);
    const double g = wadi_root_of_sum(sum, e + (hl + sl), &gl);
    const double w = (g + gl) * back;
    const double v = ((x != x) | (y != y)) ? WADI_NAN(f64, ) : w;
    return ((a == inf) | (b == inf)) ? inf : v;
}

WADI_FN float wadi_hypot_f32(float x, float y) {
    const double inf = WADI_INF(f64, ), a = (double)x, b = (double)y;
    const double w = WADI_MATH(sqrt, )(a * a + b * b);
    return (float)(((WADI_MATH(fabs, )(a) == inf) | (WADI_MATH(fabs, )(b) == inf)) ? inf : w);
}

#endif
