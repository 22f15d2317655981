/* Time, in nanoseconds. */
#ifndef WADI_BASE_CLOCK_H
#define WADI_BASE_CLOCK_H

#include <stdint.h>

/* Never goes back. Only differences mean something. */
int64_t wadi_clock_ns(void);

/* How long to sleep in real time if wadi_clock_ns shall go on by ns: ns itself, or less if a test has set the clock. */
int64_t wadi_clock_sleep_ns(int64_t ns);

/* For tests: from now on wadi_clock_ns returns what `now` returns, and sleepers look at it every millisecond. NULL: the
 * real clock again. Must not be called while anybody sleeps. */
void wadi_clock_set(int64_t (*now)(void));

#endif
