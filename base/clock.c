/* The POSIX clocks. Both exist on every system wadi builds on, so their calls cannot fail. */
#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id) {
    struct timespec t = {0, 0};
    (void)clock_gettime(id, &t);
    return (int64_t)t.tv_sec * INT64_C(1000000000) + (int64_t)t.tv_nsec;
}

int64_t wadi_clock_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

int64_t wadi_clock_thread_cpu_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
