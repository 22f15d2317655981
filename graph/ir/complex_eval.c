/* What operations on complex numbers mean.
 *
 * Products are (ac - bd) + (ad + bc)i and quotients are Smith's. Annex G of C also asks to rescue infinities; this is left out,
 * because it costs a branch per product, and libraries and devices do not agree on it. So C's complex arithmetic is not used.
 * Elementary functions are those of graph/elementary/complex.h. A part that is NaN
 * always has the bits of the one quiet NaN. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && __GNUC__ == 12 && \
    __GNUC_MINOR__ < 3
/* gcc bug 107647: on a processor with fma, multiplies and adds are fused even with -ffp-contract=off */
#pragma GCC target("no-fma,no-fma4,no-avx512f")
#endif
#include "graph/ir/complex_eval.h"

#include <math.h>
#include <string.h>

#include "graph/elementary/compute.h"

/* Robert L. Smith, Algorithm 116: Complex Division, CACM 5 (1962): the divisor is scaled by its larger part, so that
 * |c|^2 + |d|^2 can not overflow. With p the larger part and q the other, and x, y the parts of the dividend in the same
 * order: r = q / p, s = p + q r, result (x + y r) / s and +-(y - x r) / s. */
#define DEFINE_COMPLEX(N, T, S, U, QUIET)                                                         \
    typedef struct N {                                                                            \
        T re, im;                                                                                 \
    } N;                                                                                          \
    static N N##_from(wadi_scalar v) {                                                            \
        const U re = (U)v.bits, im = (U)v.im;                                                     \
        N z;                                                                                      \
        memcpy(&z.re, &re, sizeof re);                                                            \
        memcpy(&z.im, &im, sizeof im);                                                            \
        return z;                                                                                 \
    }                                                                                             \
    static uint64_t N##_part(T x) {                                                               \
        U bits;                                                                                   \
        memcpy(&bits, &x, sizeof bits);                                                           \
        return isnan(x) ? QUIET : bits;                                                           \
    }                                                                                             \
    static N N##_mul(N a, N b) {                                                                  \
        return (N){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                         \
    }                                                                                             \
    static N N##_div(N a, N b) {                                                                  \
        const bool first = fabs##S(b.re) >= fabs##S(b.im);                                        \
        const T p = first ? b.re : b.im, q = first ? b.im : b.re;                                 \
        const T x = first ? a.re : a.im, y = first ? a.im : a.re;                                 \
        const T r = q / p, s = p + q * r;                                                         \
        return (N){(x + y * r) / s, (first ? y - x * r : x * r - y) / s};                         \
    }                                                                                             \
    static bool N##_compare(wadi_sop op, N a, N b, bool *out) {                                   \
        switch (op) {                                                                             \
        case WADI_SOP_EQ:                                                                         \
            *out = a.re == b.re && a.im == b.im;                                                  \
            return true;                                                                          \
        case WADI_SOP_NE:                                                                         \
            *out = a.re != b.re || a.im != b.im;                                                  \
            return true;                                                                          \
        case WADI_SOP_ISNAN:                                                                      \
            *out = isnan(a.re) || isnan(a.im);                                                    \
            return true;                                                                          \
        case WADI_SOP_ISINF:                                                                      \
            *out = isinf(a.re) || isinf(a.im);                                                    \
            return true;                                                                          \
        default:                                                                                  \
            return false;                                                                         \
        }                                                                                         \
    }                                                                                             \
    static bool N##_function(wadi_sop op, N a, N b, N *out) {                                     \
        const wadi_elementary_pair x = {(double)a.re, (double)a.im},                              \
                                   y = {(double)b.re, (double)b.im};                              \
        wadi_elementary_pair z;                                                                   \
        const bool known = wadi_elementary_##N(op, x, y, &z);                                     \
        *out = (N){(T)z.re, (T)z.im};                                                             \
        return known;                                                                             \
    }                                                                                             \
    static bool N##_compute(wadi_sop op, N a, N b, N *out) {                                      \
        switch (op) {                                                                             \
        case WADI_SOP_ADD:                                                                        \
            *out = (N){a.re + b.re, a.im + b.im};                                                 \
            return true;                                                                          \
        case WADI_SOP_SUB:                                                                        \
            *out = (N){a.re - b.re, a.im - b.im};                                                 \
            return true;                                                                          \
        case WADI_SOP_MUL:                                                                        \
            *out = N##_mul(a, b);                                                                 \
            return true;                                                                          \
        case WADI_SOP_FDIV:                                                                       \
            *out = N##_div(a, b);                                                                 \
            return true;                                                                          \
        case WADI_SOP_NEG:                                                                        \
            *out = (N){-a.re, -a.im};                                                             \
            return true;                                                                          \
        case WADI_SOP_CONJ:                                                                       \
            *out = (N){a.re, -a.im};                                                              \
            return true;                                                                          \
        case WADI_SOP_REAL:                                                                       \
            *out = (N){a.re, 0};                                                                  \
            return true;                                                                          \
        case WADI_SOP_IMAG:                                                                       \
            *out = (N){a.im, 0};                                                                  \
            return true;                                                                          \
        default:                                                                                  \
            return N##_function(op, a, b, out);                                                   \
        }                                                                                         \
    }                                                                                             \
    static bool N##_eval(wadi_sop op, wadi_type result, const wadi_scalar *x, wadi_scalar *out) { \
        const N a = N##_from(x[0]), b = wadi_sop_get(op)->arity > 1 ? N##_from(x[1]) : a;         \
        N z = {0, 0};                                                                             \
        bool truth = false;                                                                       \
        bool known;                                                                               \
        if (result == WADI_BOOL) {                                                                \
            known = N##_compare(op, a, b, &truth);                                                \
            out->bits = truth;                                                                    \
            return known;                                                                         \
        }                                                                                         \
        known = N##_compute(op, a, b, &z);                                                        \
        out->bits = N##_part(z.re);                                                               \
        out->im = wadi_type_is_complex(result) ? N##_part(z.im) : 0;                              \
        return known;                                                                             \
    }

DEFINE_COMPLEX(c64, float, f, uint32_t, UINT32_C(0x7fc00000))
DEFINE_COMPLEX(c128, double, , uint64_t, UINT64_C(0x7ff8000000000000))

bool wadi_complex_eval(wadi_sop op, wadi_type result, const wadi_scalar *args, wadi_scalar *out) {
    return args[0].type == WADI_C64 ? c64_eval(op, result, args, out)
                                    : c128_eval(op, result, args, out);
}
