/* Loops over wadi's elementary functions: see functions.h. They are compiled as kernels are. */
#include "tests/whole/functions.h"
#include "tests/whole/text.h"

#define LOOP(name, N, T, CALL)                                                                  \
    void whole_##name##_##N(int n, const T *restrict x, const T *restrict y, T *restrict out) { \
        (void)y;                                                                                \
        for (int k = 0; k < n; k++) out[k] = CALL;                                              \
    }
#define ONE(name)                                   \
    LOOP(name, f32, float, wadi_##name##_f32(x[k])) \
    LOOP(name, f64, double, wadi_##name##_f64(x[k]))
#define TWO(name)                                         \
    LOOP(name, f32, float, wadi_##name##_f32(x[k], y[k])) \
    LOOP(name, f64, double, wadi_##name##_f64(x[k], y[k]))
WADI_ELEMENTARY_ONE(ONE)
WADI_ELEMENTARY_TWO(TWO)
