/* Decimal numbers in texts, read and written fast and independently of the locale. */
#ifndef WADI_CONNECTORS_DECIMAL_H
#define WADI_CONNECTORS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the number that starts at `at`, correctly rounded. Accepts inf and nan, and D before the exponent as Fortran writes it.
 * Returns where the number ends, or NULL if there is none. */
const char *wadi_decimal_f64(const char *at, const char *end, double *out);

/* Whether the text is an integer whose magnitude is at most 2^53. */
bool wadi_decimal_is_exact_integer(const char *at, const char *end);

enum { WADI_DECIMAL_ROOM = 40 };

/* Writes x as %.*g does with the least number of digits that read as x again, of f64 from 15 on, of f32 from 6 on. out: room for WADI_DECIMAL_ROOM bytes, and no zero
 * byte is written behind them. Returns how many there are. */
size_t wadi_decimal_write_f64(double x, char *out);
size_t wadi_decimal_write_f32(float x, char *out);

#endif
