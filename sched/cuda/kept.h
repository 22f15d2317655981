/* What devices have of their own in CUDA C, compiled for a machine and kept in the user's cache, so that the next process need not compile it. */
#ifndef WADI_SCHED_CUDA_KEPT_H
#define WADI_SCHED_CUDA_KEPT_H

#include <stddef.h>

#include "wadi/status.h"

/* The text compiled for an architecture, "sm_90", as by wadi_nvrtc_compile: from the cache, if it is there and whole, or else by the compiler.
 * What cannot be kept is compiled again next time. The caller frees *out. Errors: those of the compiler. Thread-safe. */
WADI_NODISCARD wadi_status wadi_cuda_kept(const char *text, const char *architecture, char **out,
                                          size_t *out_n, wadi_error *err);

#endif
