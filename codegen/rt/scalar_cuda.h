/* What the scalar functions of device C need of CUDA C. */
#ifndef WADI_FN /* the dialect's */
#define WADI_FN static __device__ __forceinline__
#endif
#define WADI_LIBRARY static __device__ /* longer functions */
#define WADI_TABLE static __device__ const
#define WADI_LANES(N, T, f)
#define WADI_FAR_f64 0x1p26
#define WADI_FAR_f32 0x1p17f
#define WADI_UNLESS_FAR(N, f, x, y) \
    ((x) < WADI_FAR_##N && (x) > -WADI_FAR_##N ? (y) : f(x)) /* codegen/rt/lanes.h */
#define WADI_BITS_OF_f32(x) __float_as_uint(x)
#define WADI_OF_BITS_f32(x) __uint_as_float((unsigned)(x))
#define WADI_BITS_OF_f64(x) __double_as_longlong(x)
#define WADI_OF_BITS_f64(x) __longlong_as_double((long long)(x))
#define WADI_POPCOUNT(x) __popcll(x)
#define WADI_CLZ(x) __clzll((long long)(x))
#define WADI_CTZ(x) (__ffsll((long long)(x)) - 1)
