/* When a worker that is at an item may hang. */
#ifndef WADI_SCHED_WORK_HANG_H
#define WADI_SCHED_WORK_HANG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WADI_HANG_TIMES = 8,        /* as long as usual: it hangs */
    WADI_HANG_FIRST_TIMES = 30, /* as long as the limit, while nothing is usual */
};

/* Whether an item that was begun at `since` may never be answered. limit_ns: nothing that takes less hangs; 0: nothing does. usual_ns: what items take; 0: not
 * known. An item that takes long by the clock may be one that always does: what is usual counts as well, and the first one has kernels to compile. */
static inline bool wadi_hangs(int64_t limit_ns, int64_t usual_ns, int64_t since, int64_t now) {
    int64_t most = limit_ns;
    if (limit_ns == 0) return false;
    if (usual_ns == 0)
        most = limit_ns < INT64_MAX / WADI_HANG_FIRST_TIMES ? WADI_HANG_FIRST_TIMES * limit_ns
                                                            : INT64_MAX;
    if (WADI_HANG_TIMES * usual_ns > most) most = WADI_HANG_TIMES * usual_ns;
    return now - since > most;
}

#endif
