/* Options of the C compiler that kernels need, as pragmas in their text. */
#ifndef WADI_CODEGEN_EMIT_C_OPTIONS_H
#define WADI_CODEGEN_EMIT_C_OPTIONS_H

#include "base/text.h"
#include "codegen/loop/loop.h"

/** Whether a kernel computes with complex numbers. */
bool wadi_c_has_complex(const wadi_lmodule *m);
/** Writes the pragmas for these kernels. */
void wadi_c_options(const wadi_lmodule *m, wadi_text *out);

#endif
