/* Time, in nanoseconds. */
#ifndef WADI_BASE_CLOCK_H
#define WADI_BASE_CLOCK_H

#include <stdint.h>

/* Never goes back; its zero means nothing. */
int64_t wadi_clock_ns(void);

/* How long to sleep, in the world's time, until wadi_clock_ns may have gone on by ns. */
int64_t wadi_clock_sleep_ns(int64_t ns);

/* For tests: from now on wadi_clock_ns is what `now` says, and whoever sleeps for a time looks at it again and again. NULL: the
 * world's clock. Not while anybody sleeps. */
void wadi_clock_set(int64_t (*now)(void));

#endif
