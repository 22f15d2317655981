/* The monotonic clock of POSIX. It exists on every system that wadi builds on, so the call cannot fail. */
#include "base/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum { LOOK_NS = 1000000 /* how often a sleeper looks at a clock that a test has set */ };

static int64_t (*_Atomic set)(void);

static int64_t world(void) {
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * INT64_C(1000000000) + (int64_t)t.tv_nsec;
}

int64_t wadi_clock_ns(void) {
    int64_t (*now)(void) = atomic_load_explicit(&set, memory_order_relaxed);
    return now != NULL ? now() : world();
}

int64_t wadi_clock_sleep_ns(int64_t ns) {
    const int is_set = atomic_load_explicit(&set, memory_order_relaxed) != NULL;
    return is_set && ns > LOOK_NS ? LOOK_NS : ns;
}

void wadi_clock_set(int64_t (*now)(void)) {
    atomic_store(&set, now);
}
