/* How much the steps of a version compute: for profiles. */
#ifndef WADI_CODEGEN_KERNEL_WORK_H
#define WADI_CODEGEN_KERNEL_WORK_H

#include "codegen/kernel/layout.h"

/** Notes in the step what its n bindings compute. A binding is left out if its extents are in no slot, or if regions of its own compute. whole: the
 *  step does all of them; else several steps may have a part in each, and those count that use what is read. False: out of memory. */
bool wadi_lower_note_work(const wadi_layout *y, int n, const wadi_bind *const *binds, bool whole,
                          wadi_plan_step *step);

#endif
