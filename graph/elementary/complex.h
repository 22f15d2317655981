/* Elementary functions of complex numbers, over those of floats; one text for the interpreter and all kernels. Whoever
 * includes this has included elementary.h, and defined, of either width, wadi_complex, wadi_mul, and wadi_isinf, wadi_sqrt, wadi_abs and wadi_copysign (which takes
 * NaN for +) of the parts.
 *
 * Results are as precise as their larger part: docs/LANGUAGE.md states the bounds. Zeros, infinities and NaN give what Annex G of C says; where it leaves a sign open, so does this. Sources: W. Kahan, Branch Cuts for
 * Complex Elementary Functions (1987), for sqrt, tanh and atanh; T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, Implementing the
 * Complex Arcsine and Arccosine Functions Using Exception Handling, ACM TOMS 23 (1997), for the inverses of sine and cosine. */
#ifndef WADI_ELEMENTARY_COMPLEX_H
#define WADI_ELEMENTARY_COMPLEX_H

#include "graph/elementary/builtin.h"

#define WADI_PI 3.14159265358979323846
#define WADI_LN2 0.69314718055994530942

WADI_FN float wadi_infinity_f32(void) {
    return WADI_INF(f32, f);
}
WADI_FN double wadi_infinity_f64(void) {
    return WADI_INF(f64, );
}

/* N names the type, T; P its part, F. LARGE: exp of half of twice it is far from the limits. HUGE: the square of it is, too; TINY: its
 * inverse. SMALL: so little that 1 + SMALL * SMALL is 1. FLAT: tanh of it is 1. ABOVE: a power of 4 that lifts all numbers of no
 * more than TINY to where they have all their digits; LIFT: its root. */
#define WADI_COMPLEX_PARTS(N, T, P, F, TINY, ABOVE, ABOVE_LN2, HUGE)                           \
    WADI_FN bool wadi_isfinite_##P(F x) {                                                      \
        return x - x == 0;                                                                     \
    }                                                                                          \
    /* log of the modulus of (x, y), neither of them negative */                               \
    WADI_LIBRARY F wadi_logabs_##P(F x, F y) {                                                 \
        const F most = x > y ? x : y, least = x > y ? y : x;                                   \
        if (wadi_isinf_##P(x) || wadi_isinf_##P(y)) return wadi_infinity_##P();                \
        if (most > (F)HUGE)                                                                    \
            return wadi_log_##P(wadi_hypot_##P(x * (F)0.25, y * (F)0.25)) + (F)(2 * WADI_LN2); \
        if (most < (F)TINY)                                                                    \
            return wadi_log_##P(wadi_hypot_##P(x * (F)ABOVE, y * (F)ABOVE)) - (F)(ABOVE_LN2);  \
        if (most > (F)0.5 && most < (F)2)                                                      \
            return wadi_log1p_##P((most - 1) * (most + 1) + least * least) * (F)0.5;           \
        return wadi_log_##P(wadi_hypot_##P(x, y));                                             \
    }
WADI_COMPLEX_PARTS(c64, wadi_cfloat, f32, float, 8.470329472543003e-22, 1.8446744073709552e19,
                   44.3614195558365, 2305843009213693952.0)
WADI_COMPLEX_PARTS(c128, wadi_cdouble, f64, double, 1e-150, 1.3407807929942597e154,
                   354.891356446692, 1e150)

#define WADI_COMPLEX_ROOT(N, T, P, F, TINY, ABOVE, LIFT, HUGE)                                 \
    WADI_LIBRARY T wadi_sqrt_##N(T a) {                                                        \
        const F inf = wadi_infinity_##P(), x = wadi_abs_##P(a.re), y = wadi_abs_##P(a.im);     \
        const F most = x > y ? x : y;                                                          \
        if (y == inf) return wadi_complex_##P(inf, a.im);                                      \
        if (x == inf && a.re > 0)                                                              \
            return wadi_complex_##P(inf, a.im != a.im ? a.im : wadi_copysign_##P((F)0, a.im)); \
        if (x == inf)                                                                          \
            return wadi_complex_##P(a.im != a.im ? a.im : (F)0, wadi_copysign_##P(inf, a.im)); \
        if (!(most > 0) && x == 0 && y == 0) return wadi_complex_##P((F)0, a.im);              \
        const F up = most > (F)HUGE ? (F)0.0625 : most < (F)TINY ? (F)ABOVE : (F)1;            \
        const F back = most > (F)HUGE ? (F)4 : most < (F)TINY ? (F)LIFT : (F)1;                \
        const F p = x * up, q = y * up;                                                        \
        const F t = wadi_sqrt_##P((p + wadi_hypot_##P(p, q)) * (F)0.5), s = q / (t + t);       \
        return a.re >= 0 ? wadi_complex_##P(t * back, wadi_copysign_##P(s * back, a.im))       \
                         : wadi_complex_##P(s * back, wadi_copysign_##P(t * back, a.im));      \
    }
WADI_COMPLEX_ROOT(c64, wadi_cfloat, f32, float, 8.470329472543003e-22, 1.8446744073709552e19,
                  2.3283064365386963e-10, 2305843009213693952.0)
WADI_COMPLEX_ROOT(c128, wadi_cdouble, f64, double, 1e-150, 1.3407807929942597e154,
                  8.636168555094445e-78, 1e150)

#define WADI_COMPLEX_EXPONENTIALS(N, T, P, F, LARGE, FLAT)                                        \
    WADI_LIBRARY T wadi_exp_##N(T a) {                                                            \
        if (a.im == 0) return wadi_complex_##P(wadi_exp_##P(a.re), a.im);                         \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return a.re > 0 ? wadi_complex_##P(a.re, a.im - a.im) : wadi_complex_##P((F)0, (F)0); \
        const F root = wadi_exp_##P(a.re * (F)0.5);                                               \
        if (wadi_abs_##P(a.re) > (F)LARGE)                                                        \
            return wadi_complex_##P(root * wadi_cos_##P(a.im) * root,                             \
                                    root * wadi_sin_##P(a.im) * root);                            \
        return wadi_complex_##P(wadi_exp_##P(a.re) * wadi_cos_##P(a.im),                          \
                                wadi_exp_##P(a.re) * wadi_sin_##P(a.im));                         \
    }                                                                                             \
    WADI_LIBRARY T wadi_log_##N(T a) {                                                            \
        return wadi_complex_##P(wadi_logabs_##P(wadi_abs_##P(a.re), wadi_abs_##P(a.im)),          \
                                wadi_atan2_##P(a.im, a.re));                                      \
    }                                                                                             \
    WADI_LIBRARY T wadi_pow_##N(T a, T b) {                                                       \
        return wadi_exp_##N(wadi_mul_##N(b, wadi_log_##N(a)));                                    \
    }                                                                                             \
    WADI_LIBRARY T wadi_sinh_##N(T a) {                                                           \
        const F root = wadi_exp_##P(wadi_abs_##P(a.re) * (F)0.5);                                 \
        if (a.im == 0) return wadi_complex_##P(wadi_sinh_##P(a.re), a.im);                        \
        if (!wadi_isfinite_##P(a.im) && (a.re == 0 || wadi_isinf_##P(a.re)))                      \
            return wadi_complex_##P(a.re, a.im - a.im);                                           \
        if (wadi_abs_##P(a.re) > (F)LARGE)                                                        \
            return wadi_complex_##P(wadi_copysign_##P((F)0.5, a.re) * root * wadi_cos_##P(a.im) * \
                                        root,                                                     \
                                    (F)0.5 * root * wadi_sin_##P(a.im) * root);                   \
        return wadi_complex_##P(wadi_sinh_##P(a.re) * wadi_cos_##P(a.im),                         \
                                wadi_cosh_##P(a.re) * wadi_sin_##P(a.im));                        \
    }                                                                                             \
    WADI_LIBRARY T wadi_cosh_##N(T a) {                                                           \
        const F root = wadi_exp_##P(wadi_abs_##P(a.re) * (F)0.5);                                 \
        if (a.im == 0)                                                                            \
            return wadi_complex_##P(wadi_cosh_##P(a.re),                                          \
                                    a.re != a.re ? a.im : wadi_copysign_##P((F)1, a.re) * a.im);  \
        if (!wadi_isfinite_##P(a.im) && a.re == 0) return wadi_complex_##P(a.im - a.im, a.re);    \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return wadi_complex_##P(wadi_abs_##P(a.re), a.im - a.im);                             \
        if (wadi_abs_##P(a.re) > (F)LARGE)                                                        \
            return wadi_complex_##P((F)0.5 * root * wadi_cos_##P(a.im) * root,                    \
                                    wadi_copysign_##P((F)0.5, a.re) * root * wadi_sin_##P(a.im) * \
                                        root);                                                    \
        return wadi_complex_##P(wadi_cosh_##P(a.re) * wadi_cos_##P(a.im),                         \
                                wadi_sinh_##P(a.re) * wadi_sin_##P(a.im));                        \
    }                                                                                             \
    WADI_LIBRARY T wadi_tanh_##N(T a) {                                                           \
        const F t = wadi_tan_##P(a.im), s = wadi_sinh_##P(a.re), beta = 1 + t * t,                \
                below = 1 + beta * s * s;                                                         \
        if (a.im == 0) return wadi_complex_##P(wadi_tanh_##P(a.re), a.im);                        \
        if (!wadi_isfinite_##P(a.im) && a.re == 0) return wadi_complex_##P(a.re, a.im - a.im);    \
        if (!wadi_isfinite_##P(a.im) && wadi_isinf_##P(a.re))                                     \
            return wadi_complex_##P(wadi_copysign_##P((F)1, a.re), (F)0);                         \
        if (wadi_abs_##P(a.re) > (F)FLAT && wadi_isfinite_##P(a.im))                              \
            return wadi_complex_##P(wadi_copysign_##P((F)1, a.re),                                \
                                    4 * wadi_sin_##P(a.im) * wadi_cos_##P(a.im) *                 \
                                        wadi_exp_##P(-2 * wadi_abs_##P(a.re)));                   \
        return wadi_complex_##P(beta * wadi_sqrt_##P(1 + s * s) * s / below, t / below);          \
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

/* Of x and y, neither of them negative nor NaN: the real part of wadi_asin_##P(x + iy) in `re`, or, if `cosine`, of acos; the imaginary part of
 * asin in `im`. The modulus is far from 1 beyond HUGE; there the functions are those of wadi_log_##P(2z). */
#define WADI_COMPLEX_INVERSES(N, T, P, F, SMALL, HUGE)                                             \
    WADI_LIBRARY T wadi_arc_##N(F x, F y, bool cosine) {                                           \
        if (x > (F)HUGE || y > (F)HUGE)                                                            \
            return wadi_complex_##P(cosine ? wadi_atan2_##P(y, x) : wadi_atan2_##P(x, y),          \
                                    wadi_logabs_##P(x, y) + (F)WADI_LN2);                          \
        const F apart = wadi_abs_##P(x - 1);                                                       \
        if (y <= (F)SMALL * apart && x < 1)                                                        \
            return wadi_complex_##P(cosine ? wadi_acos_##P(x) : wadi_asin_##P(x),                  \
                                    y / wadi_sqrt_##P((1 - x) * (1 + x)));                         \
        if (y <= (F)SMALL * apart)                                                                 \
            return wadi_complex_##P(cosine ? (y == 0 ? y : y / wadi_sqrt_##P((x - 1) * (x + 1)))   \
                                           : (F)(WADI_PI / 2),                                     \
                                    wadi_log1p_##P((x - 1) + wadi_sqrt_##P((x - 1) * (x + 1))));   \
        const F r = wadi_hypot_##P(x + 1, y), s = wadi_hypot_##P(x - 1, y), a = (r + s) * (F)0.5,  \
                b = x / a;                                                                         \
        const F far = y * y / (r + (x + 1)),                                                       \
                above = far + (x < 1 ? y * y / (s + (1 - x)) : s + (x - 1)); /* 2(a - 1) */        \
        const F im =                                                                               \
            a <= (F)1.5                                                                            \
                ? wadi_log1p_##P(above * (F)0.5 + wadi_sqrt_##P(above * ((a + 1) * (F)0.5)))       \
                : wadi_log_##P(a + wadi_sqrt_##P((a - 1) * (a + 1)));                              \
        if (b <= (F)0.6417)                                                                        \
            return wadi_complex_##P(cosine ? wadi_acos_##P(b) : wadi_asin_##P(b), im);             \
        const F root =                                                                             \
            x <= 1                                                                                 \
                ? wadi_sqrt_##P((F)0.5 * (a + x) * (far + (s + (1 - x))))                          \
                : y * wadi_sqrt_##P((F)0.5 * ((a + x) / (r + (x + 1)) + (a + x) / (s + (x - 1)))); \
        return wadi_complex_##P(cosine ? wadi_atan2_##P(root, x) : wadi_atan2_##P(x, root), im);   \
    }                                                                                              \
    WADI_LIBRARY T wadi_asinh_##N(T a) {                                                           \
        const bool infinite = wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im);                        \
        const F none = a.re + a.im;                                                                \
        if (none != none && !infinite) return wadi_complex_##P(none, a.im == 0 ? a.im : none);     \
        if (infinite)                                                                              \
            return wadi_complex_##P(                                                               \
                wadi_copysign_##P(wadi_infinity_##P(), a.re),                                      \
                wadi_copysign_##P(wadi_atan2_##P(wadi_abs_##P(a.im), wadi_abs_##P(a.re)), a.im));  \
        const T w = wadi_arc_##N(wadi_abs_##P(a.im), wadi_abs_##P(a.re), false);                   \
        return wadi_complex_##P(wadi_copysign_##P(w.im, a.re), wadi_copysign_##P(w.re, a.im));     \
    }                                                                                              \
    WADI_LIBRARY T wadi_asin_##N(T a) {                                                            \
        const T w = wadi_asinh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                      \
    }                                                                                              \
    WADI_LIBRARY T wadi_acos_##N(T a) {                                                            \
        const F inf = wadi_infinity_##P(), none = a.re + a.im;                                     \
        if (wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im))                                          \
            return wadi_complex_##P(wadi_atan2_##P(wadi_abs_##P(a.im), a.re),                      \
                                    -wadi_copysign_##P(inf, a.im));                                \
        if (none != none) return wadi_complex_##P(a.re == 0 ? (F)(WADI_PI / 2) : none, none);      \
        const T w = wadi_arc_##N(wadi_abs_##P(a.re), wadi_abs_##P(a.im), true);                    \
        return wadi_complex_##P(a.re < 0 ? (F)WADI_PI - w.re : w.re,                               \
                                -wadi_copysign_##P(w.im, a.im));                                   \
    }                                                                                              \
    WADI_LIBRARY T wadi_acosh_##N(T a) {                                                           \
        const T w = wadi_acos_##N(a);                                                              \
        return wadi_complex_##P(wadi_abs_##P(w.im), wadi_copysign_##P(w.re, a.im));                \
    }                                                                                              \
    WADI_LIBRARY T wadi_atanh_##N(T a) {                                                           \
        const F x = wadi_abs_##P(a.re), y = wadi_abs_##P(a.im), none = a.re + a.im;                \
        if (wadi_isinf_##P(a.re) || wadi_isinf_##P(a.im))                                          \
            return wadi_complex_##P(wadi_copysign_##P((F)0, a.re),                                 \
                                    a.im != a.im ? a.im                                            \
                                                 : wadi_copysign_##P((F)(WADI_PI / 2), a.im));     \
        if (none != none) return wadi_complex_##P(a.re == 0 ? a.re : none, none);                  \
        if (x > 1 / (F)SMALL || y > 1 / (F)SMALL) {                                                \
            const F most = x > y ? x : y, h = wadi_hypot_##P(x / most, y / most);                  \
            return wadi_complex_##P(wadi_copysign_##P(x / most / (h * h) / most, a.re),            \
                                    wadi_copysign_##P((F)(WADI_PI / 2), a.im));                    \
        }                                                                                          \
        const F re = x == 1 && y < (F)SMALL                                                        \
                         ? ((F)WADI_LN2 - wadi_log_##P(y)) * (F)0.5                                \
                         : wadi_log1p_##P(4 * x / ((x - 1) * (x - 1) + y * y)) * (F)0.25;          \
        return wadi_complex_##P(                                                                   \
            wadi_copysign_##P(re, a.re),                                                           \
            wadi_copysign_##P(wadi_atan2_##P(2 * y, (1 - x) * (1 + x) - y * y) * (F)0.5, a.im));   \
    }                                                                                              \
    WADI_LIBRARY T wadi_atan_##N(T a) {                                                            \
        const T w = wadi_atanh_##N(wadi_complex_##P(-a.im, a.re));                                 \
        return wadi_complex_##P(w.im, -w.re);                                                      \
    }
WADI_COMPLEX_INVERSES(c64, wadi_cfloat, f32, float, 5.9604644775390625e-8, 2305843009213693952.0)
WADI_COMPLEX_INVERSES(c128, wadi_cdouble, f64, double, 1.1102230246251565e-16, 1e150)

#endif
