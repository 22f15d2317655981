/* Loop IR as C text. */
#ifndef WADI_CODEGEN_EMIT_C_H
#define WADI_CODEGEN_EMIT_C_H

#include "base/text.h"
#include "codegen/loop/loop.h"

/* What each kernel begins with, with the functions that it alone calls. Kernels do not refer to each other. */
#define WADI_C_KERNEL_BEGINS "/* ---- start of "

/** Appends one translation unit that includes nothing: the kernel ABI, the scalar operations, and every kernel of `m`.
 *  *out_kernels: where in `out` the kernels begin. The text is meant to be read. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_emit_c(const wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                                       wadi_error *err);

#endif
