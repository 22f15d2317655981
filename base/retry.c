/* Waiting in short naps, between which a stop is noticed. */
#include "base/retry.h"

#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/task.h"

static const double longest_s = 60;

static void nap(int64_t most_ns) {
    static const int64_t NAP_NS = 50000000;
    const int64_t ns = wadi_clock_sleep_ns(most_ns < NAP_NS ? most_ns : NAP_NS);
    (void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static bool is_over(const wadi_retry *r) {
    return (r->over != NULL && atomic_load(r->over)) || wadi_task_stopped();
}

static bool rest(const wadi_retry *r, const char *name, double s) {
    const int64_t until = wadi_clock_ns() + (int64_t)(s * 1e9);
    const int ticket = wadi_task_idle("another try of", -1, name);
    for (int64_t left; (left = until - wadi_clock_ns()) > 0 && !is_over(r);) nap(left);
    wadi_task_go_on(ticket);
    return !is_over(r);
}

void wadi_retry_wait_for_stop(void) {
    while (!wadi_task_stopped()) nap(INT64_MAX);
}

bool wadi_retry_wait(wadi_retry *r, const char *name, const char *why) {
    double s = r->after_s;
    if (r->tried >= r->most || is_over(r)) return false;
    for (int i = 0; i < r->tried && s < longest_s; i++) s *= 2;
    s = s < longest_s ? s : longest_s;
    r->tried++;
    wadi_logf(WADI_LOG_WARNING, "%s has failed, and is tried again in %g s (%d of %d): %s", name, s,
              r->tried, r->most, why);
    return rest(r, name, s);
}

void wadi_retry_well(wadi_retry *r) {
    r->tried = 0;
}
