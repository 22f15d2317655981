/* asin, acos, atan and atan2.
 *
 * The arc sine is a polynomial up to 1/2; above, that of the root of (1 - x) / 2 is half of what is left to a right angle. The arc tangent of
 * n / d is taken of d / n if n > d. In atan2 of f64 it is also taken by the tangent of a difference, of (n - d) / (n + d), if the quotient is more than 1/2
 * (W. J. Cody and W. Waite, 1980); elsewhere one polynomial goes up to 1. What the multiples of pi / 4 lack, which are added, is in proportion to them. */
#ifndef WADI_ELEMENTARY_INVERSE_H
#define WADI_ELEMENTARY_INVERSE_H

#include "graph/elementary/exponential.h"

/* asin of a up to 1/2, or, if it is more, twice that of the root of (1 - a) / 2, as a sum */
WADI_FN double wadi_asin_parts(double a, double *low) {
    const bool outer = a > 0.5;
    const double z = outer ? WADI_FMA(a, -0.5, 0.5, ) : a * a, root = WADI_MATH(sqrt, )(z);
    const double lost = WADI_FMA(-root, root, z, ) * wadi_inverse_root_f64(z);
    const double s = outer ? root + root : a;
    *low = WADI_FMA(s * z, wadi_poly_asin_f64(z), outer ? lost : 0, );
    return s;
}

WADI_FN double wadi_asin_f64(double x) {
    double low;
    const double a = WADI_MATH(fabs, )(x), s = wadi_asin_parts(a, &low);
    const double v = 0x1.921fb54442d18p+0 - s, e = (0x1.921fb54442d18p+0 - v) - s;
    const double y = a > 0.5 ? v + (e - (low - 0x1.1a62633145c07p-54)) : s + low;
    return WADI_MATH(copysign, )(y, x);
}

/* right angle - asin(x); twice the arc; straight angle less it */
WADI_FN double wadi_acos_f64(double x) {
    double low;
    const double a = WADI_MATH(fabs, )(x), s = wadi_asin_parts(a, &low);
    const bool inner = a <= 0.5, right = x > 0;
    const double side = right ? 0 : 0x1.921fb54442d18p+1,
                 side_rest = right ? 0 : 0x1.1a62633145c07p-53;
    const double angle = inner ? 0x1.921fb54442d18p+0 : side;
    const double rest = inner ? 0x1.1a62633145c07p-54 : side_rest;
    const uint64_t turn =
        (wadi_bits_of_f64(x) & 0x8000000000000000u) ^ (inner ? 0x8000000000000000u : 0);
    const double t = wadi_of_bits_f64(wadi_bits_of_f64(s) ^ turn);
    const double l = wadi_of_bits_f64(wadi_bits_of_f64(low) ^ turn);
    const double v = angle + t, e = (angle - v) + t;
    return v + (e + (l + rest));
}

/* base + atan(n / (d + dl)), the second with the sign `turn`, a sign bit; |n / d| is at most 1/2. */
WADI_FN double wadi_atan_beside_f64(double base, double n, double d, double dl, uint64_t turn) {
    const double inverse = 1 / d, q = n * inverse, z = q * q;
    const double t = wadi_of_bits_f64(wadi_bits_of_f64(q) ^ turn);
    const double lost = WADI_FMA(-q, dl, WADI_FMA(-q, d, n, ), ) * inverse;
    const double low =
        WADI_FMA(base, 0x1.678afae35cdd1p-55, wadi_of_bits_f64(wadi_bits_of_f64(lost) ^ turn), );
    const double v = base + t, e = (base - v) + t;
    return v + (e + WADI_FMA(t * z, wadi_poly_atan_f64(z), low, ));
}

/* From 1 on, a right angle less the arc of 1 / x. The quotient lacks a part `lost` of itself, which changes the arc by |t| / (1 + t^2) times that: by 0.55 |t| to a tenth of it where it
 * counts most. In proportion to t, it never makes the arc of a larger number the smaller one. 0.35 of the right angle is 0.55. Below 1, `lost` is multiplied by 0. */
WADI_FN double wadi_atan_f64(double x) {
    const double b = WADI_MATH(fabs, )(x), a = wadi_at_most_f64(b, 0x1p64);
    const bool steep = b > 1;
    const double t = steep ? -1 / a : b, base = steep ? 0x1.921fb54442d18p+0 : 0, z = t * t;
    const double v = base + t, e = (base - v) + t, lost = WADI_FMA(t, a, 1.0, );
    const double rest = WADI_FMA(lost * t, 0.35, 0x1.678afae35cdd1p-55, );
    const double low = WADI_FMA(base, rest, e, );
    return WADI_MATH(copysign, )(v + WADI_FMA(t * z, wadi_poly_atan_far(z - 0.75390625), low, ), x);
}

/* The larger number becomes one from 1 to 2. What is infinite is the largest number; what is finite beside it is 0. */
WADI_FN double wadi_atan2_f64(double y, double x) {
    const double a = WADI_MATH(fabs, )(y), b = WADI_MATH(fabs, )(x), inf = WADI_INF(f64, );
    const double top = 0x1.fffffffffffffp+1023;
    const bool steep = a > b, west = wadi_bits_of_f64(x) >> 63 != 0;
    const double most = wadi_at_most_f64(steep ? a : b, top), part = steep ? b : a;
    const bool beside = ((a == inf) | (b == inf)) & (part < inf);
    const double least = beside ? 0 : wadi_at_most_f64(part, top);
    const uint64_t exponent = wadi_bits_of_f64(most) & 0x7ff0000000000000u;
    const double unit = exponent > 0x7fd0000000000000u
                            ? 0x1p-1022
                            : wadi_of_bits_f64(0x7fe0000000000000u - exponent);
    const double q = most == 0 ? 1 : most * unit, p = least * unit;
    const bool middle = p > q * 0.5;
    const double d = q + p, side = west ? 0x1.921fb54442d18p+1 : 0;
    const double corner = west ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
    const double base = middle ? corner : steep ? 0x1.921fb54442d18p+0 : side;
    const double angle =
        wadi_atan_beside_f64(base, middle ? p - q : p, middle ? d : q, middle ? (q - d) + p : 0,
                             (uint64_t)(steep != west) << 63);
    const double v = ((x != x) | (y != y)) ? WADI_NAN(f64, ) : angle;
    return WADI_MATH(copysign, )(v, y);
}

/* ---- f32 ---- */

/* as that of f64 */
WADI_FN float wadi_asin_parts_f32(float a, float *low) {
    const bool outer = a > 0.5f;
    const float z = outer ? (1 - a) * 0.5f : a * a, root = WADI_MATH(sqrt, f)(z);
    const float lost = WADI_FMA(-root, root, z, f) * wadi_inverse_root_f32(z);
    const float s = outer ? root + root : a;
    *low = WADI_FMA(s * z, wadi_poly_asin_f32(z), outer ? lost : 0, f);
    return s;
}

WADI_FN float wadi_asin_f32(float x) {
    float low;
    const float a = WADI_MATH(fabs, f)(x), s = wadi_asin_parts_f32(a, &low);
    const float v = 0x1.921fb6p+0f - s, e = (0x1.921fb6p+0f - v) - s;
    const float y = a > 0.5f ? v + (e - (low + 0x1.777a5cp-25f)) : s + low;
    return WADI_MATH(copysign, f)(y, x);
}

WADI_FN float wadi_acos_f32(float x) {
    float low;
    const float a = WADI_MATH(fabs, f)(x), s = wadi_asin_parts_f32(a, &low);
    const bool inner = a <= 0.5f, right = x > 0;
    const float side = right ? 0 : 0x1.921fb6p+1f, side_rest = right ? 0 : -0x1.777a5cp-24f;
    const float angle = inner ? 0x1.921fb6p+0f : side, rest = inner ? -0x1.777a5cp-25f : side_rest;
    const uint32_t turn = (wadi_bits_of_f32(x) & 0x80000000u) ^ (inner ? 0x80000000u : 0);
    const float t = wadi_of_bits_f32(wadi_bits_of_f32(s) ^ turn);
    const float l = wadi_of_bits_f32(wadi_bits_of_f32(low) ^ turn);
    const float v = angle + t, e = (angle - v) + t;
    return v + (e + (l + rest));
}

WADI_FN float wadi_atan_f32(float x) {
    const float b = WADI_MATH(fabs, f)(x), a = wadi_at_most_f32(b, 0x1p64f);
    const bool steep = b > 1;
    const float t = steep ? -1 / a : b, base = steep ? 0x1.921fb6p+0f : 0, z = t * t;
    const float v = base + t, e = (base - v) + t, lost = WADI_FMA(t, a, 1.0f, f);
    const float low = WADI_FMA(base, WADI_FMA(lost * t, 0.35f, -0x1.de12cap-26f, f), e, f);
    return WADI_MATH(copysign, f)(v + WADI_FMA(t * z, wadi_poly_atan_f32(z - 0.84375f), low, f), x);
}

/* The larger number becomes one from 2 to 4, or less if it is subnormal. Beside an infinite one, what is finite becomes 0. */
WADI_FN float wadi_atan2_f32(float y, float x) {
    const int32_t a = (int32_t)(wadi_bits_of_f32(y) & 0x7fffffffu),
                  b = (int32_t)(wadi_bits_of_f32(x) & 0x7fffffffu);
    const bool steep = a > b;
    const int32_t most = a > b ? a : b, part = a > b ? b : a;
    const int32_t up = 0x7f800000 - (most & 0x7f800000);
    const float unit = wadi_of_bits_f32((uint32_t)(up < 0x7f000000 ? up : 0x7f000000));
    const float top = wadi_of_bits_f32((uint32_t)(most < 0x7f7fffff ? most : 0x7f7fffff)) * unit;
    const float d = top > 0x1p-40f ? top : 0x1p-40f; /* where both are 0, or one is infinite */
    const float n = part == 0x7f800000 ? d : wadi_of_bits_f32((uint32_t)part) * unit;
    const float q = n / d, z = q * q, slope = WADI_FMA(d, z, d, f);
    /* 1 / slope to an eighth */
    const float lost =
        WADI_FMA(-q, d, n, f) * wadi_of_bits_f32(0x7ef311c7u - wadi_bits_of_f32(slope));
    const uint32_t west = wadi_bits_of_f32(x) & 0x80000000u,
                   turn = west ^ (steep ? 0x80000000u : 0);
    const float side = west != 0 ? 0x1.921fb6p+1f : 0, base = steep ? 0x1.921fb6p+0f : side;
    const float t = wadi_of_bits_f32(wadi_bits_of_f32(q) ^ turn);
    const float l = wadi_of_bits_f32(wadi_bits_of_f32(lost) ^ turn);
    const float v = base + t, e = (base - v) + t;
    const float low = WADI_FMA(base, -0x1.de12cap-26f, l, f) + e;
    const float angle = v + WADI_FMA(t * z, wadi_poly_atan_f32(z - 0.84375f), low, f);
    return WADI_MATH(copysign, f)(most > 0x7f800000 ? WADI_NAN(f32, f) : angle, y);
}

#endif
