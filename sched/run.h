/* Running a plan: what is behind a run (include/wadi/run.h), without knowing any compiler.
 *
 * Phases run one after another. A stream phase is three stages, each in a thread of its own, joined by links: the source reads
 * ahead, the calling thread computes on the device, and the sink writes. At least three chunks are in flight. Short runs do
 * not start threads: see sched/run/end.c and base/keep.h. */
#ifndef WADI_SCHED_RUN_H
#define WADI_SCHED_RUN_H

#include "base/log.h"
#include "sched/device.h"
#include "wadi/run.h"

#define WADI_WATCHDOG_S 10.0 /* the default of watchdog_s */

/* Makes a run of a plan: for callers that have a plan without an executable, and for wadi_run_create. Copies the loader. Borrows the plan
 * and what the loader points to, which must outlive the run. options may be NULL. Errors: WADI_INVALID (options), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_run_create_for(const wadi_plan *plan, const wadi_loader *loader,
                                               const wadi_run_options *options, wadi_run **out,
                                               wadi_error *err);

/* What a message about a run that has ended is about: the name of its program, and the part in which it has failed, or "compute". NULL: it has not begun, or
 * has no name. Borrowed from the plan. */
wadi_log_place wadi_run_place(wadi_run *run);

struct wadi_workq;
/* Before the run begins: chunks of stages are for workers of other processes, by this queue, which the run takes over, whatever comes of it.
 * `address`, for messages, is copied. Errors: WADI_UNSUPPORTED (bits would depend on the worker; several devices). */
WADI_NODISCARD wadi_status wadi_run_work_by(wadi_run *run, const char *address,
                                            struct wadi_workq *owned_q, wadi_error *err);

/* Says before each chunk of a source at which seam its stream is parted, so that what is behind the seam runs in a thread of its own: the
 * number of the seam, 0 <= it < seams, or -1: at none. The same bits, whatever it says. */
typedef struct wadi_seam_rule {
    int (*choose)(void *env, int seams); /* by the compute thread */
    void *env;
} wadi_seam_rule;

/* Before the run begins, for tests: instead of the option `stages`. */
void wadi_run_seam_by(wadi_run *run, wadi_seam_rule rule);

/* Makes a device with these options, which loads the same images as the one that the run's options name, and whose columns live where those of
 * that one do. */
typedef struct wadi_device_maker {
    wadi_status (*open)(void *env, const wadi_device_options *options, wadi_device **out,
                        wadi_error *err);
    void *env;
} wadi_device_maker;

/* Before anything is bound, for tests and measurements: the run computes on this device instead. Errors: those of the maker, WADI_MEMORY; the run
 * can then only be destroyed. */
WADI_NODISCARD wadi_status wadi_run_compute_on(wadi_run *run, wadi_device_maker maker,
                                               wadi_error *err);

/* Of a run on several devices: says before each chunk of a source which device computes it, or -1: all share it. The same bits, whatever it
 * says. With workers elsewhere, nothing is measured either: whatever can be theirs is, from the first chunk on. */
typedef struct wadi_share_rule {
    int (*choose)(void *env, int devices); /* by the compute thread */
    int stage; /* that is shared: the last one with a body up to this, or the first */
    /* If not NULL: takes over a device, other than the first, that has just been opened, and returns the one to use. By its thread. */
    struct wadi_device *(*wrap)(void *env, int device, struct wadi_device *owned_d);
    void *env;
} wadi_share_rule;

/* Before the run begins, for tests: instead of measuring. */
void wadi_run_share_by(wadi_run *run, wadi_share_rule rule);

/* Of a run on several devices: says which of the list has all that is not shared. The same bits, whatever it says. */
typedef struct wadi_home_rule {
    int (*choose)(void *env, int devices);
    void *env;
} wadi_home_rule;

/* Before the run begins, for tests: instead of what was learned. `wrap` of the share rule is called for such a device as well. */
void wadi_run_home_by(wadi_run *run, wadi_home_rule rule);

#endif
