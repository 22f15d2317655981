/* asin, acos, atan and atan2.
 *
 * The arc sine is a polynomial up to 1/2; above, that of the root of (1 - x) / 2 is half of what is left to a right angle. The arc tangent of
 * n / d is taken of d / n if n > d, and by the tangent of a difference, of (n - d) / (n + d), if the quotient is more than 1/2
 * (W. J. Cody and W. Waite, 1980). What the multiples of pi / 4 lack, which are added, is in proportion to them. */
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

WADI_FN double wadi_atan_f64(double x) {
    const double b = WADI_MATH(fabs, )(x), a = b > 0x1p64 ? 0x1p64 : b;
    const bool outer = a > 0.5, steep = a > 2;
    const double d = a + 1, dl = a - (d - 1);
    const double base = steep ? 0x1.921fb54442d18p+0 : outer ? 0x1.921fb54442d18p-1 : 0;
    const double inner = outer ? a - 1 : a, sum = outer ? d : 1, rest = outer ? dl : 0;
    const double y =
        wadi_atan_beside_f64(base, steep ? -1 : inner, steep ? a : sum, steep ? 0 : rest, 0);
    return WADI_MATH(copysign, )(y, x);
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

/* base + rest + atan(n / (by + less)), the last with the sign `turn`, a sign bit; |n / by| is at most 1/2. */
WADI_FN float wadi_atan_beside_f32(float base, float rest, float n, float by, float less,
                                   uint32_t turn) {
    const float inverse = 1 / by, q = n * inverse, z = q * q;
    const float lost = WADI_FMA(-q, less, WADI_FMA(-q, by, n, f), f) * inverse;
    const float t = wadi_of_bits_f32(wadi_bits_of_f32(q) ^ turn);
    const float low = wadi_of_bits_f32(wadi_bits_of_f32(lost) ^ turn) + rest;
    const float v = base + t, e = (base - v) + t;
    return v + (e + WADI_FMA(t * z, wadi_poly_atan_f32(z), low, f));
}

WADI_FN float wadi_atan_f32(float x) {
    const float b = WADI_MATH(fabs, f)(x), a = b > 0x1p100f ? 0x1p100f : b;
    const bool outer = a > 0.5f, steep = a > 2;
    const float d = a + 1, dl = a - (d - 1);
    const float base = steep ? 0x1.921fb6p+0f : outer ? 0x1.921fb6p-1f : 0;
    const float inner = outer ? a - 1 : a, sum = outer ? d : 1, less = outer ? dl : 0;
    const float y = wadi_atan_beside_f32(base, base * -0x1.de12cap-26f, steep ? -1 : inner,
                                         steep ? a : sum, steep ? 0 : less, 0);
    return WADI_MATH(copysign, f)(y, x);
}

WADI_FN float wadi_atan2_f32(float y, float x) {
    const float a = WADI_MATH(fabs, f)(y), b = WADI_MATH(fabs, f)(x), inf = WADI_INF(f32, f);
    const bool steep = a > b, west = wadi_bits_of_f32(x) >> 31 != 0;
    const float most = wadi_at_most_f32(steep ? a : b, 0x1.fffffep+127f), part = steep ? b : a;
    const bool beside = ((a == inf) | (b == inf)) & (part < inf);
    const float least = beside ? 0 : wadi_at_most_f32(part, 0x1.fffffep+127f);
    const uint32_t exponent = wadi_bits_of_f32(most) & 0x7f800000u;
    const float unit =
        exponent > 0x7e800000u ? 0x1p-126f : wadi_of_bits_f32(0x7f000000u - exponent);
    const float q = most == 0 ? 1 : most * unit, p = least * unit;
    const bool middle = p > q * 0.5f;
    const float d = q + p, side = west ? 0x1.921fb6p+1f : 0;
    const float corner = west ? 0x1.2d97c8p+1f : 0x1.921fb6p-1f;
    const float base = middle ? corner : steep ? 0x1.921fb6p+0f : side;
    /* three quarters of a straight angle are nearer to their number than the others */
    const float rest = (middle & west) ? -0x1.99bc5cp-28f : base * -0x1.de12cap-26f;
    const float angle =
        wadi_atan_beside_f32(base, rest, middle ? p - q : p, middle ? d : q,
                             middle ? (q - d) + p : 0, (uint32_t)(steep != west) << 31);
    return WADI_MATH(copysign, f)(((x != x) | (y != y)) ? WADI_NAN(f32, f) : angle, y);
}

#endif
