/* sin, cos and tan.
 *
 * The argument is k pi / 2 + r, whole k. Near arguments take multiples of pi / 2 off in parts (W. J. Cody and W. Waite, 1980). Far ones, from
 * 2^26 on, of f32 from 2^17, are seldom there and take long: kernels in C look for them once for each vector (WADI_UNLESS_FAR,
 * codegen/rt/lanes.h), or once for many: the near forms are wrong of far arguments, and note in *beyond that there may have been any
 * (codegen/emit/c/twice.c). Those of f64 are multiplied, as whole numbers, by those bits of 2 / pi that do not only count whole turns (M. H. Payne and
 * R. N. Hanek, Radian Reduction for Trigonometric Functions, 1983). Numbers of f32 are whole numbers times a power of 2, of which a table
 * says how many quarters of a turn they are, after whole turns. */
#ifndef WADI_ELEMENTARY_TRIGONOMETRIC_H
#define WADI_ELEMENTARY_TRIGONOMETRIC_H

#include "graph/elementary/polynomials.h"
#include "graph/elementary/sums.h"
#include "graph/elementary/turns.h"

/* ---- f64 ---- */

/* 32 bits of the product of a number of 53 bits, `low` and `high`, with a part of 2 / pi: word `w`, and `before`, the one of less weight */
WADI_FN uint64_t wadi_times_word(uint64_t low, uint64_t high, uint64_t w, uint64_t before,
                                 uint64_t *carry) {
    const uint64_t p = low * w, q = high * before;
    const uint64_t sum = (p & 0xffffffffu) + (q & 0xffffffffu) + *carry;
    *carry = (p >> 32) + (q >> 32) + (sum >> 32);
    return sum & 0xffffffffu;
}

/* 32 bits of two words, from bit `shift` on */
WADI_FN uint64_t wadi_between_words(uint64_t w, uint64_t next, uint64_t shift) {
    return (w << shift | next >> (32 - shift)) & 0xffffffffu;
}

/* an integer of 32 bits */
WADI_FN double wadi_f64_of_word(uint64_t w) {
    return wadi_of_bits_f64(w | 0x4330000000000000u) - 0x1p52;
}

/* x = k pi / 2 + r of |x| from 2^26: r as a sum, k in the two low bits of *quadrant */
WADI_FN double wadi_reduced_far(double x, double *low, uint64_t *quadrant) {
    const uint64_t bits = wadi_bits_of_f64(x), m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    /* x = m 2^e: the first bit that counts has the weight 2^(1-e) */
    const uint64_t place = (bits >> 52 & 0x7ff) - 1013, shift = place & 31;
    const int64_t word = (int64_t)(place >> 5);
    const uint64_t ml = m & 0xffffffffu, mh = m >> 32;
    const uint64_t w0 = wadi_turn_bits[word], w1 = wadi_turn_bits[word + 1],
                   w2 = wadi_turn_bits[word + 2], w3 = wadi_turn_bits[word + 3],
                   w4 = wadi_turn_bits[word + 4], w5 = wadi_turn_bits[word + 5],
                   w6 = wadi_turn_bits[word + 6];
    const uint64_t a0 = wadi_between_words(w0, w1, shift), a1 = wadi_between_words(w1, w2, shift),
                   a2 = wadi_between_words(w2, w3, shift), a3 = wadi_between_words(w3, w4, shift),
                   a4 = wadi_between_words(w4, w5, shift), a5 = wadi_between_words(w5, w6, shift);
    uint64_t carry = (ml * a5) >> 32;
    const uint64_t p4 = wadi_times_word(ml, mh, a4, a5, &carry),
                   p3 = wadi_times_word(ml, mh, a3, a4, &carry),
                   p2 = wadi_times_word(ml, mh, a2, a3, &carry),
                   p1 = wadi_times_word(ml, mh, a1, a2, &carry),
                   p0 = wadi_times_word(ml, mh, a0, a1, &carry);
    /* two bits of whole quarters, then the fraction; beyond a half, the next quarter less the rest */
    const uint64_t up = p0 >> 29 & 1, flip = (0 - up) & 0xffffffffu, q = (p0 >> 30) + up;
    double e1, e2, e3;
    const double s1 = wadi_sum_ordered(wadi_f64_of_word((p0 ^ flip) & 0x3fffffff) * 0x1p-30,
                                       wadi_f64_of_word(p1 ^ flip) * 0x1p-62, &e1);
    const double s2 = wadi_sum_ordered(s1, wadi_f64_of_word(p2 ^ flip) * 0x1p-94, &e2);
    const double s3 = wadi_sum_ordered(s2, wadi_f64_of_word(p3 ^ flip) * 0x1p-126, &e3);
    const double rest = e1 + (e2 + (e3 + wadi_f64_of_word(p4 ^ flip) * 0x1p-158));
    double l;
    const double r =
        wadi_product_of_sums(s3, rest, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, &l);
    const uint64_t sign = bits >> 63;
    *quadrant = (q ^ (0 - sign)) + sign;
    const uint64_t turn = (sign ^ up) << 63;
    *low = wadi_of_bits_f64(wadi_bits_of_f64(l) ^ turn);
    return wadi_of_bits_f64(wadi_bits_of_f64(r) ^ turn);
}

/* x = k pi / 2 + r - *less of |x| below 2^26. The first difference is exact. The second part of pi / 2 is so short that its multiple is exact, so that what the
 * second difference lacks is found. The third part is followed by six bits that are 0. Of 0, r is x and *less is +0. The low bits of t are k + 2^25. So *beyond gets a bit from 2^26 on of each x
 * that is not near, and of some that are. */
WADI_FN double wadi_reduced_near(double x, double *less, uint64_t *quadrant, uint64_t *beyond) {
    const double t = WADI_FMA(x, 0x1.45f306dc9c883p-1, 6755399474610176.0, );
    const double k = t - 6755399474610176.0, a = WADI_FMA(k, -0x1.921fb54442d18p+0, x, );
    const double r = WADI_FMA(k, -0x1.1a62634000000p-54, a, );
    const double e = WADI_FMA(k, 0x1.1a62634000000p-54, r - a, );
    *less = WADI_FMA(k, -0x1.d747f23e32ed7p-83, e, );
    *quadrant = wadi_bits_of_f64(t);
    *beyond |= *quadrant ^ 0x4338000000000000u;
    return r;
}

/* x = k pi / 2 + r + *low of all numbers; NaN of infinity */
WADI_FN double wadi_reduced_f64(double x, double *low, uint64_t *quadrant) {
    const double r = wadi_reduced_far(x, low, quadrant);
    return WADI_MATH(fabs, )(x) < WADI_INF(f64, ) ? r : WADI_NAN(f64, );
}

/* the sine of r - less if quadrant is 0, its cosine if it is 1, and -sine and -cosine of 2 and 3; -0 of -0 */
WADI_FN double wadi_wave_f64(double r, double less, uint64_t quadrant) {
    const double z = WADI_FMA(r, r, -((r + r) * less), );
    const double cosine = WADI_FMA(z, WADI_FMA(z, wadi_poly_cos_f64(z), -0.5, ), 1.0, );
    const double sine = r - WADI_FMA(r * z, -wadi_poly_sin_f64(z), less, );
    const double y = (quadrant & 1) != 0 ? cosine : sine;
    return wadi_of_bits_f64(wadi_bits_of_f64(y) ^ (quadrant << 62 & 0x8000000000000000u));
}

WADI_FN double wadi_sine_as_sum(double r, double low, double *rest) {
    const double z = r * r, less = WADI_FMA(-0.5 * z, low, low, );
    return wadi_sum_ordered(r, WADI_FMA(r * z, wadi_poly_sin_long(z), less, ), rest);
}

WADI_FN double wadi_cosine_as_sum(double r, double low, double *rest) {
    const double z = r * r, lost = WADI_FMA(r, r, -z, ), mid = z * 0.5, u = 1 - mid;
    const double less = WADI_FMA(-0.5, lost, WADI_FMA(-r, low, (1 - u) - mid, ), );
    return wadi_sum_ordered(u, WADI_FMA(z * z, wadi_poly_cos_f64(z), less, ), rest);
}

/* tan(r - less), or -1 / tan(r - less) if quadrant is odd. What z lacks counts where it is large, and is multiplied by the slope there. */
WADI_FN double wadi_tangent_f64(double r, double less, uint64_t quadrant) {
    const double z = r * r, y = z * z;
    const double more =
        WADI_FMA(WADI_FMA(r, r, -z, ) * 0.6, r, WADI_FMA(less * -1.6, z, -less, ), );
    const double p = WADI_FMA(wadi_poly_tan_odd_f64(y), z, wadi_poly_tan_even_f64(y), );
    const double u = WADI_FMA(r * z, p, more, ), h = r + u, l = (r - h) + u, inverse = -1 / h;
    const double rest = WADI_FMA(inverse, l, WADI_FMA(inverse, h, 1.0, ), );
    return (quadrant & 1) != 0 ? WADI_FMA(inverse, rest, inverse, ) : h;
}

/* Of far arguments, infinities and NaN. */
WADI_LIBRARY double wadi_far_sin_f64(double x) {
    double low;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant);
    return wadi_wave_f64(r, -low, quadrant);
}
WADI_LANES(f64, double, wadi_far_sin_f64)

WADI_LIBRARY double wadi_far_cos_f64(double x) {
    double low;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant);
    return wadi_wave_f64(r, -low, quadrant + 1);
}
WADI_LANES(f64, double, wadi_far_cos_f64)

WADI_LIBRARY double wadi_far_tan_f64(double x) {
    double low;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant);
    return wadi_tangent_f64(r, -low, quadrant);
}
WADI_LANES(f64, double, wadi_far_tan_f64)

WADI_FN double wadi_sin_near_f64(double x, uint64_t *beyond) {
    double less;
    uint64_t quadrant;
    const double r = wadi_reduced_near(x, &less, &quadrant, beyond);
    return wadi_wave_f64(r, less, quadrant);
}

WADI_FN double wadi_sin_f64(double x) {
    uint64_t beyond = 0;
    const double y = wadi_sin_near_f64(x, &beyond);
    return WADI_UNLESS_FAR(f64, wadi_far_sin_f64, x, y);
}

WADI_FN double wadi_cos_near_f64(double x, uint64_t *beyond) {
    double less;
    uint64_t quadrant;
    const double r = wadi_reduced_near(x, &less, &quadrant, beyond);
    return wadi_wave_f64(r, less, quadrant + 1);
}

WADI_FN double wadi_cos_f64(double x) {
    uint64_t beyond = 0;
    const double y = wadi_cos_near_f64(x, &beyond);
    return WADI_UNLESS_FAR(f64, wadi_far_cos_f64, x, y);
}

WADI_FN double wadi_tan_near_f64(double x, uint64_t *beyond) {
    double less;
    uint64_t quadrant;
    const double r = wadi_reduced_near(x, &less, &quadrant, beyond);
    return wadi_tangent_f64(r, less, quadrant);
}

WADI_FN double wadi_tan_f64(double x) {
    uint64_t beyond = 0;
    const double y = wadi_tan_near_f64(x, &beyond);
    return WADI_UNLESS_FAR(f64, wadi_far_tan_f64, x, y);
}

/* ---- f32 ---- */

/* x = m 2^(place - 30), m of 24 bits, and wadi_turn_parts has that power in quarters of a turn, less whole turns; |x| from 2^-7, NaN of
 * infinity */
WADI_FN double wadi_reduced_far_f32(float x, uint64_t *quadrant) {
    const uint32_t bits = wadi_bits_of_f32(x);
    const int64_t place = 2 * (int64_t)((bits >> 23 & 0xff) - 120);
    const double m = (double)wadi_of_bits_f32((bits & 0x807fffffu) | 0x4b000000u);
    const double y = m * wadi_turn_parts[place];
    const double t = y + 6755399441055744.0, k = t - 6755399441055744.0;
    *quadrant = wadi_bits_of_f64(t);
    const double r = WADI_FMA(m, wadi_turn_parts[place + 1], y - k, ) * 0x1.921fb54442d18p+0;
    return x - x == 0 ? r : WADI_NAN(f64, );
}

/* the same of |x| below 2^17, with the quadrant in the low bits. The first difference is exact, and so is what the second one changes; its error follows from the product, not rounded.
 * The low bits of t are k + 2^16: *beyond gets a bit from 2^17 on of each x that is not near, and of some that are. */
WADI_FN float wadi_reduced_near_f32(float x, float *less, uint32_t *quadrant, uint32_t *beyond) {
    const float t = WADI_FMA(x, 0x1.45f306p-1f, 12648448.0f, f), k = t - 12648448.0f;
    const float a = WADI_FMA(k, -0x1.921fb4p+0f, x, f), r = a - k * 0x1.4442d2p-24f;
    const float e = WADI_FMA(k, 0x1.4442d2p-24f, r - a, f);
    *less = WADI_FMA(k, -0x1.ee59dap-50f, e, f);
    *quadrant = wadi_bits_of_f32(t);
    *beyond |= *quadrant ^ 0x4b400000u;
    return r;
}

WADI_FN float wadi_wave_f32(float r, float less, uint32_t quadrant) {
    const float z = WADI_FMA(r, r, -((r + r) * less), f);
    const float cosine = WADI_FMA(z, WADI_FMA(z, wadi_poly_cos_f32(z), -0.5f, f), 1.0f, f);
    const float sine = r - WADI_FMA(r * z, -wadi_poly_sin_f32(z), less, f);
    const float y = (quadrant & 1) != 0 ? cosine : sine;
    return wadi_of_bits_f32(wadi_bits_of_f32(y) ^ (quadrant << 30 & 0x80000000u));
}

/* Of far arguments, infinities and NaN. */
WADI_FN float wadi_far_wave_f32(double r, uint64_t quadrant) {
    const double z = r * r;
    const double cosine = WADI_FMA(z, WADI_FMA(z, wadi_poly_cos_light(z), -0.5, ), 1.0, );
    const double sine = WADI_FMA(r * z, wadi_poly_sin_light(z), r, );
    const double y = (quadrant & 1) != 0 ? cosine : sine;
    return (float)wadi_of_bits_f64(wadi_bits_of_f64(y) ^ (quadrant & 2) << 62);
}

WADI_FN float wadi_tangent_f32(double r, uint64_t quadrant) {
    const double z = r * r;
    const double c = WADI_FMA(z, WADI_FMA(z, wadi_poly_cos_light(z), -0.5, ), 1.0, );
    const double s = WADI_FMA(r * z, wadi_poly_sin_light(z), r, );
    const bool odd = (quadrant & 1) != 0;
    return (float)((odd ? -c : s) / (odd ? s : c));
}

WADI_LIBRARY float wadi_far_sin_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_far_f32(x, &quadrant);
    return wadi_far_wave_f32(r, quadrant);
}
WADI_LANES(f32, float, wadi_far_sin_f32)

WADI_LIBRARY float wadi_far_cos_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_far_f32(x, &quadrant);
    return wadi_far_wave_f32(r, quadrant + 1);
}
WADI_LANES(f32, float, wadi_far_cos_f32)

WADI_LIBRARY float wadi_far_tan_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_far_f32(x, &quadrant);
    return wadi_tangent_f32(r, quadrant);
}
WADI_LANES(f32, float, wadi_far_tan_f32)

WADI_FN float wadi_sin_near_f32(float x, uint32_t *beyond) {
    float less;
    uint32_t quadrant;
    const float r = wadi_reduced_near_f32(x, &less, &quadrant, beyond);
    return wadi_wave_f32(r, less, quadrant);
}

WADI_FN float wadi_sin_f32(float x) {
    uint32_t beyond = 0;
    const float y = wadi_sin_near_f32(x, &beyond);
    return WADI_UNLESS_FAR(f32, wadi_far_sin_f32, x, y);
}

WADI_FN float wadi_cos_near_f32(float x, uint32_t *beyond) {
    float less;
    uint32_t quadrant;
    const float r = wadi_reduced_near_f32(x, &less, &quadrant, beyond);
    return wadi_wave_f32(r, less, quadrant + 1);
}

WADI_FN float wadi_cos_f32(float x) {
    uint32_t beyond = 0;
    const float y = wadi_cos_near_f32(x, &beyond);
    return WADI_UNLESS_FAR(f32, wadi_far_cos_f32, x, y);
}

WADI_FN float wadi_tan_near_f32(float x, uint32_t *beyond) {
    float less;
    uint32_t quadrant;
    const float r = wadi_reduced_near_f32(x, &less, &quadrant, beyond), z = r * r;
    const float more =
        WADI_FMA(WADI_FMA(r, r, -z, f) * 0.6f, r, WADI_FMA(less * -1.6f, z, -less, f), f);
    const float u = WADI_FMA(r * z, wadi_poly_tan_f32(z), more, f);
    const float h = r + u, l = (r - h) + u, inverse = -1 / h;
    const float rest = WADI_FMA(inverse, l, WADI_FMA(inverse, h, 1.0f, f), f);
    return (quadrant & 1) != 0 ? WADI_FMA(inverse, rest, inverse, f) : h;
}

WADI_FN float wadi_tan_f32(float x) {
    uint32_t beyond = 0;
    const float y = wadi_tan_near_f32(x, &beyond);
    return WADI_UNLESS_FAR(f32, wadi_far_tan_f32, x, y);
}

#endif
