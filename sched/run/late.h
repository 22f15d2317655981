/* Giving up a trial: a thread that stops the compute thread when it has taken too long. */
#ifndef WADI_SCHED_RUN_LATE_H
#define WADI_SCHED_RUN_LATE_H

#include <stdatomic.h>

#include "base/stop.h"
#include "base/thread.h"

typedef struct wadi_late {
    wadi_stop stop; /* of whoever is timed */
    const atomic_int_least64_t *not_counted, *since;
    int64_t begin_ns, most_ns;
    wadi_mutex lock;
    wadi_condition over;
    bool ended; /* by the lock */
    bool made;
    wadi_thread thread;
} wadi_late;

/* Begins to wait for most_ns, and for what *not_counted grows to meanwhile; then calls l->stop, which is below `above`. *since, if it is not 0, is when
 * something began that is not to be counted and is still going on; its end adds to *not_counted before it sets 0. Errors: WADI_MEMORY, WADI_IO
 * (no thread): nobody is timed, and there is nothing to end. */
WADI_NODISCARD wadi_status wadi_late_begin(wadi_late *l, wadi_stop *above, int64_t most_ns,
                                           const atomic_int_least64_t *not_counted,
                                           const atomic_int_least64_t *since, wadi_error *err);
/* Waits no more. Whether it was too late. Harmless if nobody was timed. */
bool wadi_late_end(wadi_late *l);

#endif
