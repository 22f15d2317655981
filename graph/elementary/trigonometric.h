/* sin, cos and tan.
 *
 * The argument is k pi / 2 + r, whole k. Near arguments take multiples of pi / 2 off in parts whose products with k are exact (W. J. Cody and
 * W. Waite, 1980). Far ones of f64 are multiplied, as whole numbers, by those bits of 2 / pi that do not only count whole turns (M. H. Payne and
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

/* x = (k + r / (pi / 2)) pi / 2 of |x| from 2^20: r as a sum, k mod 4 in *quadrant */
WADI_FN double wadi_reduced_far(double x, double *low, uint64_t *quadrant) {
    const uint64_t bits = wadi_bits_of_f64(x), m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    /* x = m 2^e: the first bit that counts has the weight 2^(1-e); near arguments, whose result is not used, stay inside the table */
    const uint64_t above = (bits >> 52 & 0x7ff) - 1043;
    const uint64_t place = (above & ((above >> 63) - 1)) + 30, shift = place & 31;
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
    *quadrant = ((q ^ (0 - sign)) + sign) & 3;
    const uint64_t turn = (sign ^ up) << 63;
    *low = wadi_of_bits_f64(wadi_bits_of_f64(l) ^ turn);
    return wadi_of_bits_f64(wadi_bits_of_f64(r) ^ turn);
}

/* the same of |x| below 2^20 */
WADI_FN double wadi_reduced_near(double x, double *low, uint64_t *quadrant) {
    double e, d;
    const double t = x * 0x1.45f306dc9c883p-1 + 6755399441055744.0, k = t - 6755399441055744.0;
    const double a = x - k * 0x1.921fb54400000p+0;
    const double b = wadi_sum_any(a, -(k * 0x1.0b4611a600000p-34), &e);
    const double c = wadi_sum_any(b, e - k * 0x1.3198a2e000000p-69, &d);
    *quadrant = wadi_bits_of_f64(t) & 3;
    return wadi_sum_ordered(c, d - k * 0x1.b839a252049c1p-104, low);
}

WADI_FN double wadi_reduced_f64(double x, double *low, uint64_t *quadrant) {
    double near_low, far_low;
    uint64_t near_quadrant, far_quadrant;
    const double a = WADI_MATH(fabs, )(x), near = wadi_reduced_near(x, &near_low, &near_quadrant);
    const double far = wadi_reduced_far(x, &far_low, &far_quadrant);
    *low = a < 0x1p20 ? near_low : far_low;
    *quadrant = a < 0x1p20 ? near_quadrant : far_quadrant;
    const double r = a < 0x1p20 ? near : far;
    return a < WADI_INF(f64, ) ? r : WADI_NAN(f64, );
}

/* the sine of r + low if quadrant is 0, its cosine if it is 1, and -sine and -cosine of 2 and 3 */
WADI_FN double wadi_wave_f64(double r, double low, uint64_t quadrant) {
    const double z = r * r;
    const bool odd = (quadrant & 1) != 0;
    const double mid = z * 0.5, u = 1 - mid;
    const double cosine = u + (((1 - u) - mid) + (z * z * WADI_POLY_cos_f64(z) - r * low));
    const double sine = r + (low - (0.5 * z * low) + r * (z * WADI_POLY_sin_f64(z)));
    const double y = odd ? cosine : sine;
    return wadi_of_bits_f64(wadi_bits_of_f64(y) ^ (quadrant & 2) << 62);
}

WADI_FN double wadi_sin_f64(double x) {
    double low;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant);
    const double y = wadi_wave_f64(r, low, quadrant);
    return x == 0 ? x : y;
}

WADI_FN double wadi_cos_f64(double x) {
    double low;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant);
    return wadi_wave_f64(r, low, quadrant + 1);
}

WADI_FN double wadi_tan_f64(double x) {
    double low, sl, cl, ql;
    uint64_t quadrant;
    const double r = wadi_reduced_f64(x, &low, &quadrant), z = r * r, mid = z * 0.5, u = 1 - mid;
    const bool odd = (quadrant & 1) != 0;
    const double s = wadi_sum_ordered(r, (low - mid * low) + r * (z * WADI_POLY_sin_long(z)), &sl);
    const double c =
        wadi_sum_ordered(u, ((1 - u) - mid) + (z * z * WADI_POLY_cos_f64(z) - r * low), &cl);
    const double q =
        wadi_quotient_of_sums(odd ? -c : s, odd ? -cl : sl, odd ? s : c, odd ? sl : cl, &ql);
    return x == 0 ? x : q + ql;
}

/* ---- f32 ---- */

/* x = m 2^(place - 30), m of 24 bits, and wadi_turn_parts has that power in quarters of a turn, less whole turns */
WADI_FN double wadi_reduced_f32(float x, uint64_t *quadrant) {
    const uint32_t bits = wadi_bits_of_f32(x), exponent = bits >> 23 & 0xff;
    const bool small = exponent < 120;
    const uint32_t above = exponent - 120;
    const int64_t place = 2 * (int64_t)(above & ((above >> 31) - 1)); /* 0 if small */
    const double m =
        small ? (double)x * 0x1p30 : (double)wadi_of_bits_f32((bits & 0x807fffffu) | 0x4b000000u);
    const double y = m * wadi_turn_parts[place];
    const double t = y + 6755399441055744.0, k = t - 6755399441055744.0;
    *quadrant = wadi_bits_of_f64(t) & 3;
    return ((y - k) + m * wadi_turn_parts[place + 1]) * 0x1.921fb54442d18p+0;
}

WADI_FN float wadi_wave_f32(double r, uint64_t quadrant) {
    const double z = r * r;
    const double cosine = (1 - 0.5 * z) + z * z * WADI_POLY_cos_light(z);
    const double sine = r + r * (z * WADI_POLY_sin_light(z));
    const double y = (quadrant & 1) != 0 ? cosine : sine;
    return (float)wadi_of_bits_f64(wadi_bits_of_f64(y) ^ (quadrant & 2) << 62);
}

WADI_FN float wadi_sin_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_f32(x, &quadrant);
    const float y = wadi_wave_f32(r, quadrant), z = x - x == 0 ? y : WADI_NAN(f32, f);
    return x == 0 ? x : z;
}

WADI_FN float wadi_cos_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_f32(x, &quadrant);
    const float y = wadi_wave_f32(r, quadrant + 1);
    return x - x == 0 ? y : WADI_NAN(f32, f);
}

WADI_FN float wadi_tan_f32(float x) {
    uint64_t quadrant;
    const double r = wadi_reduced_f32(x, &quadrant), z = r * r;
    const double c = (1 - 0.5 * z) + z * z * WADI_POLY_cos_light(z);
    const double s = r + r * (z * WADI_POLY_sin_light(z));
    const bool odd = (quadrant & 1) != 0;
    const float y = (float)((odd ? -c : s) / (odd ? s : c)), w = x - x == 0 ? y : WADI_NAN(f32, f);
    return x == 0 ? x : w;
}

#endif
