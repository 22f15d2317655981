/* Decimal numbers of Matrix Market files, read fast and independently of the locale. */
#ifndef WADI_CONNECTORS_MATRIX_NUMBER_H
#define WADI_CONNECTORS_MATRIX_NUMBER_H

#include <stdbool.h>

/* The number that starts at `at`, correctly rounded; inf and nan too, and D for the exponent as Fortran writes it. Returns where
 * it ends, NULL when there is none. */
const char *wadi_matrix_number(const char *at, const char *end, double *out);

/* Whether the text is an integer whose magnitude is at most 2^53. */
bool wadi_matrix_integer(const char *at, const char *end);

#endif
