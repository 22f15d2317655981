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

/* Room for the stops below a stop. More rooms are added as they are needed. */
typedef struct wadi_stop_room {
    _Atomic(struct wadi_stop *) seat[WADI_STOP_SEATS];
    _Atomic(struct wadi_stop_room *) next;
} wadi_stop_room;

typedef struct wadi_stop {
    atomic_uchar called;
    atomic_uint_fast64_t
        pipe; /* both descriptors + 1, in 32 bits each; opened when somebody wants to wait; 0: not open */
    atomic_int calling; /* how many calls are going through the rooms below */
    struct wadi_stop *above;
    _Atomic(struct wadi_stop *) *place; /* the seat in the room of the stop above */
    wadi_stop_room below;
} wadi_stop;

/* above: NULL, or an initialised stop. If that has been called, so has the new one. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_stop_init(wadi_stop *s, wadi_stop *above, wadi_error *err);
/* The stops below it have no stop above them afterwards. Harmless if *s is all zero. */
void wadi_stop_fini(wadi_stop *s);

/* May be called by any thread and by signal handlers: it uses only atomics and write(). */
void wadi_stop_call(wadi_stop *s);
/* False for NULL. */
bool wadi_stop_called(const wadi_stop *s);
/* A descriptor that becomes readable when the stop is called. The first who asks opens it; it belongs to the stop. Any thread may
 * ask. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_stop_fd(wadi_stop *s, int *out_fd, wadi_error *err);

#endif
