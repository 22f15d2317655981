/* Loops over the C library's functions: see functions.h. With -ffast-math those of f64 are vector functions, whose error of some units in the last place
 * of f64 does not count beside one of f32. */
#include <math.h>

#include "tests/whole/functions.h"

#define LOOP(name, N, FROM, TO, CALL)                                              \
    void truth_##name##_##N(int n, const FROM *restrict x, const FROM *restrict y, \
                            TO *restrict out) {                                    \
        (void)y;                                                                   \
        for (int k = 0; k < n; k++) out[k] = CALL;                                 \
    }
#define ONE(name)                               \
    LOOP(name, f32, double, double, name(x[k])) \
    LOOP(name, f64, double, long double, name##l(x[k]))
#define TWO(name)                                     \
    LOOP(name, f32, double, double, name(x[k], y[k])) \
    LOOP(name, f64, double, long double, name##l(x[k], y[k]))
WADI_ELEMENTARY_ONE(ONE)
WADI_ELEMENTARY_TWO(TWO)
