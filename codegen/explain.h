/* `wadi explain`: what the compiler did with a program and why, as text for people. */
#ifndef WADI_CODEGEN_EXPLAIN_H
#define WADI_CODEGEN_EXPLAIN_H

#include "base/text.h"
#include "codegen/pipeline.h"

/** Appends the program after each pass (where it changed), the stages that were joined or not, each value with its shape, its
 *  representation, whether it is stored, and the reasons, and the checks left for run time. `m` is the program as the
 *  pipeline left it. Plan and kernels are appended by whoever makes them. */
void wadi_explain_text(const wadi_diag *d, const wadi_module *m, const wadi_facts *facts,
                       wadi_text *out);

#endif
