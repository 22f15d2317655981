/* Workers: processes that compute chunks for a run elsewhere.
 *
 * A run with the option `via` is the home of a job: it has the sources, the sinks, and all that has an order. A worker goes to the same address,
 * compiles the program that it gets from there, and computes the chunks of its stages that are for workers. Workers may come and go at any time, on any
 * machine with the same version of wadi. The program `wadi work` is a worker; with these calls any program can be one. docs/RUNTIME.md
 */
#ifndef WADI_WORK_H
#define WADI_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/schedule.h"
#include "wadi/status.h"
#include "wadi/stream.h"

WADI_BEGIN_DECLS

/** Options of a worker. All zero is the default. */
typedef struct wadi_worker_options {
    int threads;    /**< workers of the device; 0: one per processor */
    int64_t memory; /**< bytes of arrays that are kept for reuse; 0: 1 GiB */
    const char *
        device; /**< what computes: one of those that `wadi devices` lists; NULL: $WADI_DEVICE, or "cpu" */
    const char *target; /**< what kernels are compiled for; NULL: $WADI_TARGET, or native */
    wadi_schedule_option schedule;
    const wadi_link_options *
        keys; /**< the keys or the token of this side, which connects; other members do not matter. NULL: none */
    double
        wait_s; /**< it is an error to have no home for so many seconds; 0: it waits without limit */
    bool stay;  /**< when a job is over, waits for the next */
    double
        watchdog_s; /**< after so many seconds without progress, logs at which elements it works; others get its items then, or after eight times the usual time; 0: 10; 1e9 at most */
} wadi_worker_options;

/** What a worker has done. */
typedef struct wadi_worker_stats {
    int64_t jobs;     /**< charters that it has worked for */
    int64_t chunks;   /**< that it has answered */
    int64_t elements; /**< of those that it could compute */
} wadi_worker_stats;

typedef struct wadi_worker wadi_worker;

/** Makes a worker, which connects to `address` as soon as a home is there. The address and the options are copied, the keys only used. The
 *  caller owns *out_worker. Errors: WADI_INVALID (address, keys, options), WADI_UNSUPPORTED (a library is missing), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_worker_create(const char *address,
                                              const wadi_worker_options *options,
                                              wadi_worker **out_worker, wadi_error *err);
/** Works until the job is over, or with `stay` for ever. Returns WADI_OK as well when wadi_worker_leave has ended it. Errors: WADI_UNSUPPORTED
 *  (home is another version of wadi; the program calls routines that are not here), WADI_IO (no home), WADI_CANCELLED, those of compiling and of
 *  the device. What it was about to compute, other workers do, or home. */
WADI_NODISCARD wadi_status wadi_worker_go(wadi_worker *worker, wadi_error *err);
/** Ends the worker when it has computed and sent what it has begun. Safe in any thread and in a signal handler. NULL is fine. */
void wadi_worker_leave(wadi_worker *worker);
/** Copies the statistics so far. Safe in any thread. */
void wadi_worker_stats_get(wadi_worker *worker, wadi_worker_stats *out);
/** Destroys a worker; NULL is fine. */
void wadi_worker_destroy(wadi_worker *worker);

WADI_END_DECLS

#endif
