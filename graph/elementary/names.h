/* The elementary functions by name, as lists for macros: a program with a loop for each of them needs no list of its own. */
#ifndef WADI_GRAPH_ELEMENTARY_NAMES_H
#define WADI_GRAPH_ELEMENTARY_NAMES_H

/* of one number */
/* clang-format off */
#define WADI_ELEMENTARY_ONE(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) \
    X(asinh) X(acosh) X(atanh) X(cbrt) X(erf) X(erfc) X(lgamma) X(tgamma)
/* clang-format on */
/* of two */
#define WADI_ELEMENTARY_TWO(X) X(pow) X(atan2) X(hypot)

#endif
