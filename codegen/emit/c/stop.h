/* Where kernels check whether they should stop. */
#ifndef WADI_CODEGEN_EMIT_C_STOP_H
#define WADI_CODEGEN_EMIT_C_STOP_H

#include "codegen/loop/loop.h"

/** After how many rounds of the loop a kernel checks whether to stop. 0: never, because loops inside or around it check. */
int64_t wadi_c_strip_of(const wadi_lfun *f, const wadi_linst *loop);

#endif
