/* Scalar operations in kernels: the meaning of graph/ir/scalar.def as C, without branches where the machine allows it.
 * Kernels are compiled with wrapping integers and without contraction. Divisions are total (by zero they give zero): the kernel has
 * checked before, or does not use the result.
 *
 * The elementary functions are in graph/elementary.
 *
 * A kernel gets the functions it needs, not this file (codegen/emit/c_like/pick.c): each begins with WADI_FN, or, if it is long, with
 * WADI_LIBRARY, and each array of constants with WADI_TABLE. These words are defined in codegen/rt/work.h or by a dialect, and stand nowhere
 * else. */
#ifndef WADI_RT_SCALAR_H
#define WADI_RT_SCALAR_H

#include "graph/elementary/builtin.h"

/* ---- integers ---- */

#define WADI_INT_COMMON(N, T)          \
    WADI_FN T wadi_min_##N(T a, T b) { \
        return a < b ? a : b;          \
    }                                  \
    WADI_FN T wadi_max_##N(T a, T b) { \
        return a > b ? a : b;          \
    }                                  \
    WADI_FN T wadi_signum_##N(T a) {   \
        return (T)((a > 0) - (a < 0)); \
    }

#define WADI_INT_SIGNED(N, T, U, W)                               \
    WADI_INT_COMMON(N, T)                                         \
    WADI_FN T wadi_abs_##N(T a) {                                 \
        return (T)(a < 0 ? (T)(0 - (U)a) : a);                    \
    }                                                             \
    WADI_FN T wadi_quot_##N(T a, T b) {                           \
        return b == 0 ? 0 : b == -1 ? (T)(0 - (U)a) : (T)(a / b); \
    }                                                             \
    WADI_FN T wadi_rem_##N(T a, T b) {                            \
        return b == 0 || b == -1 ? 0 : (T)(a % b);                \
    }                                                             \
    WADI_FN T wadi_div_##N(T a, T b) {                            \
        const T q = wadi_quot_##N(a, b), r = wadi_rem_##N(a, b);  \
        return (T)(q - (r != 0 && (r < 0) != (b < 0)));           \
    }                                                             \
    WADI_FN T wadi_mod_##N(T a, T b) {                            \
        const T r = wadi_rem_##N(a, b);                           \
        return (T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);     \
    }                                                             \
    WADI_FN T wadi_shl_##N(T a, int32_t d) {                      \
        return (uint32_t)d < W ? (T)((U)a << d) : 0;              \
    }                                                             \
    WADI_FN T wadi_shr_##N(T a, int32_t d) {                      \
        return (T)(a >> ((uint32_t)d < W ? d : W - 1));           \
    }                                                             \
    WADI_INT_BITS(N, T, U, W)

#define WADI_INT_UNSIGNED(N, T, W)                \
    WADI_INT_COMMON(N, T)                         \
    WADI_FN T wadi_abs_##N(T a) {                 \
        return a;                                 \
    }                                             \
    WADI_FN T wadi_quot_##N(T a, T b) {           \
        return b == 0 ? 0 : (T)(a / b);           \
    }                                             \
    WADI_FN T wadi_rem_##N(T a, T b) {            \
        return b == 0 ? 0 : (T)(a % b);           \
    }                                             \
    WADI_FN T wadi_div_##N(T a, T b) {            \
        return wadi_quot_##N(a, b);               \
    }                                             \
    WADI_FN T wadi_mod_##N(T a, T b) {            \
        return wadi_rem_##N(a, b);                \
    }                                             \
    WADI_FN T wadi_shl_##N(T a, int32_t d) {      \
        return (uint32_t)d < W ? (T)(a << d) : 0; \
    }                                             \
    WADI_FN T wadi_shr_##N(T a, int32_t d) {      \
        return (uint32_t)d < W ? (T)(a >> d) : 0; \
    }                                             \
    WADI_INT_BITS(N, T, T, W)

/* The double shift keeps a rotation by 0 inside the width. */
#define WADI_INT_BITS(N, T, U, W)                                           \
    WADI_FN T wadi_rotl_##N(T a, int32_t d) {                               \
        const uint32_t k = (uint32_t)d & (W - 1);                           \
        return (T)(U)((U)((U)a << k) | (U)((U)((U)a >> 1) >> (W - 1 - k))); \
    }                                                                       \
    WADI_FN T wadi_rotr_##N(T a, int32_t d) {                               \
        return wadi_rotl_##N(a, (int32_t)(0u - (uint32_t)d));               \
    }                                                                       \
    WADI_FN int32_t wadi_popcount_##N(T a) {                                \
        return WADI_POPCOUNTLL((uint64_t)(U)a);                             \
    }                                                                       \
    WADI_FN int32_t wadi_clz_##N(T a) {                                     \
        return (U)a == 0 ? W : WADI_CLZLL((uint64_t)(U)a) - (64 - W);       \
    }                                                                       \
    WADI_FN int32_t wadi_ctz_##N(T a) {                                     \
        return (U)a == 0 ? W : WADI_CTZLL((uint64_t)(U)a);                  \
    }

WADI_INT_SIGNED(i8, int8_t, uint8_t, 8)
WADI_INT_SIGNED(i16, int16_t, uint16_t, 16)
WADI_INT_SIGNED(i32, int32_t, uint32_t, 32)
WADI_INT_SIGNED(i64, int64_t, uint64_t, 64)
WADI_INT_UNSIGNED(u8, uint8_t, 8)
WADI_INT_UNSIGNED(u16, uint16_t, 16)
WADI_INT_UNSIGNED(u32, uint32_t, 32)
WADI_INT_UNSIGNED(u64, uint64_t, 64)

/* C kernels are compiled with wrapping integers; device C has no such option. uint16_t is here because its products are computed
 * as int, where they can overflow. */
#if defined(WADI_RT_DEVICE)
#define WADI_INT_WRAPS(N, T, U)        \
    WADI_FN T wadi_add_##N(T a, T b) { \
        return (T)((U)a + (U)b);       \
    }                                  \
    WADI_FN T wadi_sub_##N(T a, T b) { \
        return (T)((U)a - (U)b);       \
    }                                  \
    WADI_FN T wadi_mul_##N(T a, T b) { \
        return (T)((U)a * (U)b);       \
    }                                  \
    WADI_FN T wadi_neg_##N(T a) {      \
        return (T)(0 - (U)a);          \
    }
WADI_INT_WRAPS(i32, int32_t, uint32_t)
WADI_INT_WRAPS(i64, int64_t, uint64_t)
WADI_INT_WRAPS(u16, uint16_t, uint32_t)
#endif

/* ---- floats ---- */

/* a number wins over NaN; -0 is less than +0. Written without branches, as selections that are one instruction each: `x < y ? x : y`
 * is minsd, which gives y for zeros and NaN. Taken both ways round and or-ed, the two give the lesser number with the sign of
 * either zero; NaN is put aside first, and what waits for `a`, which is the accumulator in a loop, is kept short. The `_limit`
 * forms are for a constant second argument that is no NaN, and for the minimum not +0, for the maximum not -0: there the plain
 * comparison is right. */
#define WADI_FLOAT(N, T, S, U)                                                       \
    WADI_REREAD(wadi_bits_of_##N, U, T, WADI_BITS_OF_##N)                            \
    WADI_REREAD(wadi_of_bits_##N, T, U, WADI_OF_BITS_##N)                            \
    WADI_FN T wadi_min_##N(T a, T b) {                                               \
        const T y = b != b ? a : b, x = a < y ? a : y, z = y < a ? y : a;            \
        const T least = wadi_of_bits_##N(wadi_bits_of_##N(x) | wadi_bits_of_##N(z)); \
        return a != a ? y : least;                                                   \
    }                                                                                \
    WADI_FN T wadi_max_##N(T a, T b) {                                               \
        const T y = b != b ? a : b, x = a > y ? a : y, z = y > a ? y : a;            \
        const T most = wadi_of_bits_##N(wadi_bits_of_##N(x) & wadi_bits_of_##N(z));  \
        return a != a ? y : most;                                                    \
    }                                                                                \
    WADI_FN T wadi_min_limit_##N(T a, T limit) {                                     \
        return a < limit ? a : limit;                                                \
    }                                                                                \
    WADI_FN T wadi_max_limit_##N(T a, T limit) {                                     \
        return a > limit ? a : limit;                                                \
    }                                                                                \
    WADI_FN T wadi_signum_##N(T a) {                                                 \
        return a > 0 ? (T)1 : a < 0 ? (T)-1 : a;                                     \
    }                                                                                \
    WADI_FN T wadi_abs_##N(T a) {                                                    \
        return WADI_MATH(fabs, S)(a);                                                \
    }                                                                                \
    WADI_FN T wadi_sqrt_##N(T a) {                                                   \
        return WADI_MATH(sqrt, S)(a);                                                \
    }                                                                                \
    WADI_FN T wadi_floor_##N(T a) {                                                  \
        return WADI_MATH(floor, S)(a);                                               \
    }                                                                                \
    WADI_FN T wadi_ceil_##N(T a) {                                                   \
        return WADI_MATH(ceil, S)(a);                                                \
    }                                                                                \
    WADI_FN T wadi_round_##N(T a) {                                                  \
        return WADI_MATH(round, S)(a);                                               \
    }                                                                                \
    WADI_FN T wadi_trunc_##N(T a) {                                                  \
        return WADI_MATH(trunc, S)(a);                                               \
    }                                                                                \
    WADI_FN T wadi_fma_##N(T a, T b, T c) {                                          \
        return WADI_MATH(fma, S)(a, b, c);                                           \
    }                                                                                \
    WADI_FN T wadi_copysign_##N(T a, T b) {                                          \
        return WADI_MATH(copysign, S)(a, b != b ? 0 : b);                            \
    }                                                                                \
    WADI_FN bool wadi_isnan_##N(T a) {                                               \
        return a != a;                                                               \
    }                                                                                \
    WADI_FN bool wadi_isinf_##N(T a) {                                               \
        return WADI_MATH(fabs, S)(a) == WADI_INF(N, S);                              \
    }

WADI_FLOAT(f32, float, f, uint32_t)
WADI_FLOAT(f64, double, , uint64_t)

/* ---- conversions ---- */

/* Saturates; NaN gives 0. LIMIT is the first value that is too large, a power of two. One selection behind the other: where it is known that x lies between bounds, GCC 12 makes of
 * conditions that are joined a choice between bools, and then no SIMD code of the loop. */
#define WADI_TO_SIGNED(N, T, F, FT, LIMIT, MAX)                    \
    WADI_FN T wadi_##N##_of_##F(FT x) {                            \
        const FT number = x == x ? x : (FT)0;                      \
        const FT most = number > -(FT)LIMIT ? number : -(FT)LIMIT; \
        const T inside = (T)(most < (FT)LIMIT ? most : (FT)0);     \
        return most < (FT)LIMIT ? inside : MAX;                    \
    }
/* Most processors have no instruction that makes vectors of i64, and single ones like conditions better that are joined. */
#define WADI_TO_LONG(N, T, F, FT, LIMIT, MIN, MAX)                              \
    WADI_FN T wadi_##N##_of_##F(FT x) {                                         \
        const T inside = (T)(x >= (FT)LIMIT || !(x >= -(FT)LIMIT) ? (FT)0 : x); \
        return x >= (FT)LIMIT ? MAX : x < -(FT)LIMIT ? MIN : inside;            \
    }
#define WADI_TO_UNSIGNED(N, T, F, FT, LIMIT, MAX)              \
    WADI_FN T wadi_##N##_of_##F(FT x) {                        \
        const FT most = x > (FT)0 ? x : (FT)0;                 \
        const T inside = (T)(most < (FT)LIMIT ? most : (FT)0); \
        return most < (FT)LIMIT ? inside : MAX;                \
    }
#define WADI_TO_INTS(F, FT)                                                        \
    WADI_TO_SIGNED(i8, int8_t, F, FT, 128, INT8_MAX)                               \
    WADI_TO_SIGNED(i16, int16_t, F, FT, 32768, INT16_MAX)                          \
    WADI_TO_SIGNED(i32, int32_t, F, FT, 2147483648.0, INT32_MAX)                   \
    WADI_TO_LONG(i64, int64_t, F, FT, 9223372036854775808.0, INT64_MIN, INT64_MAX) \
    WADI_TO_UNSIGNED(u8, uint8_t, F, FT, 256, UINT8_MAX)                           \
    WADI_TO_UNSIGNED(u16, uint16_t, F, FT, 65536, UINT16_MAX)                      \
    WADI_TO_UNSIGNED(u32, uint32_t, F, FT, 4294967296.0, UINT32_MAX)               \
    WADI_TO_UNSIGNED(u64, uint64_t, F, FT, 18446744073709551616.0, UINT64_MAX)

WADI_TO_INTS(f32, float)
WADI_TO_INTS(f64, double)

#define WADI_BITS(N, T, F, FT)                                \
    WADI_REREAD(wadi_##N##_bits_##F, T, FT, WADI_BITS_OF_##F) \
    WADI_REREAD(wadi_##F##_bits_##N, FT, T, WADI_OF_BITS_##F)

WADI_BITS(i32, int32_t, f32, float)
WADI_BITS(u32, uint32_t, f32, float)
WADI_BITS(i64, int64_t, f64, double)
WADI_BITS(u64, uint64_t, f64, double)

#endif
