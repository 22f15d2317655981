/* cbrt and hypot. The cube root takes a polynomial and steps of Newton (J. Raphson, Analysis aequationum universalis, 1690), without a division. */
#ifndef WADI_ELEMENTARY_ROOT_H
#define WADI_ELEMENTARY_ROOT_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* |x| = v 2^(3 q), v from 1/4 to 4. If y is about 1 / the cube root of v, v y^2 is about the root, and y^2 / 3 the slope for what that lacks. The
 * powers of 2 for the exponent's rest, which is -1, 0 or 1, and 1 / their cube roots, are polynomials of it. */
WADI_FN double wadi_cbrt_f64(double x) {
    const double a = WADI_MATH(fabs, )(x), start = 6755399441056426.0;
    const bool tiny = a < 0x1p-1022;
    const uint64_t bits = wadi_bits_of_f64(tiny ? a * 0x1p54 : a);
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) - 0x1p52;
    const double t = WADI_FMA(k, 0x1.5555555555555p-2, start, );
    const double rest = WADI_FMA(t - start, -3.0, k, );
    const double m = wadi_of_bits_f64((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    const double v = m * WADI_FMA(WADI_FMA(0.25, rest, 0.75, ), rest, 1.0, );
    const double lift =
        WADI_FMA(WADI_FMA(0x1.b744985853524p-6, rest, -0x1.dd68e9bbaedb3p-3, ), rest, 1.0, );
    /* a step of the third order */
    const double first = wadi_poly_cbrt_f64(m) * lift,
                 off = WADI_FMA(-v * first, first * first, 1.0, );
    const double y =
        WADI_FMA(first * off, WADI_FMA(off, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2, ), first, );
    const double s = y * y, z = v * s;
    const double w = WADI_FMA(WADI_FMA(-z * z, z, v, ), s * 0x1.5555555555555p-2, z, );
    const double scale = wadi_of_bits_f64((wadi_bits_of_f64(t) - (tiny ? 18 : 0)) << 52);
    const double root = wadi_bits_of_f64(a) - 1 < 0x7fefffffffffffffu ? w * scale : a;
    return WADI_MATH(copysign, )(root, x);
}

WADI_FN float wadi_cbrt_f32(float x) {
    const float a = WADI_MATH(fabs, f)(x);
    const bool tiny = a < 0x1p-126f;
    const uint32_t bits = wadi_bits_of_f32(tiny ? a * 0x1p24f : a);
    const float k = (float)(int32_t)(bits >> 23), start = 12582997.0f;
    const float t = WADI_FMA(k, 0x1.555556p-2f, start, f), rest = WADI_FMA(t - start, -3.0f, k, f);
    const float m = wadi_of_bits_f32((bits & 0x7fffffu) | 0x3f800000u);
    const float v = m * WADI_FMA(WADI_FMA(0.125f, rest, 0.375f, f), rest, 0.5f, f);
    const float lift = WADI_FMA(WADI_FMA(0.0337795f, rest, -0.2937005f, f), rest, 1.2599210f, f);
    const float y = wadi_poly_cbrt_f32(m) * lift, s = y * y, z = v * s;
    const float w = WADI_FMA(WADI_FMA(-z * z, z, v, f), s * 0x1.555556p-2f, z, f);
    const float scale = wadi_of_bits_f32((wadi_bits_of_f32(t) - (tiny ? 8 : 0)) << 23);
    const float root = wadi_bits_of_f32(a) - 1 < 0x7f7fffffu ? w * scale : a;
    return WADI_MATH(copysign, f)(root, x);
}

/* The larger number becomes one from 1/2 to 4, less if it is subnormal: its exponent is taken from one whose power has a normal inverse even where it is 0, so that only
 * the largest numbers need a bound. The sum of squares is rounded once, so that its error counts half. */
WADI_FN double wadi_hypot_f64(double x, double y) {
    const int64_t a = (int64_t)(wadi_bits_of_f64(x) & 0x7fffffffffffffffu),
                  b = (int64_t)(wadi_bits_of_f64(y) & 0x7fffffffffffffffu);
    const int64_t most = a > b ? a : b, least = a > b ? b : a;
    const int64_t up = 0x7fd0000000000000 - (most & 0x7ff0000000000000),
                  scale = up > 0x0010000000000000 ? up : 0x0010000000000000;
    const double p = wadi_of_bits_f64((uint64_t)most) * wadi_of_bits_f64((uint64_t)scale);
    const double q = wadi_of_bits_f64((uint64_t)least) * wadi_of_bits_f64((uint64_t)scale);
    const double h = p * p, s = WADI_FMA(q, q, h, );
    const double rest = WADI_FMA(q, q, h - s, ) + WADI_FMA(p, p, -h, );
    const double root = WADI_MATH(sqrt, )(s + rest);
    const double w = root * wadi_of_bits_f64((uint64_t)(0x7fe0000000000000 - scale));
    const double end =
        wadi_of_bits_f64((uint64_t)(least == 0x7ff0000000000000 ? 0x7ff0000000000000 : most));
    return most < 0x7ff0000000000000 ? w : end;
}

WADI_FN float wadi_hypot_f32(float x, float y) {
    const int32_t a = (int32_t)(wadi_bits_of_f32(x) & 0x7fffffffu),
                  b = (int32_t)(wadi_bits_of_f32(y) & 0x7fffffffu);
    const int32_t most = a > b ? a : b, least = a > b ? b : a;
    const int32_t up = 0x7e800000 - (most & 0x7f800000), scale = up > 0x00800000 ? up : 0x00800000;
    const float p = wadi_of_bits_f32((uint32_t)most) * wadi_of_bits_f32((uint32_t)scale);
    const float q = wadi_of_bits_f32((uint32_t)least) * wadi_of_bits_f32((uint32_t)scale);
    const float h = p * p, s = WADI_FMA(q, q, h, f);
    const float rest = WADI_FMA(q, q, h - s, f) + WADI_FMA(p, p, -h, f);
    const float root = WADI_MATH(sqrt, f)(s + rest);
    const float w = root * wadi_of_bits_f32((uint32_t)(0x7f000000 - scale));
    const float end = wadi_of_bits_f32((uint32_t)(least == 0x7f800000 ? 0x7f800000 : most));
    return most < 0x7f800000 ? w : end;
}

#endif
