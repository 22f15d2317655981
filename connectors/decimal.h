/* Decimal numbers in texts, read fast and independently of the locale. */
#ifndef WADI_CONNECTORS_DECIMAL_H
#define WADI_CONNECTORS_DECIMAL_H

#include <stdbool.h>

/* Reads the number that starts at `at`, correctly rounded. Accepts inf and nan, and D before the exponent as Fortran writes it.
 * Returns where the number ends, or NULL if there is none. */
const char *wadi_decimal_f64(const char *at, const char *end, double *out);

/* Whether the text is an integer whose magnitude is at most 2^53. */
bool wadi_decimal_is_exact_integer(const char *at, const char *end);

#endif
