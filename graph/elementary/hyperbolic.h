/* sinh, cosh, tanh and their inverses, over e^x - 1 and log(1 + x) as sums of two numbers. */
#ifndef WADI_ELEMENTARY_HYPERBOLIC_H
#define WADI_ELEMENTARY_HYPERBOLIC_H

#include "graph/elementary/exponential.h"
#include "graph/elementary/logarithm.h"

/* e^x - 1 of x >= 0; beyond 40 only about */
WADI_FN double wadi_expm1_as_sum(double x, double *low) {
    double h, l;
    const double t = wadi_expm1_parts(x > 45 ? 45 : x, &h, &l);
    *low = wadi_scaled_f64(l, t);
    return wadi_scaled_f64(h, t);
}

/* e^x / 2 of x >= 40 */
WADI_FN double wadi_half_exp(double x) {
    double h, l;
    const double y = x > 711 ? 711 : x;
    const double t = wadi_exp_parts(y < 40 ? 40 : y, 0, &h, &l);
    return wadi_scaled_f64(1 + (h + l), t - 1);
}

WADI_FN double wadi_sinh_f64(double x) {
    double ul, dl, ql, e;
    const double a = WADI_MATH(fabs, )(x), u = wadi_expm1_as_sum(a, &ul);
    const double d = wadi_sum_any(1, u, &dl);
    const double q = wadi_quotient_of_sums(u, ul, d, dl + ul, &ql);
    const double s = wadi_sum_ordered(u, q, &e), y = (s + (e + (ul + ql))) * 0.5;
    const double w = a > 40 ? wadi_half_exp(a) : y, v = x == 0 ? a : w;
    return WADI_MATH(copysign, )(x != x ? x : v, x);
}

WADI_FN double wadi_cosh_f64(double x) {
    double h, l;
    const double a = WADI_MATH(fabs, )(x), b = a > 45 ? 45 : a;
    const double t = wadi_exp_parts(b, 0, &h, &l);
    double el, e;
    const double p = wadi_sum_ordered(1, h, &el);
    const double y = wadi_scaled_f64(p, t), yl = wadi_scaled_f64(el + l, t);
    const double s = wadi_sum_ordered(y, 1 / y, &e), c = (s + (e + yl)) * 0.5;
    const double w = a > 40 ? wadi_half_exp(a) : c;
    return x != x ? x : w;
}

WADI_FN double wadi_tanh_f64(double x) {
    double ul, dl, ql;
    const double a = WADI_MATH(fabs, )(x), b = a > 22 ? 22 : a;
    const double u = wadi_expm1_as_sum(b + b, &ul), d = wadi_sum_any(2, u, &dl);
    const double q = wadi_quotient_of_sums(u, ul, d, dl + ul, &ql);
    const double y = x == 0 ? a : q + ql;
    return WADI_MATH(copysign, )(x != x ? x : y, x);
}

WADI_FN double wadi_asinh_f64(double x) {
    double wl, rl, nl, vl, dl, e;
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x);
    const bool large = a > 0x1p28;
    const double b = large ? 1 : a;
    /* x + x^2 / (1 + sqrt(1 + x^2)) */
    const double w = wadi_product(b, b, &wl), s = wadi_sum_any(1, w, &e);
    const double r = wadi_root_of_sum(s, e + wl, &rl), d = wadi_sum_ordered(r, 1, &dl);
    const double n = wadi_quotient_of_sums(w, wl, d, dl + rl, &nl);
    const double v = wadi_sum_ordered(b, n, &vl);
    const double y = wadi_log1p_of_sum(large ? a : v, large ? 0 : vl + nl, large, large ? 1 : 0);
    const double z = ((a < inf) & (a != 0)) ? y : a;
    return WADI_MATH(copysign, )(z, x);
}

WADI_FN double wadi_acosh_f64(double x) {
    double tl, al, pl, rl, vl;
    const double inf = WADI_INF(f64, );
    const bool large = x > 0x1p28;
    const double b = large ? 2 : x;
    /* t + sqrt(t (x + 1)), t = x - 1 */
    const double t = wadi_sum_ordered(b, -1, &tl), a = wadi_sum_ordered(b, 1, &al);
    const double p = wadi_product_of_sums(t, tl, a, al, &pl);
    const double r = wadi_root_of_sum(p, pl, &rl), v = wadi_sum_any(t, r, &vl);
    const double y =
        wadi_log1p_of_sum(large ? x : v, large ? 0 : vl + (tl + rl), large, large ? 1 : 0);
    return x < inf ? (x >= 1 ? y : WADI_NAN(f64, )) : x;
}

WADI_FN double wadi_atanh_f64(double x) {
    double dl, ql;
    const double inf = WADI_INF(f64, ), a = WADI_MATH(fabs, )(x), b = a < 1 ? a : 0.5;
    const double d = wadi_sum_ordered(1, -b, &dl);
    const double q = wadi_quotient_of_sums(b + b, 0, d, dl, &ql);
    const double y = wadi_log1p_of_sum(q, ql, false, 0) * 0.5, z = a < 1 ? y : inf;
    const double w = a <= 1 ? z : WADI_NAN(f64, );
    return WADI_MATH(copysign, )(x == 0 ? a : w, x);
}

/* ---- f32 ---- */

WADI_FN float wadi_sinh_f32(float x) {
    const double a = WADI_MATH(fabs, )((double)x), u = wadi_expm1_light(a > 90 ? 90 : a);
    const double y = (u + u / (1 + u)) * 0.5;
    return (float)WADI_MATH(copysign, )(x - x == 0 ? y : a, (double)x);
}

WADI_FN float wadi_cosh_f32(float x) {
    const double a = WADI_MATH(fabs, )((double)x), u = wadi_exp_light(a > 90 ? 90 : a);
    return (float)(x - x == 0 ? (u + 1 / u) * 0.5 : a);
}

WADI_FN float wadi_tanh_f32(float x) {
    const double a = WADI_MATH(fabs, )((double)x), u = wadi_expm1_light(a > 12 ? 24 : a + a);
    const double y = u / (2 + u);
    return (float)WADI_MATH(copysign, )(x != x ? (double)x : y, (double)x);
}

WADI_FN float wadi_asinh_f32(float x) {
    const double a = WADI_MATH(fabs, )((double)x), s = a * a;
    const double y = wadi_log_light(a + WADI_MATH(sqrt, )(1 + s));
    const double z = a < 0x1p-12 ? a - a * s * 0x1.5555555555555p-3 : y;
    return (float)WADI_MATH(copysign, )(x - x == 0 ? z : a, (double)x);
}

WADI_FN float wadi_acosh_f32(float x) {
    const double a = (double)x, t = a - 1;
    const float y = (float)wadi_log_light(a + WADI_MATH(sqrt, )(t * (a + 1)));
    const float z = x - x == 0 ? y : x;
    return x == 1 ? 0.0f : x < 1 ? WADI_NAN(f32, f) : z;
}

WADI_FN float wadi_atanh_f32(float x) {
    const double a = WADI_MATH(fabs, )((double)x), b = a < 1 ? a : 0.5;
    const double y = wadi_log_light((1 + b) / (1 - b)) * 0.5;
    const double z = a < 0x1p-12 ? a + a * a * a * 0x1.5555555555555p-2 : y;
    const double w = a == 1 ? WADI_INF(f64, ) : a < 1 ? z : WADI_NAN(f64, );
    return (float)WADI_MATH(copysign, )(w, (double)x);
}

#endif
