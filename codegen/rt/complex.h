/* Complex numbers in kernels: the meaning of graph/ir/complex_eval.c over plain structs of two parts, so that the same text
 * serves where a language has no complex type. Compilers take the structs apart; a loop over them is one over their parts.
 * The elementary functions are in graph/elementary/complex.h. */
#ifndef WADI_RT_COMPLEX_H
#define WADI_RT_COMPLEX_H

#include "graph/elementary/builtin.h"

typedef struct wadi_cfloat {
    float re, im;
} wadi_cfloat;

typedef struct wadi_cdouble {
    double re, im;
} wadi_cdouble;

/* N names the type, P its part; the quotient is Smith's, without branches */
#define WADI_COMPLEX(N, T, P, F, S)                                                    \
    WADI_FN T wadi_complex_##P(F re, F im) {                                           \
        const T z = {re, im};                                                          \
        return z;                                                                      \
    }                                                                                  \
    WADI_FN F wadi_real_##N(T a) {                                                     \
        return a.re;                                                                   \
    }                                                                                  \
    WADI_FN F wadi_imag_##N(T a) {                                                     \
        return a.im;                                                                   \
    }                                                                                  \
    WADI_FN T wadi_select_##N(bool c, T a, T b) {                                      \
        return wadi_complex_##P(c ? a.re : b.re, c ? a.im : b.im);                     \
    }                                                                                  \
    WADI_FN T wadi_add_##N(T a, T b) {                                                 \
        return wadi_complex_##P(a.re + b.re, a.im + b.im);                             \
    }                                                                                  \
    WADI_FN T wadi_sub_##N(T a, T b) {                                                 \
        return wadi_complex_##P(a.re - b.re, a.im - b.im);                             \
    }                                                                                  \
    WADI_FN T wadi_mul_##N(T a, T b) {                                                 \
        return wadi_complex_##P(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); \
    }                                                                                  \
    WADI_FN T wadi_fdiv_##N(T a, T b) {                                                \
        const bool first = WADI_MATH(fabs, S)(b.re) >= WADI_MATH(fabs, S)(b.im);       \
        const F p = first ? b.re : b.im, q = first ? b.im : b.re;                      \
        const F x = first ? a.re : a.im, y = first ? a.im : a.re;                      \
        const F r = q / p, s = p + q * r;                                              \
        return wadi_complex_##P((x + y * r) / s, (first ? y - x * r : x * r - y) / s); \
    }                                                                                  \
    WADI_FN T wadi_neg_##N(T a) {                                                      \
        return wadi_complex_##P(-a.re, -a.im);                                         \
    }                                                                                  \
    WADI_FN T wadi_conj_##N(T a) {                                                     \
        return wadi_complex_##P(a.re, -a.im);                                          \
    }                                                                                  \
    WADI_FN F wadi_abs_##N(T a) {                                                      \
        return wadi_hypot_##P(a.re, a.im);                                             \
    }                                                                                  \
    WADI_FN F wadi_arg_##N(T a) {                                                      \
        return wadi_atan2_##P(a.im, a.re);                                             \
    }                                                                                  \
    WADI_FN bool wadi_eq_##N(T a, T b) {                                               \
        return (a.re == b.re) & (a.im == b.im);                                        \
    }                                                                                  \
    WADI_FN bool wadi_ne_##N(T a, T b) {                                               \
        return (a.re != b.re) | (a.im != b.im);                                        \
    }                                                                                  \
    WADI_FN bool wadi_nonzero_##N(T a) {                                               \
        return (a.re != 0) | (a.im != 0);                                              \
    }                                                                                  \
    WADI_FN bool wadi_isnan_##N(T a) {                                                 \
        return wadi_isnan_##P(a.re) | wadi_isnan_##P(a.im);                            \
    }                                                                                  \
    WADI_FN bool wadi_isinf_##N(T a) {                                                 \
        return wadi_isinf_##P(a.re) | wadi_isinf_##P(a.im);                            \
    }

WADI_COMPLEX(c64, wadi_cfloat, f32, float, f)
WADI_COMPLEX(c128, wadi_cdouble, f64, double, )

WADI_FN wadi_cdouble wadi_c128_of_c64(wadi_cfloat a) {
    return wadi_complex_f64((double)a.re, (double)a.im);
}
WADI_FN wadi_cfloat wadi_c64_of_c128(wadi_cdouble a) {
    return wadi_complex_f32((float)a.re, (float)a.im);
}

#endif
