/* The text in front of kernels: the ABI, and those functions of codegen/rt that the kernels use. */
#ifndef WADI_CODEGEN_EMIT_C_PRELUDE_H
#define WADI_CODEGEN_EMIT_C_PRELUDE_H

#include <stdbool.h>

#include "base/text.h"

/** Appends what `kernels`, the text of all kernels of a module, needs. False when out of memory. */
bool wadi_c_prelude(const char *kernels, bool has_complex, wadi_text *out);

#endif
