/* The elementary functions with loops over them: wadi's, and the C library's in the next wider type. */
#ifndef WADI_TESTS_WHOLE_FUNCTIONS_H
#define WADI_TESTS_WHOLE_FUNCTIONS_H

#include "graph/elementary/names.h"

/* of n arguments; y is read by functions of two */
#define WHOLE_DECLARE(name)                                                        \
    void whole_##name##_f32(int n, const float *x, const float *y, float *out);    \
    void whole_##name##_f64(int n, const double *x, const double *y, double *out); \
    void truth_##name##_f32(int n, const double *x, const double *y, double *out); \
    void truth_##name##_f64(int n, const double *x, const double *y, long double *out);
WADI_ELEMENTARY_ONE(WHOLE_DECLARE)
WADI_ELEMENTARY_TWO(WHOLE_DECLARE)

#endif
