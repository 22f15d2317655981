/* The states after each element of a chunk, as a scan makes them. */
#ifndef WADI_SCHED_RUN_SCANNED_H
#define WADI_SCHED_RUN_SCANNED_H

#include "sched/builder.h"
#include "sched/run/state.h"

/* For arrays, which wadi_fold_elements adds to the builder. Errors: WADI_UNSUPPORTED (too many), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_scanned_begin(const wadi_run *x, const wadi_plan_fold *f,
                                              wadi_builder *out, wadi_error *err);
/* The states after the first `done` elements, which are numbered from `first` on. */
WADI_NODISCARD wadi_status wadi_scanned_take(wadi_crew *w, const wadi_plan_fold *f, wadi_builder *b,
                                             int64_t first, int64_t done, wadi_chunk **out,
                                             wadi_error *err);

#endif
