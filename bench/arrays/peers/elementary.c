/* Loops in C over elementary functions: see elementary.h. */
#include "bench/arrays/peers/elementary.h"

#include <math.h>

#define LOOPS(name, N, T, CALL)                                         \
    double peer_sum_##name##_##N(int64_t n, double from, double step) { \
        T sum = 0;                                                      \
        for (int32_t k = 0; k < (int32_t)n; k++) {                      \
            const T x = (T)from + (T)step * (T)k;                       \
            sum += CALL;                                                \
        }                                                               \
        return (double)sum;                                             \
    }                                                                   \
    void peer_map_##name##_##N(int64_t n, const void *in, void *out) {  \
        const T *restrict a = in;                                       \
        T *restrict b = out;                                            \
        for (int64_t k = 0; k < n; k++) {                               \
            const T x = a[k];                                           \
            b[k] = CALL;                                                \
        }                                                               \
    }
#define ONE(name)                     \
    LOOPS(name, f64, double, name(x)) \
    LOOPS(name, f32, float, name##f(x))
#define TWO(name)                                   \
    LOOPS(name, f64, double, name(x, 2 - 0.25 * x)) \
    LOOPS(name, f32, float, name##f(x, 2 - 0.25F * x))
WADI_ELEMENTARY_ONE(ONE)
WADI_ELEMENTARY_TWO(TWO)

void peer_prices(int64_t n, const float *restrict s, const float *restrict k,
                 const float *restrict t, float *restrict out) {
    for (int64_t i = 0; i < n; i++) {
        const float w = 0.3F * sqrtf(t[i]), d = (logf(s[i] / k[i]) + 0.065F * t[i]) / w;
        const float p = 0.5F * erfcf(d * -0.70710678F), q = 0.5F * erfcf((d - w) * -0.70710678F);
        out[i] = s[i] * p - k[i] * expf(-0.02F * t[i]) * q;
    }
}
