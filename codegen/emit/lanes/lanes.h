/* Loop IR as device C: kernels for devices with groups of lanes (sched/gpu/rt). */
#ifndef WADI_CODEGEN_EMIT_LANES_H
#define WADI_CODEGEN_EMIT_LANES_H

#include "base/text.h"
#include "codegen/loop/loop.h"

/** Appends one text in OpenCL C 1.2: the dialect, what kernels see and call, and every kernel of `m`. *out_kernels: where in `out` the
 *  kernels begin. The text is meant to be read. Errors: WADI_MEMORY; WADI_INTERNAL (a kernel by groups does what only lanes can do). */
WADI_NODISCARD wadi_status wadi_emit_opencl(const wadi_lmodule *m, wadi_text *out,
                                            size_t *out_kernels, wadi_error *err);
/** The same in CUDA C++. */
WADI_NODISCARD wadi_status wadi_emit_cuda(const wadi_lmodule *m, wadi_text *out,
                                          size_t *out_kernels, wadi_error *err);

#endif
