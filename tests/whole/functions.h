/* The elementary functions with loops over them: wadi's, and the C library's in the next wider type. */
#ifndef WADI_TESTS_WHOLE_FUNCTIONS_H
#define WADI_TESTS_WHOLE_FUNCTIONS_H

/* clang-format off */
#define WHOLE_ONE(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) \
    X(asinh) X(acosh) X(atanh) X(cbrt) X(erf) X(erfc) X(lgamma) X(tgamma)
/* clang-format on */
#define WHOLE_TWO(X) X(pow) X(atan2) X(hypot)

/* of n arguments; y is read by functions of two */
#define WHOLE_DECLARE(name)                                                        \
    void whole_##name##_f32(int n, const float *x, const float *y, float *out);    \
    void whole_##name##_f64(int n, const double *x, const double *y, double *out); \
    void truth_##name##_f32(int n, const double *x, const double *y, double *out); \
    void truth_##name##_f64(int n, const double *x, const double *y, long double *out);
WHOLE_ONE(WHOLE_DECLARE)
WHOLE_TWO(WHOLE_DECLARE)

#endif
