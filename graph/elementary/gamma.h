/* lgamma and tgamma.
 *
 * From 8 on, log gamma(z) is (z - 1/2) log z - z + log(2 pi) / 2 + S(z), and S a polynomial of 1 / z (J. Stirling, 1730). Smaller arguments are lifted by
 * 8: gamma(a) a (a + 1) ... (a + 7) = gamma(a + 8), where the product is w (w + 6) (w + 10) (w + 12) with w = a (a + 7). Of negative ones,
 * gamma(-a) = -pi / (a sin(pi a) gamma(a)) (L. Euler). All this in sums of two numbers. lgamma has polynomials of its own near its roots 1 and 2. */
#ifndef WADI_ELEMENTARY_GAMMA_H
#define WADI_ELEMENTARY_GAMMA_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/logarithm.h"
#include "graph/elementary/power.h"
#include "graph/elementary/trigonometric.h"

/* gamma(a) of a > 0 is e^(result + *low) / (*product + *rest). `scale`: 1, or, of very large a, what the result is multiplied by. */
WADI_FN double wadi_stirling(double a, double scale, double *low, double *product, double *rest) {
    double al, bl, cl, dl, el, fl, wl, pl, ql, hl, ll, ml, sl, rl;
    const bool small = a < 8;
    const double x = small ? a : 1, y = wadi_sum_ordered(7, x, &al);
    const double w = wadi_product_of_sums(x, 0, y, al, &wl);
    const double b = wadi_sum_any(w, 6, &bl), c = wadi_sum_any(w, 10, &cl);
    const double d = wadi_sum_any(w, 12, &dl);
    const double p = wadi_product_of_sums(w, wl, b, bl + wl, &pl);
    const double q = wadi_product_of_sums(c, cl + wl, d, dl + wl, &ql);
    const double e = wadi_product_of_sums(p, pl, q, ql, &el);
    *product = small ? e : 1;
    *rest = small ? el : 0;
    const double h = wadi_sum_ordered(8, x, &hl), z = small ? h : a, zl = small ? hl : 0;
    const double inverse = 1 / z, log = wadi_log_as_sum(z, &ll), f = (z - 0.5) * scale;
    const double m = wadi_product_of_sums(f, zl, log, WADI_FMA(zl, inverse, ll, ), &ml);
    const double s = wadi_sum_any(m, -(z * scale), &sl);
    const double r = wadi_sum_any(s, 0x1.d67f1c864beb5p-1, &rl);
    fl = inverse * wadi_poly_stirling(inverse * inverse) - 0x1.65b5a1b7ff5dfp-55;
    return wadi_sum_ordered(r, (rl + sl) + ((ml - zl) + fl), low);
}

/* (product + rest) pi / (a |sin(pi a)|), of a > 0 that is not whole; *sign is the sine's sign bit */
WADI_FN double wadi_reflected(double a, double product, double rest, double *low, uint64_t *sign) {
    double sl, cl, dl, nl;
    const double n = WADI_MATH(floor, )(a + 0.5), mid = n * 0.5, turn = a - n;
    const double t = WADI_MATH(fabs, )(turn);
    const bool far = t > 0.25;
    const double f = far ? 0.5 - t : t, r = f * 0x1.921fb54442d18p+1;
    const double e = WADI_FMA(f, 0x1.921fb54442d18p+1, -r, );
    const double rl = WADI_FMA(f, 0x1.1a62633145c07p-53, e, );
    const double s = wadi_sine_as_sum(r, rl, &sl), c = wadi_cosine_as_sum(r, rl, &cl);
    const double d = wadi_product_of_sums(a, 0, far ? c : s, far ? cl : sl, &dl);
    const double v =
        wadi_product_of_sums(product, rest, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, &nl);
    /* of integers: compilers make no vectors of comparisons of comparisons */
    const uint64_t odd = WADI_MATH(floor, )(mid) != mid ? 0x8000000000000000u : 0;
    *sign = (wadi_bits_of_f64(turn) & 0x8000000000000000u) ^ odd;
    return wadi_quotient_of_sums(v, nl, d, dl, low);
}

WADI_FN double wadi_tgamma_f64(double x) {
    double el, p, pl, rl, ql, h, l, yl, vl;
    uint64_t sign;
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x), n = WADI_MATH(floor, )(a);
    const double mid = n * 0.5;
    const bool left = x < 0, whole = n == a;
    /* beyond 200, the result is infinite, or 0 with its sign */
    const double b = a > 200 ? (WADI_MATH(floor, )(mid) == mid ? 200.5 : 201.5) : a;
    const double e = wadi_stirling(b, 1, &el, &p, &pl);
    const double r = wadi_reflected(b, p, pl, &rl, &sign);
    const double i = wadi_quotient_of_sums(1, 0, p, pl, &ql);
    const double power = left ? -e : e, power_low = left ? -el : el;
    const double t = wadi_exp_parts(power, power_low, &h, &l);
    const double y = wadi_sum_ordered(1, h, &yl);
    const double v = wadi_product_of_sums(y, yl + l, left ? r : i, left ? rl : ql, &vl);
    const uint64_t turn = left ? sign ^ 0x8000000000000000u : 0;
    const double g = wadi_of_bits_f64(wadi_bits_of_f64(wadi_scaled_f64(v + vl, t)) ^ turn);
    const double u = a < 0x1p-54 ? 1 / x : g;
    return x == inf ? x : (left & whole) ? WADI_NAN(f64, ) : u;
}

WADI_FN double wadi_lgamma_f64(double x) {
    double el, p, pl, rl, ll, sl;
    uint64_t sign;
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x);
    const bool left = x < 0, tiny = a < 0x1p-60;
    const bool huge = a > 0x1p200, whole = WADI_MATH(floor, )(a) == a;
    const double b = (tiny | !(a < inf)) ? 1 : a, scale = huge ? 0x1p-64 : 1;
    const double e = wadi_stirling(b, scale, &el, &p, &pl);
    const double r = wadi_reflected(b, p, pl, &rl, &sign);
    const double q = tiny ? a : left ? r : p, ql = tiny ? 0 : left ? rl : pl;
    const double log = wadi_log_as_sum(q, &ll), more = WADI_FMA(ql, 1 / (tiny ? 1 : q), ll, );
    const double s = wadi_sum_any(tiny ? 0 : e, -log, &sl);
    const double y = (s + (sl + ((tiny ? 0 : el) - more))) * (huge ? 0x1p64 : 1);
    const bool first = x < 1.5;
    const double d = x - (first ? 1.0 : 2.0);
    const bool near = (d < 0x1p-4) & (d > -0x1p-4);
    const double c = near ? d : 0, other = (left & !tiny) ? -y : y;
    const double z = near ? WADI_FMA(c, wadi_poly_lgamma_near(first, c), 0.0, ) : other;
    return ((x <= 0) & whole) ? inf : a < inf ? z : a;
}

WADI_FN float wadi_tgamma_f32(float x) {
    return (float)wadi_tgamma_f64((double)x);
}

/* log(n / d) of numbers that are not subnormal. The difference of the bits is the quotient's exponent to a twelfth, so that m is from 2/3 to 3/2 (as in atanh). */
WADI_FN double wadi_log_of_quotient(double n, double d) {
    const uint64_t bits = wadi_bits_of_f64(n) - wadi_bits_of_f64(d) + 0x43f95f619980c433u;
    const double k = wadi_of_bits_f64(bits >> 52 | 0x4330000000000000u) - 4503599627371583.0;
    const double m =
        wadi_of_bits_f64(wadi_bits_of_f64(n) - (bits & 0xfff0000000000000u) + 0x43f0000000000000u);
    const double s = (m - d) / (m + d), t = s + s, z = s * s;
    return WADI_FMA(k, 0x1.62e42fefa39efp-1, WADI_FMA(t * z, wadi_poly_atanh_f64(z), t, ), );
}

/* In plain numbers of f64, as in wadi_stirling and wadi_reflected: next to a root below 0, an argument of f32 has no result below 10^-7. One logarithm takes the product, and what it is
 * reflected by. */
WADI_FN float wadi_lgamma_f32(float v) {
    const double x = (double)v, inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x);
    const double whole = WADI_MATH(floor, )(a), turn = a - whole;
    const bool left = x < 0, small = a < 8, first = x < 1.5;
    const double w = a * (a + 7), p = (w * (w + 6)) * ((w + 10) * (w + 12));
    const double z = small ? a + 8 : a, inverse = 1 / z;
    const double t = turn > 0.5 ? 1 - turn : turn, s = t * wadi_poly_sinpi(t * t);
    const double product = small ? p : 1;
    const double log =
        wadi_log_of_quotient(left ? product * 0x1.921fb54442d18p+1 : product, left ? a * s : 1);
    const double c =
        WADI_FMA(inverse, wadi_poly_stirling(inverse * inverse), 0x1.d67f1c864beb5p-1 - z, );
    const double y = WADI_FMA(z - 0.5, wadi_log_of_quotient(z, 1), c, ) - log;
    const double d = x - (first ? 1.0 : 2.0);
    const bool near = (d < 0x1p-4) & (d > -0x1p-4);
    const double r = near   ? WADI_FMA(d, wadi_poly_lgamma_near_light(first, d), 0.0, )
                     : left ? -y
                            : y;
    return (float)(((x <= 0) & (turn == 0)) ? inf : a < inf ? r : a);
}

#endif
