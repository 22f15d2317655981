/* Decimal numbers of Matrix Market files, read fast and independently of the locale. */
#ifndef WADI_CONNECTORS_MATRIX_NUMBER_H
#define WADI_CONNECTORS_MATRIX_NUMBER_H

#include <stdbool.h>

/* Reads the number that starts at `at`, correctly rounded. Accepts inf and nan, and D before the exponent as Fortran writes it.
 * Returns where the number ends, or NULL if there is none. */
const char *wadi_matrix_number(const char *at, const char *end, double *out);

/* Whether the text is an integer whose magnitude is at most 2^53. */
bool wadi_matrix_integer(const char *at, const char *end);

#endif
