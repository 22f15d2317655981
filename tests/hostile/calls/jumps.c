/* Preloaded into a program: its clock on the wall jumps whenever it looks, to and fro, by a day and by ten years. Other clocks are as they are.
 *
 *     WADI_CLOCK_STEPS=MS    it steps by an hour instead, forth and back in turn, each so many milliseconds: one that is set back while somebody waits by it */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static time_t step(long ms) {
    struct timespec t = {0, 0};
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (t.tv_sec * 1000 + t.tv_nsec / 1000000) / ms % 2 != 0 ? 3600 : 0;
}

static time_t jump(void) {
    static const time_t jumps[] = {0, 315360000, -86400, 86400, -315360000, 1};
    static atomic_uint looks;
    const char *steps = getenv("WADI_CLOCK_STEPS");
    const long ms = steps != NULL ? strtol(steps, NULL, 10) : 0;
    if (ms > 0) return step(ms);
    return jumps[atomic_fetch_add(&looks, 1) % (sizeof jumps / sizeof jumps[0])];
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec *out) {
    const int rc = (int)syscall(SYS_clock_gettime, clock, out);
    if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += jump();
    return rc;
}

PUBLIC int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec t = {0, 0};
    (void)zone;
    const int rc = clock_gettime(CLOCK_REALTIME, &t);
    *out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return rc;
}

PUBLIC time_t time(time_t *out) {
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (out != NULL) *out = t.tv_sec;
    return t.tv_sec;
}
