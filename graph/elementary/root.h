/* cbrt and hypot. The cube root takes a polynomial and steps of Newton (J. Raphson, Analysis aequationum universalis, 1690), without a division. */
#ifndef WADI_ELEMENTARY_ROOT_H
#define WADI_ELEMENTARY_ROOT_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"

/* If y is about 1 / the cube root of v, v y^2 is about the root, and y^2 / 3 the slope for what that lacks. The first guess of y has the bits of v by -1/3, so that
 * the exponent needs no reduction; a polynomial of what v y^3 is then makes it right to 34 bits (f32: 15). Of small numbers, v is x by a power of 8, since what
 * v y^2 lacks would be subnormal. */
WADI_FN double wadi_cbrt_f64(double x) {
    const double a = WADI_MATH(fabs, )(x);
    const bool small = a < 0x1p-900;
    const double up = small ? 0x1p180 : 1, down = small ? 0x1p-60 : 1, v = a * up;
    /* 32 bits behind the exponent, as the low bits of a number from 2^52 on */
    const double bits = wadi_of_bits_f64(wadi_bits_of_f64(v) >> 20 | 0x4330000000000000u);
    const double guess = WADI_FMA(bits, -0x1.5555555555555p-2, 6010658315770994.0, );
    const double first = wadi_of_bits_f64(wadi_bits_of_f64(guess) << 20);
    const double off = WADI_FMA(-v * first, first * first, 1.457, );
    const double y = first * wadi_poly_cbrt_f64(off), s = y * y, z = v * s;
    const double w = WADI_FMA(WADI_FMA(-z * z, z, v, ), s * 0x1.5555555555555p-2, z, );
    const double root = wadi_bits_of_f64(a) < 0x7ff0000000000000u ? w * down : a;
    return WADI_MATH(copysign, )(root, x);
}

WADI_FN float wadi_cbrt_f32(float x) {
    const float a = WADI_MATH(fabs, f)(x);
    const bool small = a < 0x1p-90f;
    const float up = small ? 0x1p60f : 1, down = small ? 0x1p-20f : 1, v = a * up;
    const float guess =
        WADI_FMA((float)(int32_t)wadi_bits_of_f32(v), -0x1.555556p-2f, 1421403008.0f, f);
    const float first = wadi_of_bits_f32((uint32_t)(int32_t)guess);
    const float off = WADI_FMA(-v * first, first * first, 1.457f, f);
    const float y = first * wadi_poly_cbrt_f32(off), s = y * y, z = v * s;
    const float w = WADI_FMA(WADI_FMA(-z * z, z, v, f), s * 0x1.555556p-2f, z, f);
    const float root = wadi_bits_of_f32(a) < 0x7f800000u ? w * down : a;
    return WADI_MATH(copysign, f)(root, x);
}

/* The larger number becomes one from 1/2 to 8, less if it is subnormal: its exponent without the two low bits is taken from one that leaves all scales, and their inverses, normal. The
 * sum of squares is that of h, which is exact, and of what is left. h has half of the larger number's bits, and its eighth is set: so what is left is below half of the sum where the error
 * counts most, if that is next to twice a power of 4. Errors of the sum count half: a bound is 0.999 units. */
WADI_FN double wadi_hypot_f64(double x, double y) {
    const int64_t a = (int64_t)(wadi_bits_of_f64(x) & 0x7fffffffffffffffu),
                  b = (int64_t)(wadi_bits_of_f64(y) & 0x7fffffffffffffffu);
    const int64_t most = a > b ? a : b, least = a > b ? b : a;
    const int64_t scale = 0x7fd0000000000000 - (most & 0x7fc0000000000000);
    const double p = wadi_of_bits_f64((uint64_t)most) * wadi_of_bits_f64((uint64_t)scale);
    const double q = wadi_of_bits_f64((uint64_t)least) * wadi_of_bits_f64((uint64_t)scale);
    const double h =
        wadi_of_bits_f64((wadi_bits_of_f64(p) & 0xfffffffff8000000u) | 0x0002000000000000u);
    const double s = h * h, rest = WADI_FMA(q, q, WADI_FMA(p, p, -s, ), );
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
    const int32_t scale = 0x7e800000 - (most & 0x7e000000);
    const float p = wadi_of_bits_f32((uint32_t)most) * wadi_of_bits_f32((uint32_t)scale);
    const float q = wadi_of_bits_f32((uint32_t)least) * wadi_of_bits_f32((uint32_t)scale);
    const float h = wadi_of_bits_f32((wadi_bits_of_f32(p) & 0xfffff000u) | 0x00100000u);
    const float s = h * h, rest = WADI_FMA(q, q, WADI_FMA(p, p, -s, f), f);
    const float root = WADI_MATH(sqrt, f)(s + rest);
    const float w = root * wadi_of_bits_f32((uint32_t)(0x7f000000 - scale));
    const float end = wadi_of_bits_f32((uint32_t)(least == 0x7f800000 ? 0x7f800000 : most));
    return most < 0x7f800000 ? w : end;
}

#endif
