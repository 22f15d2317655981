/* A worker: a run of the same plan in another process, which computes stages for its home. */
#ifndef WADI_SCHED_RUN_SERVE_H
#define WADI_SCHED_RUN_SERVE_H

#include "sched/run.h"
#include "sched/run/charter.h"
#include "sched/work/queue.h"

/* How a worker goes; any thread may read it. */
typedef struct wadi_served {
    atomic_int_least64_t items, elements;
} wadi_served;

/* Computes items of the charter's stages until the job is over, or *out_goes_on: until there is another charter. x is a run of the charter's
 * plan that has not begun. `charter` has been read. Errors: WADI_CANCELLED (wake_fd of the queue; between two items), WADI_IO (the charter is
 * damaged; no home), or the device's or the compiler's: then another worker computes the item. */
WADI_NODISCARD wadi_status wadi_run_serve(wadi_run *x, const wadi_charter *charter, wadi_workq *q,
                                          wadi_served *served, bool *out_goes_on, wadi_error *err);

#endif
