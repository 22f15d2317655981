/* Loop IR as device C: kernels for devices with groups of lanes (sched/gpu/rt). */
#ifndef WADI_CODEGEN_EMIT_LANES_H
#define WADI_CODEGEN_EMIT_LANES_H

#include "base/text.h"
#include "codegen/loop/loop.h"

/** What makes device C a language: two texts, which the file of the language names. */
typedef struct wadi_dialect {
    const char
        *front; /**< types, memory, barriers and atomics (sched/gpu/rt/opencl.h says which) */
    const char *words; /**< what scalar functions need (codegen/rt/scalar_opencl.h) */
    bool joins;        /**< small kernels are cases of one (codegen/emit/lanes/joint.h) */
} wadi_dialect;

/** Appends one text in the dialect `d`: its front, what kernels see and call, and every kernel of `m`. *out_kernels: where in `out` the
 *  kernels begin. The text is meant to be read. Errors: WADI_MEMORY; WADI_INTERNAL (a kernel by groups does what only lanes can do). */
WADI_NODISCARD wadi_status wadi_emit_lanes(const wadi_lmodule *m, const wadi_dialect *d,
                                           wadi_text *out, size_t *out_kernels, wadi_error *err);

#endif
