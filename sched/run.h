/* Running a plan: the engine behind wadi_run (include/wadi/run.h), without knowing any compiler.
 *
 * Phases run one after another. A stream phase is three stages, each in a thread of its own, joined by links: the source
 * reads ahead, the calling thread computes on the device, the sink writes; at least three chunks are under way. What short runs
 * would spend on starting threads they need not: sched/run/end.c, base/keep.h. */
#ifndef WADI_SCHED_RUN_H
#define WADI_SCHED_RUN_H

#include "sched/plan.h"
#include "wadi/run.h"

typedef struct wadi_exec wadi_exec;

#define WADI_WATCHDOG_S 10.0 /* the default of watchdog_s */

/* Borrows plan and loader, which outlive the run. options may be NULL. Errors: WADI_INVALID (options), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_exec_create(const wadi_plan *plan, const wadi_loader *loader,
                                            const wadi_run_options *options, wadi_exec **out,
                                            wadi_error *err);
/* NULL is fine. Not while it runs. */
void wadi_exec_destroy(wadi_exec *x);

/* Bind what the plan names, all borrowed until the run is over; binding again replaces. Errors: WADI_INVALID (no such
 * name), WADI_TYPE, WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_exec_input(wadi_exec *x, const char *name, const wadi_array *a,
                                           wadi_error *err);
WADI_NODISCARD wadi_status wadi_exec_source(wadi_exec *x, const char *name, wadi_source *source,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_exec_sink(wadi_exec *x, const char *name, wadi_sink *sink,
                                          wadi_error *err);

/* Runs once, to the end. Elements before a failure have been delivered. */
WADI_NODISCARD wadi_status wadi_exec_go(wadi_exec *x, wadi_error *err);
/* Any thread, and signal handlers. */
void wadi_exec_cancel(wadi_exec *x);
/* Any thread. */
void wadi_exec_stats(wadi_exec *x, wadi_run_stats *out);
/* A result of a finished run, borrowed until destroy. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_exec_result(wadi_exec *x, const char *name, wadi_array *out,
                                            wadi_error *err);

#endif
