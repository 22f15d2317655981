/* `wadi explain`: what the compiler did with a program and why, as text for people. */
#ifndef WADI_CODEGEN_EXPLAIN_H
#define WADI_CODEGEN_EXPLAIN_H

#include "base/text.h"
#include "codegen/pipeline.h"

/** Appends the program after each pass that changed it, and which stages were joined and which not. Then each value with its
 *  shape, its representation, whether it is stored, and why; then the checks left for run time, and last what each
 *  pass over arrays costs. `m` is the program after
 *  the pipeline. extents: as in wadi_named.given. The caller appends plan and kernels. */
void wadi_explain_text(const wadi_diag *d, const wadi_module *m, const wadi_facts *facts,
                       const char *extents, wadi_text *out);

/** Checks that the extents which are given are extents of the program. WADI_INVALID otherwise. */
WADI_NODISCARD wadi_status wadi_explain_check(const wadi_module *m, const wadi_facts *facts,
                                              const char *extents, wadi_error *err);

/** Appends the arrays that are written into the memory of others that nobody reads any more, if there are any. */
void wadi_explain_placed(const wadi_diag *d, const wadi_module *m, wadi_text *out);

#endif
