/* Elementary functions of complex numbers in device C, whose languages have none, over those of floats.
 *
 * Results are as precise as their larger part: that is what tests compare, and what docs/decisions/0055-scalars-on-devices.md states.
 * Zeros, infinities and NaN give what Annex G of C says; where it leaves a sign open, so does this. Sources: W. Kahan, Branch Cuts for
 * Complex Elementary Functions (1987), for sqrt, tanh and atanh; T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, Implementing the
 * Complex Arcsine and Arccosine Functions Using Exception Handling, ACM TOMS 23 (1997), for the inverses of sine and cosine. */
#ifndef WADI_RT_COMPLEX_FUNCTIONS_H
#define WADI_RT_COMPLEX_FUNCTIONS_H

#include "codegen/rt/builtin.h"

#define WADI_PI 3.14159265358979323846
#define WADI_LN2 0.69314718055994530942

/* N names the type, T; P its part, F. LARGE: exp of half of twice it is far from the limits. HUGE: the square of it is, too; TINY: its
 * inverse. SMALL: so little that 1 + SMALL * SMALL is 1. FLAT: tanh of it is 1. ABOVE: a power of 4 that lifts all numbers of no
 * more than TINY to where they have all their digits; LIFT: its root. */
#define WADI_COMPLEX_PARTS(N, T, P, F, TINY, ABOVE, ABOVE_LN2, HUGE)                         \
    WADI_FN bool wadi_isfinite_##P(F x) {                                                    \
        return x - x == 0;                                                                   \
    }                                                                                        \
    /* log of the modulus of (x, y), neither of them negative */                             \
    WADI_LIBRARY F wadi_logabs_##P(F x, F y) {                                               \
        const F most = x > y ? x : y, least = x > y ? y : x;                                 \
        if (wadi_isinf_##P(x) || wadi_isinf_##P(y)) return wadi_of_bits_##P(WADI_INF_##P);   \
        if (most > (F)HUGE) return log(hypot(x * (F)0.25, y * (F)0.25)) + (F)(2 * WADI_LN2); \
        if (most < (F)TINY) return log(hypot(x * (F)ABOVE, y * (F)ABOVE)) - (F)(ABOVE_LN2);  \
        if (most > (F)0.5 && most < (F)2)                                                    \
            return log1p((most - 1) * (most + 1) + least * least) * (F)0.5;                  \
        return log(hypot(x, y));                                                             \
    }
WADI_COMPLEX_PARTS(c64, wadi_cfloat, f32, float, 8.470329472543003e-22, 1.8446744073709552e19,
                   44.3614195558365, 2305843009213693952.0)
WADI_COMPLEX_PARTS(c128, wadi_cdouble, f64, double, 1e-150, 1.3407807929942597e154,
                   354.891356446692, 1e150)

#define WADI_COMPLEX_ROOT(N, T, P, F, TINY, ABOVE, LIFT, HUGE)                                  \
    WADI_LIBRARY T wadi_sqrt_##N(T a) {                                                         \
        const F inf = wadi_of_bits_##P(WADI_INF_##P), x = fabs(a.re), y = fabs(a.im);           \
        const F most = x > y ? x : y;                                                           \
        if (y == inf) return wadi_complex_##P(inf, a.im);                                       \
        if (x == inf && a.re > 0)                                                               \
            return wadi_complex_##P(inf, a.im != a.im ? a.im : copysign((F)0, a.im));           \
        if (x == inf) return wadi_complex_##P(a.im != a.im ? a.im : (F)0, copysign(inf, a.im)); \
        if (!(most > 0) && x == 0 && y == 0) return wadi_complex_##P((F)0, a.im);               \
        const F up = most > (F)HUGE ? (F)0.0625 : most < (F)TINY ? (F)ABOVE : (F)1;             \
        const F back = most > (F)HUGE ? (F)4 : most < (F)TINY ? (F)LIFT : (F)1;                 \
        const F p = x * up, q = y * up;                                                         \
        const F t = sqrt((p + hypot(p, q)) * (F)0.5), s = q / (t + t);                          \
        return a.re >= 0 ? wadi_complex_##P(t * back, copysign(s * back, a.im))                 \
                         : wadi_complex_##P(s * back, copysign(t * back, a.im));                \
    }
WADI_COMPLEX_ROOT(c64, wadi_cfloat, f32, float, 8.470329472543003e-22, 1.8446744073709552e19,
                  2.3283064365386963e-10, 2305843009213693952.0)
WADI_COMPLEX_ROOT(c128, wadi_cdouble, f64, double, 1e-150, 1.3407807929942597e154,
                  8.636168555094445e-78, 1e150)

#define WADI_COMPLEX_EXPONENTIALS(N, T, P, F, LARGE, FLAT)                                        \
    WADI_LIBRARY T wadi_exp_##N(T a) {                                                            \
        if (a.im == 0) return wadi_complex_##P(exp(a.re), a.im);                                  \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return a.re > 0 ? wadi_complex_##P(a.re, a.im - a.im) : wadi_complex_##P((F)0, (F)0); \
        const F root = exp(a.re * (F)0.5);                                                        \
        if (fabs(a.re) > (F)LARGE)                                                                \
            return wadi_complex_##P(root * cos(a.im) * root, root * sin(a.im) * root);            \
        return wadi_complex_##P(exp(a.re) * cos(a.im), exp(a.re) * sin(a.im));                    \
    }                                                                                             \
    WADI_LIBRARY T wadi_log_##N(T a) {                                                            \
        return wadi_complex_##P(wadi_logabs_##P(fabs(a.re), fabs(a.im)), atan2(a.im, a.re));      \
    }                                                                                             \
    WADI_LIBRARY T wadi_pow_##N(T a, T b) {                                                       \
        return wadi_exp_##N(wadi_mul_##N(b, wadi_log_##N(a)));                                    \
    }                                                                                             \
    WADI_LIBRARY T wadi_sinh_##N(T a) {                                                           \
        const F root = exp(fabs(a.re) * (F)0.5);                                                  \
        if (a.im == 0) return wadi_complex_##P(sinh(a.re), a.im);                                 \
        if (!wadi_isfinite_##P(a.im) && (a.re == 0 || wadi_isinf_##P(a.re)))                      \
            return wadi_complex_##P(a.re, a.im - a.im);                                           \
        if (fabs(a.re) > (F)LARGE)                                                                \
            return wadi_complex_##P(copysign((F)0.5, a.re) * root * cos(a.im) * root,             \
                                    (F)0.5 * root * sin(a.im) * root);                            \
        return wadi_complex_##P(sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im));                  \
    }                                                                                             \
    WADI_LIBRARY T wadi_cosh_##N(T a) {                                                           \
        const F root = exp(fabs(a.re) * (F)0.5);                                                  \
        if (a.im == 0)                                                                            \
            return wadi_complex_##P(cosh(a.re),                                                   \
                                    a.re != a.re ? a.im : copysign((F)1, a.re) * a.im);           \
        if (!wadi_isfinite_##P(a.im) && a.re == 0) return wadi_complex_##P(a.im - a.im, a.re);    \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return wadi_complex_##P(fabs(a.re), a.im - a.im);                                     \
        if (fabs(a.re) > (F)LARGE)                                                                \
            return wadi_complex_##P((F)0.5 * root * cos(a.im) * root,                             \
                                    copysign((F)0.5, a.re) * root * sin(a.im) * root);            \
        return wadi_complex_##P(cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im));                  \
    }                                                                                             \
    WADI_LIBRARY T wadi_tanh_##N(T a) {                                                           \
        const F t = tan(a.im), s = sinh(a.re), beta = 1 + t * t, below = 1 + beta * s * s;        \
        if (a.im == 0) return wadi_complex_##P(tanh(a.re), a.im);                                 \
        if (!wadi_isfinite_##P(a.im) && a.re == 0) return wadi_complex_##P(a.re, a.im - a.im);    \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return wadi_complex_##P(copysign((F)1, a.re), (F)0);                                  \
        if (fabs(a.re) > (F)FLAT && wadi_isfinite_##P(a.im))                                      \
            return wadi_complex_##P(copysign((F)1, a.re),                                         \
                                    4 * sin(a.im) * cos(a.im) * exp(-2 * fabs(a.re)));            \
        return wadi_complex_##P(beta * sqrt(1 + s * s) * s / below, t / below);                   \
    }                                                                                             \
    WADI_LIBRARY T wadi_sin_##N(T a) {                                                            \
        const T w = wadi_sinh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                     \
    }                                                                                             \
    WADI_LIBRARY T wadi_cos_##N(T a) {                                                            \
        return wadi_cosh_##N(wadi_complex_##P(-a.im, a.re));                                      \
    }                                                                                             \
    WADI_LIBRARY T wadi_tan_##N(T a) {                                                            \
        const T w = wadi_tanh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                     \
    }
WADI_COMPLEX_EXPONENTIALS(c64, wadi_cfloat, f32, float, 80, 11)
WADI_COMPLEX_EXPONENTIALS(c128, wadi_cdouble, f64, double, 700, 22)

/* Of x and y, neither of them negative nor NaN: the real part of asin(x + iy) in `re`, or, if `cosine`, of acos; the imaginary part of
 * asin in `im`. The modulus is far from 1 beyond HUGE; there the functions are those of log(2z). */
#define WADI_COMPLEX_INVERSES(N, T, P, F, SMALL, HUGE)                                             \
    WADI_LIBRARY T wadi_arc_##N(F x, F y, bool cosine) {                                           \
        if (x > (F)HUGE || y > (F)HUGE)                                                            \
            return wadi_complex_##P(cosine ? atan2(y, x) : atan2(x, y),                            \
                                    wadi_logabs_##P(x, y) + (F)WADI_LN2);                          \
        const F apart = fabs(x - 1);                                                               \
        if (y <= (F)SMALL * apart && x < 1)                                                        \
            return wadi_complex_##P(cosine ? acos(x) : asin(x), y / sqrt((1 - x) * (1 + x)));      \
        if (y <= (F)SMALL * apart)                                                                 \
            return wadi_complex_##P(cosine ? (y == 0 ? y : y / sqrt((x - 1) * (x + 1)))            \
                                           : (F)(WADI_PI / 2),                                     \
                                    log1p((x - 1) + sqrt((x - 1) * (x + 1))));                     \
        const F r = hypot(x + 1, y), s = hypot(x - 1, y), a = (r + s) * (F)0.5, b = x / a;         \
        const F far = y * y / (r + (x + 1)),                                                       \
                above = far + (x < 1 ? y * y / (s + (1 - x)) : s + (x - 1)); /* 2(a - 1) */        \
        const F im = a <= (F)1.5 ? log1p(above * (F)0.5 + sqrt(above * ((a + 1) * (F)0.5)))        \
                                 : log(a + sqrt((a - 1) * (a + 1)));                               \
        if (b <= (F)0.6417) return wadi_complex_##P(cosine ? acos(b) : asin(b), im);               \
        const F root =                                                                             \
            x <= 1 ? sqrt((F)0.5 * (a + x) * (far + (s + (1 - x))))                                \
                   : y * sqrt((F)0.5 * ((a + x) / (r + (x + 1)) + (a + x) / (s + (x - 1))));       \
        return wadi_complex_##P(cosine ? atan2(root, x) : atan2(x, root), im);                     \
    }                                                                                              \
    WADI_LIBRARY T wadi_asinh_##N(T a) {                                                           \
        const bool infinite = wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im);                        \
        const F none = a.re + a.im;                                                                \
        if (none != none && !infinite) return wadi_complex_##P(none, a.im == 0 ? a.im : none);     \
        if (infinite)                                                                              \
            return wadi_complex_##P(copysign(wadi_of_bits_##P(WADI_INF_##P), a.re),                \
                                    copysign(atan2(fabs(a.im), fabs(a.re)), a.im));                \
        const T w = wadi_arc_##N(fabs(a.im), fabs(a.re), false);                                   \
        return wadi_complex_##P(copysign(w.im, a.re), copysign(w.re, a.im));                       \
    }                                                                                              \
    WADI_LIBRARY T wadi_asin_##N(T a) {                                                            \
        const T w = wadi_asinh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                      \
    }                                                                                              \
    WADI_LIBRARY T wadi_acos_##N(T a) {                                                            \
        const F inf = wadi_of_bits_##P(WADI_INF_##P), none = a.re + a.im;                          \
        if (wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im))                                          \
            return wadi_complex_##P(atan2(fabs(a.im), a.re), -copysign(inf, a.im));                \
        if (none != none) return wadi_complex_##P(a.re == 0 ? (F)(WADI_PI / 2) : none, none);      \
        const T w = wadi_arc_##N(fabs(a.re), fabs(a.im), true);                                    \
        return wadi_complex_##P(a.re < 0 ? (F)WADI_PI - w.re : w.re, -copysign(w.im, a.im));       \
    }                                                                                              \
    WADI_LIBRARY T wadi_acosh_##N(T a) {                                                           \
        const T w = wadi_acos_##N(a);                                                              \
        return wadi_complex_##P(fabs(w.im), copysign(w.re, a.im));                                 \
    }                                                                                              \
    WADI_LIBRARY T wadi_atanh_##N(T a) {                                                           \
        const F x = fabs(a.re), y = fabs(a.im), none = a.re + a.im;                                \
        if (wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im))                                          \
            return wadi_complex_##P(copysign((F)0, a.re),                                          \
                                    a.im != a.im ? a.im : copysign((F)(WADI_PI / 2), a.im));       \
        if (none != none) return wadi_complex_##P(a.re == 0 ? a.re : none, none);                  \
        if (x > 1 / (F)SMALL || y > 1 / (F)SMALL) {                                                \
            const F most = x > y ? x : y, h = hypot(x / most, y / most);                           \
            return wadi_complex_##P(copysign(x / most / (h * h) / most, a.re),                     \
                                    copysign((F)(WADI_PI / 2), a.im));                             \
        }                                                                                          \
        const F re = x == 1 && y < (F)SMALL                                                        \
                         ? ((F)WADI_LN2 - log(y)) * (F)0.5                                         \
                         : log1p(4 * x / ((x - 1) * (x - 1) + y * y)) * (F)0.25;                   \
        return wadi_complex_##P(copysign(re, a.re),                                                \
                                copysign(atan2(2 * y, (1 - x) * (1 + x) - y * y) * (F)0.5, a.im)); \
    }                                                                                              \
    WADI_LIBRARY T wadi_atan_##N(T a) {                                                            \
        const T w = wadi_atanh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                      \
    }
WADI_COMPLEX_INVERSES(c64, wadi_cfloat, f32, float, 5.9604644775390625e-8, 2305843009213693952.0)
WADI_COMPLEX_INVERSES(c128, wadi_cdouble, f64, double, 1.1102230246251565e-16, 1e150)

#endif
