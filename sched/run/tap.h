/* Taps: who looks at a run may ask for values of what comes next from a source, a stage or to an end. The thread that has the chunk takes them; nobody else
 * reads it. What nobody asks for costs one look at a flag for each chunk. */
#ifndef WADI_SCHED_RUN_TAP_H
#define WADI_SCHED_RUN_TAP_H

#include "sched/run/state.h"

/* See wadi_tap_see. */
void wadi_tap_take(wadi_run *x, wadi_passed *t, wadi_chunk *c);

/* By the thread that counts in t, with what has come, before it is handed on. If it is on a device, the thread is the one that computes there. */
static inline void wadi_tap_see(wadi_run *x, wadi_passed *t, wadi_chunk *c) {
    if (atomic_load_explicit(&t->asked, memory_order_relaxed)) wadi_tap_take(x, t, c);
}

/* The stream is over, and nobody sees it any more. */
void wadi_tap_close(wadi_passed *t);

#endif
