/* Which slots the steps of a version use. */
#ifndef WADI_CODEGEN_USES_H
#define WADI_CODEGEN_USES_H

#include "codegen/loop/loop.h"

/** Notes in each step of the version which slots it reads and writes; `kernels` are the version's. The lists are made in `keep`. False: out of
 *  memory. */
WADI_NODISCARD bool wadi_uses_note(const wadi_lmodule *kernels, wadi_plan_version *v,
                                   wadi_arena *keep);

#endif
