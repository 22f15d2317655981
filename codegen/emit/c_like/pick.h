/* Picking the functions that kernels need from texts of definitions. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_PICK_H
#define WADI_CODEGEN_EMIT_C_LIKE_PICK_H

#include <stdbool.h>

#include "base/text.h"

/** Appends to `out` what stands in front of the first definition of each of the `n` texts, then the definitions that `kernels`
 *  names, and those that they name in turn, in their order. false: out of memory. */
bool wadi_c_pick(const char *const *texts, int n, const char *kernels, wadi_text *out);

#endif
