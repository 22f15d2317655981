/* Extents that whoever asks for a report gives numbers: "n=100,xs.0=3". An extent without a name is called by its array and dimension. */
#ifndef WADI_CODEGEN_GIVEN_H
#define WADI_CODEGEN_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

/** Checks that the text is NAME=NUMBER with commas between. given: also NULL. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_given_check(const char *given, wadi_error *err);

/** The number that a name has; false: it has none. given: a text that was checked, or NULL. */
bool wadi_given_extent(const char *given, const char *name, int64_t *out);

#endif
