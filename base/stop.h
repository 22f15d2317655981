/* A stop: a flag to check between two pieces of work, and a descriptor for those who wait in poll().
 *
 * Stops form a tree. Calling a stop calls all stops below it: the stop of the process (base/process.h) ends its runs, and the
 * stop of a run ends its sources. A stop that was called stays called. */
#ifndef WADI_BASE_STOP_H
#define WADI_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

enum { WADI_STOP_SEATS = 14 };

/* Room for stops below one; more rooms are added as they are needed. */
typedef struct wadi_stop_room {
    _Atomic(struct wadi_stop *) seat[WADI_STOP_SEATS];
    _Atomic(struct wadi_stop_room *) next;
} wadi_stop_room;

typedef struct wadi_stop {
    atomic_uchar called;
    atomic_uint_fast64_t
        pipe; /* its ends + 1 in 32 bits each, opened when somebody wants to wait; 0: it is not */
    atomic_int calling; /* calls that go through the room */
    struct wadi_stop *above;
    _Atomic(struct wadi_stop *) *place; /* in the room of the one above */
    wadi_stop_room below;
} wadi_stop;

/* above: NULL, or a stop that is there now; if it has been called this one is. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_stop_init(wadi_stop *s, wadi_stop *above, wadi_error *err);
/* Harmless for one that is all zero. Those below it are on their own then. */
void wadi_stop_fini(wadi_stop *s);

/* Any thread, and signal handlers: atomics and a write. */
void wadi_stop_call(wadi_stop *s);
/* NULL: never. */
bool wadi_stop_called(const wadi_stop *s);
/* The descriptor that becomes readable with the call, opened by the first who asks; stays the stop's. Any thread. Errors:
 * WADI_IO. */
WADI_NODISCARD wadi_status wadi_stop_fd(wadi_stop *s, int *out_fd, wadi_error *err);

#endif
