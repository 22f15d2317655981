/* CUDA C for the host's C++ compiler: what stands in front of a text that the double of NVRTC compiles. Blocks run one after the
 * other, lanes of a block in turns (lanes.c): what CUDA has as built-in variables is set anew for each turn. */
typedef __SIZE_TYPE__ size_t; /* NVRTC has it without a header */

struct wadi_double_dim {
    unsigned x, y, z;
};

#pragma GCC visibility push(default)
extern "C" {
wadi_double_dim threadIdx, blockIdx, gridDim, blockDim;
void (*wadi_double_barrier)(int line);

/* Where the linker puts all that is shared. */
extern char __start_wadi_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_wadi_shared[] __attribute__((weak, visibility("hidden")));
void wadi_double_shared(char **begin, char **end) {
    *begin = __start_wadi_shared;
    *end = __stop_wadi_shared;
}
}
#pragma GCC visibility pop

#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
#define __device__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __global__ __attribute__((visibility("default")))
/* Its bytes are garbage when a block begins, so it stands in a section of its own. */
#define __shared__ static __attribute__((section("wadi_shared")))
#define __syncthreads() wadi_double_barrier(__LINE__)
#define __threadfence()
#define __threadfence_block()

template <typename T> static inline T atomicCAS(T *p, T old, T desired) {
    const T seen = *(volatile T *)p;
    if (seen == old) *(volatile T *)p = desired;
    return seen;
}
template <typename T> static inline T atomicAdd(T *p, T v) {
    const T seen = *(volatile T *)p;
    *(volatile T *)p = seen + v;
    return seen;
}

template <typename To, typename From> static inline To wadi_double_bits(From x) {
    To y;
    static_assert(sizeof x == sizeof y, "one size");
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}
static inline unsigned __float_as_uint(float x) {
    return wadi_double_bits<unsigned>(x);
}
static inline int __float_as_int(float x) {
    return wadi_double_bits<int>(x);
}
static inline float __uint_as_float(unsigned x) {
    return wadi_double_bits<float>(x);
}
static inline float __int_as_float(int x) {
    return wadi_double_bits<float>(x);
}
static inline long long __double_as_longlong(double x) {
    return wadi_double_bits<long long>(x);
}
static inline double __longlong_as_double(long long x) {
    return wadi_double_bits<double>(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
static inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}

/* The functions of floats under one name for both widths, as in CUDA C. */
#define WADI_DOUBLE_EXACT(name, parameters, F_parameters, arguments) \
    static inline double name parameters {                           \
        return __builtin_##name arguments;                           \
    }                                                                \
    static inline float name F_parameters {                          \
        return __builtin_##name##f arguments;                        \
    }
WADI_DOUBLE_EXACT(fabs, (double x), (float x), (x))
WADI_DOUBLE_EXACT(sqrt, (double x), (float x), (x))
WADI_DOUBLE_EXACT(floor, (double x), (float x), (x))
WADI_DOUBLE_EXACT(ceil, (double x), (float x), (x))
WADI_DOUBLE_EXACT(round, (double x), (float x), (x))
WADI_DOUBLE_EXACT(trunc, (double x), (float x), (x))
WADI_DOUBLE_EXACT(fma, (double x, double y, double z), (float x, float y, float z), (x, y, z))
WADI_DOUBLE_EXACT(copysign, (double x, double y), (float x, float y), (x, y))

/* Called under names that the compiler does not know, so that it does not compute one with other rounding than the library's. */
#define WADI_DOUBLE_LIBRARY1(name)                                            \
    extern "C" double wadi_double_##name(double) __asm__(#name);              \
    extern "C" float wadi_double_##name##_of_float(float) __asm__(#name "f"); \
    static inline double name(double x) {                                     \
        return wadi_double_##name(x);                                         \
    }                                                                         \
    static inline float name(float x) {                                       \
        return wadi_double_##name##_of_float(x);                              \
    }
#define WADI_DOUBLE_LIBRARY2(name)                                                   \
    extern "C" double wadi_double_##name(double, double) __asm__(#name);             \
    extern "C" float wadi_double_##name##_of_float(float, float) __asm__(#name "f"); \
    static inline double name(double x, double y) {                                  \
        return wadi_double_##name(x, y);                                             \
    }                                                                                \
    static inline float name(float x, float y) {                                     \
        return wadi_double_##name##_of_float(x, y);                                  \
    }
WADI_DOUBLE_LIBRARY1(cbrt)
WADI_DOUBLE_LIBRARY1(exp)
WADI_DOUBLE_LIBRARY1(exp2)
WADI_DOUBLE_LIBRARY1(expm1)
WADI_DOUBLE_LIBRARY1(log)
WADI_DOUBLE_LIBRARY1(log2)
WADI_DOUBLE_LIBRARY1(log10)
WADI_DOUBLE_LIBRARY1(log1p)
WADI_DOUBLE_LIBRARY1(sin)
WADI_DOUBLE_LIBRARY1(cos)
WADI_DOUBLE_LIBRARY1(tan)
WADI_DOUBLE_LIBRARY1(asin)
WADI_DOUBLE_LIBRARY1(acos)
WADI_DOUBLE_LIBRARY1(atan)
WADI_DOUBLE_LIBRARY1(sinh)
WADI_DOUBLE_LIBRARY1(cosh)
WADI_DOUBLE_LIBRARY1(tanh)
WADI_DOUBLE_LIBRARY1(asinh)
WADI_DOUBLE_LIBRARY1(acosh)
WADI_DOUBLE_LIBRARY1(atanh)
WADI_DOUBLE_LIBRARY1(erf)
WADI_DOUBLE_LIBRARY1(erfc)
WADI_DOUBLE_LIBRARY2(atan2)
WADI_DOUBLE_LIBRARY2(pow)
WADI_DOUBLE_LIBRARY2(hypot)
