/* Threads that can be left behind. A call of somebody else's library, such as a driver, may never return, and no thread can be ended from outside.
 *
 * A thread that may be left says when such a call begins and ends. Whoever waits for the thread may leave it while it is in a call that has taken too
 * long. It never comes out of that call then: if the library returns after all, the thread sleeps until the process ends. So it touches nothing
 * any more, and only what the library itself may still use must stay. */
#ifndef WADI_BASE_BEHIND_H
#define WADI_BASE_BEHIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero is a thread in no call. It must stay as long as the process once the thread has been left. */
typedef struct wadi_behind {
    atomic_int_least64_t
        since; /* clock when the call began; 0: it is in none; -1: it has been left */
} wadi_behind;

/* The calling thread may be left from now on; NULL: no longer. */
void wadi_behind_watch(wadi_behind *b);

/* A call begins, and ends. They may be nested: the outermost counts. Nothing happens in a thread that cannot be left. */
void wadi_behind_enter(void);
/* The same for a call, or a part of one, that began at that time of the clock. */
void wadi_behind_enter_since(int64_t begin_ns);
void wadi_behind_leave(void);

/* Leaves the thread if it has been in its call for `least_ns`. False: it goes on. */
bool wadi_behind_try(wadi_behind *b, int64_t least_ns);
/* How many the process has left. */
int wadi_behind_count(void);

#endif
