/* A descriptor that becomes readable once somebody calls: for those who wait in poll(). It is a pipe, and opened only when
 * there is somebody to wait; a call that came before is not lost. */
#ifndef WADI_SCHED_WAKE_H
#define WADI_SCHED_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "wadi/status.h"

typedef struct wadi_wake {
    atomic_bool called;
    atomic_int end[2]; /* of the pipe; -1: not open */
} wadi_wake;

void wadi_wake_init(wadi_wake *w);
void wadi_wake_fini(wadi_wake *w);
/* The descriptor to wait for, opened by the first call. One thread at a time. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_wake_open(wadi_wake *w, int *out_fd, wadi_error *err);
/* Any thread, and signal handlers: atomics and a write. */
void wadi_wake_call(wadi_wake *w);

#endif
