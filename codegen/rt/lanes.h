/* Functions that take long and are seldom needed, in loops that compilers make vectors of.
 *
 * WADI_LANES(N, T, f) follows such a function f of one number of type N, a T. WADI_UNLESS_FAR(N, f, x, y) is y, or f(x) of an x that is not below
 * WADI_FAR_N. A branch would keep compilers from making vectors. In loops, GCC calls functions of vectors that are named as its vector function
 * ABI says (attribute simd). So f gets variants for all lengths of vectors, which look for such an x in all lanes at once. For other
 * compilers there is the branch. */
#ifndef WADI_RT_LANES_H
#define WADI_RT_LANES_H

#define WADI_FAR_f64 0x1p26
#define WADI_FAR_f32 0x1p17f

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)

#define WADI_VECTOR(N, T, I, n)                                           \
    typedef T wadi_##N##x##n __attribute__((vector_size(n * sizeof(T)))); \
    typedef I wadi_bits_##N##x##n __attribute__((vector_size(n * sizeof(T))));
WADI_VECTOR(f64, double, long long, 2)
WADI_VECTOR(f64, double, long long, 4)
WADI_VECTOR(f64, double, long long, 8)
WADI_VECTOR(f32, float, int, 4)
WADI_VECTOR(f32, float, int, 8)
WADI_VECTOR(f32, float, int, 16)

/* |x| < WADI_FAR by lanes, and whether that is false in any */
#define WADI_ABS_LANES(V, x, mask) ((wadi_##V)((wadi_bits_##V)(x) & (mask)))
#define WADI_BELOW_f64(V, x) (WADI_ABS_LANES(V, x, 0x7fffffffffffffff) < WADI_FAR_f64)
#define WADI_BELOW_f32(V, x) (WADI_ABS_LANES(V, x, 0x7fffffff) < WADI_FAR_f32)
#define WADI_ANY_FAR_f64_b(x) (__builtin_ia32_movmskpd((wadi_f64x2)WADI_BELOW_f64(f64x2, x)) != 3)
#define WADI_ANY_FAR_f32_b(x) (__builtin_ia32_movmskps((wadi_f32x4)WADI_BELOW_f32(f32x4, x)) != 15)
#define WADI_ANY_FAR_f64_d(x) \
    (__builtin_ia32_movmskpd256((wadi_f64x4)WADI_BELOW_f64(f64x4, x)) != 15)
#define WADI_ANY_FAR_f32_d(x) \
    (__builtin_ia32_movmskps256((wadi_f32x8)WADI_BELOW_f32(f32x8, x)) != 255)
enum { WADI_NOT_LESS = 5 };
/* Twice the bits have no sign; of numbers without one, their order is that of the numbers. */
#define WADI_ANY_FAR_f64_e(x)                                                           \
    (__builtin_ia32_ucmpq512_mask((wadi_bits_f64x8)(x) + (wadi_bits_f64x8)(x),          \
                                  (wadi_bits_f64x8)((wadi_f64x8){} + WADI_FAR_f64) * 2, \
                                  WADI_NOT_LESS, -1) != 0)
#define WADI_ANY_FAR_f32_e(x)                                                             \
    (__builtin_ia32_ucmpd512_mask((wadi_bits_f32x16)(x) + (wadi_bits_f32x16)(x),          \
                                  (wadi_bits_f32x16)((wadi_f32x16){} + WADI_FAR_f32) * 2, \
                                  WADI_NOT_LESS, -1) != 0)

/* The variant of the instruction set that the ABI calls L, of vectors V of n numbers. What takes memory is a function of its own, so that without far numbers nothing
 * leaves the registers. */
#define WADI_VARIANT(N, T, f, L, test, V, n)                                                \
    static __attribute__((noinline, cold, unused))                                          \
    wadi_##V f##_##L##_far(wadi_##V x, wadi_##V y) {                                        \
        T a[n], b[n];                                                                       \
        __builtin_memcpy(a, &x, sizeof a);                                                  \
        __builtin_memcpy(b, &y, sizeof b);                                                  \
        f##_each(a, b, n);                                                                  \
        __builtin_memcpy(&y, b, sizeof y);                                                  \
        return y;                                                                           \
    }                                                                                       \
    static wadi_##V f##_##L(wadi_##V, wadi_##V) __asm__("_ZGV" #L#n "vv_" #f "_lanes");     \
    static __attribute__((used)) wadi_##V f##_##L(wadi_##V y, wadi_##V x) {                 \
        return __builtin_expect(WADI_ANY_FAR_##N##_##test(x), 0) ? f##_##L##_far(x, y) : y; \
    }

#define WADI_VARIANTS_b_f64(f) WADI_VARIANT(f64, double, f, bN, b, f64x2, 2)
#define WADI_VARIANTS_b_f32(f) WADI_VARIANT(f32, float, f, bN, b, f32x4, 4)
#if defined(__AVX__)
#define WADI_VARIANTS_c_f64(f) WADI_VARIANT(f64, double, f, cN, d, f64x4, 4)
#define WADI_VARIANTS_c_f32(f) WADI_VARIANT(f32, float, f, cN, d, f32x8, 8)
#else
#define WADI_VARIANTS_c_f64(f)
#define WADI_VARIANTS_c_f32(f)
#endif
#if defined(__AVX2__)
#define WADI_VARIANTS_d_f64(f) WADI_VARIANT(f64, double, f, dN, d, f64x4, 4)
#define WADI_VARIANTS_d_f32(f) WADI_VARIANT(f32, float, f, dN, d, f32x8, 8)
#else
#define WADI_VARIANTS_d_f64(f)
#define WADI_VARIANTS_d_f32(f)
#endif
#if defined(__AVX512F__)
#define WADI_VARIANTS_e_f64(f) WADI_VARIANT(f64, double, f, eN, e, f64x8, 8)
#define WADI_VARIANTS_e_f32(f) WADI_VARIANT(f32, float, f, eN, e, f32x16, 16)
#else
#define WADI_VARIANTS_e_f64(f)
#define WADI_VARIANTS_e_f32(f)
#endif

/* The result of a near number stays where results are. What loops call has the name of the function for one number, so that its variants are found. */
#define WADI_LANES(N, T, f)                                                                 \
    T f##_lanes(T, T) __asm__(#f "_lanes") __attribute__((simd("notinbranch"), const));     \
    static T f##_one(T, T) __asm__(#f "_lanes");                                            \
    static __attribute__((used)) T f##_one(T y, T x) {                                      \
        return (x < 0 ? -x : x) < WADI_FAR_##N ? y : f(x);                                  \
    }                                                                                       \
    static __attribute__((noinline, cold, unused)) void f##_each(const T *x, T *y, int n) { \
        for (int k = 0; k < n; k++) y[k] = f##_one(y[k], x[k]);                             \
    }                                                                                       \
    WADI_VARIANTS_b_##N(f) WADI_VARIANTS_c_##N(f) WADI_VARIANTS_d_##N(f) WADI_VARIANTS_e_##N(f)
#define WADI_UNLESS_FAR(N, f, x, y) f##_lanes((y), (x))

#else

#define WADI_LANES(N, T, f)
#define WADI_UNLESS_FAR(N, f, x, y) ((x) < WADI_FAR_##N && (x) > -WADI_FAR_##N ? (y) : f(x))

#endif

#endif
