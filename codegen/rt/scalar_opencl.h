/* What the scalar functions of device C need of OpenCL C 1.2. */
#ifndef WADI_FN /* the dialect's */
#define WADI_FN static inline __attribute__((always_inline, unused))
#endif
#define WADI_LIBRARY static __attribute__((unused)) /* longer functions */
#define WADI_TABLE __constant
#define WADI_LANES(N, T, f)
#define WADI_FAR_f64 0x1p26
#define WADI_FAR_f32 0x1p17f
#define WADI_UNLESS_FAR(N, f, x, y) \
    ((x) < WADI_FAR_##N && (x) > -WADI_FAR_##N ? (y) : f(x)) /* codegen/rt/lanes.h */
#define WADI_BITS_OF_f32(x) as_uint(x)
#define WADI_OF_BITS_f32(x) as_float(x)
#define WADI_BITS_OF_f64(x) as_ulong(x)
#define WADI_OF_BITS_f64(x) as_double(x)
#define WADI_POPCOUNT(x) (int)popcount((ulong)(x))
#define WADI_CLZ(x) (int)clz((ulong)(x))
#define WADI_CTZ(x) (63 - (int)clz((ulong)(x) & (0 - (ulong)(x)))) /* ctz is of OpenCL C 2.0 */
