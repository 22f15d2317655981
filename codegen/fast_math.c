/* The choice stands in the environment, as those of target and device do, so that programs need not hand it on. */
#include "codegen/fast_math.h"

#include <stdlib.h>

#include "base/environment.h"
#include "base/error.h"

bool wadi_fast_math_is_asked(void) {
    return wadi_switch_is_on(WADI_SWITCH_FAST_MATH);
}

wadi_status wadi_fast_math_take(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(options);
    WADI_UNUSED(value);
    if (setenv("WADI_FAST_MATH", "on", 1) == 0) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "--fast-math: out of memory");
}
