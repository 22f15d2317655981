/* Time, in nanoseconds. */
#ifndef WADI_BASE_CLOCK_H
#define WADI_BASE_CLOCK_H

#include <stdint.h>

/* Never goes back; its zero means nothing. */
int64_t wadi_clock_ns(void);

/* Processor time of the calling thread. */
int64_t wadi_clock_thread_cpu_ns(void);

#endif
