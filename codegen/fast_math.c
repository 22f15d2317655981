/* The choice stands in the environment, as those of target and device do, so that programs need not hand it on. */
#include "codegen/fast_math.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char variable[] = "WADI_FAST_MATH";

bool wadi_fast_math_is_asked(void) {
    const char *said = getenv(variable);
    return said != NULL && strcmp(said, "on") == 0;
}

wadi_status wadi_fast_math_take(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(options);
    WADI_UNUSED(value);
    if (setenv(variable, "on", 1) == 0) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "--fast-math: out of memory");
}
