/* Fast math: whether somebody gives up the same bits on every device for the sake of speed. What it changes each language of kernels says
 * (codegen/build/target.h). */
#ifndef WADI_CODEGEN_FAST_MATH_H
#define WADI_CODEGEN_FAST_MATH_H

#include <stdbool.h>

#include "wadi/status.h"

/* Whether $WADI_FAST_MATH says "on". */
bool wadi_fast_math_is_asked(void);

/* The function for the flag --fast-math in the option tables of programs (base/args.h). Makes fast math the default of this process and its
 * children; must be called before there are threads. Neither argument is used. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_fast_math_take(void *options, const char *value, wadi_error *err);

#endif
