/* The elementary functions in the interpreter: the text that kernels get, compiled here. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && __GNUC__ == 12 && \
    __GNUC_MINOR__ < 3
/* gcc bug 107647: on a processor with fma, multiplies and adds are fused even with -ffp-contract=off */
#pragma GCC target("no-fma,no-fma4,no-avx512f")
#endif
#include "graph/elementary/compute.h"

#include <stdint.h>

#include "graph/elementary/builtin.h"

/* The text is for compilers of kernels, without these warnings. */
#pragma GCC diagnostic ignored "-Wconversion"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

#define WADI_FN static inline __attribute__((unused))
#define WADI_LIBRARY static __attribute__((unused))
#define WADI_TABLE static const
#define WADI_LANES(N, T, f)
#define WADI_FAR_f64 0x1p26
#define WADI_FAR_f32 0x1p17f
#define WADI_UNLESS_FAR(N, f, x, y) \
    ((x) < WADI_FAR_##N && (x) > -WADI_FAR_##N ? (y) : f(x)) /* codegen/rt/lanes.h */

/* ---- what the text needs: codegen/rt/scalar.h and complex.h have the same for kernels ---- */

#define NUMBERS(N, T, S, U)                               \
    WADI_REREAD(wadi_bits_of_##N, U, T, )                 \
    WADI_REREAD(wadi_of_bits_##N, T, U, )                 \
    WADI_FN T wadi_abs_##N(T a) {                         \
        return WADI_MATH(fabs, S)(a);                     \
    }                                                     \
    WADI_FN T wadi_sqrt_##N(T a) {                        \
        return WADI_MATH(sqrt, S)(a);                     \
    }                                                     \
    WADI_FN T wadi_copysign_##N(T a, T b) {               \
        return WADI_MATH(copysign, S)(a, b != b ? 0 : b); \
    }                                                     \
    WADI_FN bool wadi_isinf_##N(T a) {                    \
        return WADI_MATH(fabs, S)(a) == WADI_INF(N, S);   \
    }
NUMBERS(f32, float, f, uint32_t)
NUMBERS(f64, double, , uint64_t)

#include "graph/elementary/elementary.h"

#define COMPLEX(N, T, P, F)                                                            \
    typedef struct T {                                                                 \
        F re, im;                                                                      \
    } T;                                                                               \
    WADI_FN T wadi_complex_##P(F re, F im) {                                           \
        return (T){re, im};                                                            \
    }                                                                                  \
    WADI_FN T wadi_mul_##N(T a, T b) {                                                 \
        return wadi_complex_##P(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); \
    }
COMPLEX(c64, wadi_cfloat, f32, float)
COMPLEX(c128, wadi_cdouble, f64, double)

#include "graph/elementary/complex.h"

/* ---- by operation ---- */

#define ONE(NAME, name, N)           \
    case WADI_SOP_##NAME:            \
        *out = wadi_##name##_##N(a); \
        return true;
#define TWO(NAME, name, N)              \
    case WADI_SOP_##NAME:               \
        *out = wadi_##name##_##N(a, b); \
        return true;
#define OF_REALS(N, T)                                        \
    bool wadi_elementary_##N(wadi_sop op, T a, T b, T *out) { \
        switch (op) {                                         \
            ONE(CBRT, cbrt, N)                                \
            ONE(EXP, exp, N)                                  \
            ONE(EXP2, exp2, N)                                \
            ONE(EXPM1, expm1, N)                              \
            ONE(LOG, log, N)                                  \
            ONE(LOG2, log2, N)                                \
            ONE(LOG10, log10, N)                              \
            ONE(LOG1P, log1p, N)                              \
            ONE(SIN, sin, N)                                  \
            ONE(COS, cos, N)                                  \
            ONE(TAN, tan, N)                                  \
            ONE(ASIN, asin, N)                                \
            ONE(ACOS, acos, N)                                \
            ONE(ATAN, atan, N)                                \
            ONE(SINH, sinh, N)                                \
            ONE(COSH, cosh, N)                                \
            ONE(TANH, tanh, N)                                \
            ONE(ASINH, asinh, N)                              \
            ONE(ACOSH, acosh, N)                              \
            ONE(ATANH, atanh, N)                              \
            ONE(ERF, erf, N)                                  \
            ONE(ERFC, erfc, N)                                \
            ONE(LGAMMA, lgamma, N)                            \
            ONE(TGAMMA, tgamma, N)                            \
            TWO(ATAN2, atan2, N)                              \
            TWO(POW, pow, N)                                  \
            TWO(HYPOT, hypot, N)                              \
        default:                                              \
            return false;                                     \
        }                                                     \
    }
OF_REALS(f32, float)
OF_REALS(f64, double)

#define OF_COMPLEX(N, T, P, F)                                                            \
    static bool parts_##N(wadi_sop op, T a, T b, T *out) {                                \
        switch (op) {                                                                     \
            ONE(SQRT, sqrt, N)                                                            \
            ONE(EXP, exp, N)                                                              \
            ONE(LOG, log, N)                                                              \
            ONE(SIN, sin, N)                                                              \
            ONE(COS, cos, N)                                                              \
            ONE(TAN, tan, N)                                                              \
            ONE(ASIN, asin, N)                                                            \
            ONE(ACOS, acos, N)                                                            \
            ONE(ATAN, atan, N)                                                            \
            ONE(SINH, sinh, N)                                                            \
            ONE(COSH, cosh, N)                                                            \
            ONE(TANH, tanh, N)                                                            \
            ONE(ASINH, asinh, N)                                                          \
            ONE(ACOSH, acosh, N)                                                          \
            ONE(ATANH, atanh, N)                                                          \
            TWO(POW, pow, N)                                                              \
        case WADI_SOP_ABS:                                                                \
            *out = wadi_complex_##P(wadi_hypot_##P(a.re, a.im), 0);                       \
            return true;                                                                  \
        case WADI_SOP_ARG:                                                                \
            *out = wadi_complex_##P(wadi_atan2_##P(a.im, a.re), 0);                       \
            return true;                                                                  \
        default:                                                                          \
            return false;                                                                 \
        }                                                                                 \
    }                                                                                     \
    bool wadi_elementary_##N(wadi_sop op, wadi_elementary_pair a, wadi_elementary_pair b, \
                             wadi_elementary_pair *out) {                                 \
        T z = {0, 0};                                                                     \
        const T x = {(F)a.re, (F)a.im}, y = {(F)b.re, (F)b.im};                           \
        const bool known = parts_##N(op, x, y, &z);                                       \
        *out = (wadi_elementary_pair){(double)z.re, (double)z.im};                        \
        return known;                                                                     \
    }
OF_COMPLEX(c64, wadi_cfloat, f32, float)
OF_COMPLEX(c128, wadi_cdouble, f64, double)
