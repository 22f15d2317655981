/* Small kernels by items that are cases of one kernel. A driver such as PoCL builds each kernel that is launched on its own, links it, and loads
 * it, which takes longer than what is in a small one. So in OpenCL C they share one entry, and the argument of a launch says which it is. */
#ifndef WADI_CODEGEN_EMIT_LANES_JOINT_H
#define WADI_CODEGEN_EMIT_LANES_JOINT_H

#include "base/text.h"
#include "codegen/loop/loop.h"

typedef struct wadi_c_joint {
    int n;
    wadi_text cases;
} wadi_c_joint;

/** Whether a kernel by items is small enough. A device gives each case the registers that the greediest needs. */
bool wadi_c_joint_takes(const wadi_lfun *f);
/** One more case, whose body is written. Appends to `out` the mark that tells who loads the text where the kernel is. */
void wadi_c_joint_add(wadi_c_joint *j, const char *kernel, wadi_text *out);
/** Appends the entry, if there is a case, and is done with `j`. false: out of memory. */
bool wadi_c_joint_write(wadi_c_joint *j, wadi_text *out);

#endif
