/* Trying again what the world has made fail, a disk that is full or a server that is away: a few times, and less and less often. */
#ifndef WADI_BASE_RETRY_H
#define WADI_BASE_RETRY_H

#include <stdatomic.h>
#include <stdbool.h>

/* All zero: nothing is tried again. One thread at a time. */
typedef struct wadi_retry {
    int most;       /* tries in a row */
    double after_s; /* the first waits for so long, each further one twice as long, 60 s at most */
    int tried;      /* in a row */
    const atomic_bool *over; /* true: nothing is tried again any more; NULL: false */
} wadi_retry;

/* After a failure of `name` ("the source \"s\""), whose words are `why`: logs a warning, waits, and returns true; the caller tries again. False: that was
 * the last time, it is over, or the task was stopped. */
bool wadi_retry_wait(wadi_retry *r, const char *name, const char *why);
/* Waits until the task is stopped. */
void wadi_retry_wait_for_stop(void);
/* It has succeeded. */
void wadi_retry_well(wadi_retry *r);

#endif
