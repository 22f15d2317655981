/* What more workers bring where work is waiting: N workers against N times one that loses no time. Their chunks need no processor, so it is the home and the
 * way that are measured. */
#include <stdio.h>

#include "base/error.h"
#include "bench/days/days.h"

static const int crews[] = {1, 2, 4, 8};

enum { MOST = 8, QUICK_CREWS = 2, EACH = 60, QUICK_EACH = 15, WAIT_US = 10000, QUICK_US = 2000 };

static wadi_status run_crew(void *env, double *out_s, wadi_error *err) {
    const days_waiting *what = env;
    days_waits *run = NULL;
    days_times times;
    WADI_TRY(days_waits_begin(what, &run, err));
    WADI_TRY(days_waits_end(run, &times, err));
    /* The first chunk comes out when it has been waited for. */
    *out_s = times.span_s + 1e-6 * (double)what->us;
    return WADI_OK;
}

static wadi_status measure(bench *b, const days_way *w, const days_waiting *what, wadi_error *err) {
    char name[64];
    double ideal_s = 1e-6 * (double)what->us * (double)(what->records / what->workers), s[2];
    const bench_side sides[] = {{"wadi", run_crew, (void *)what}, {"ideal", days_told, &ideal_s}};
    (void)snprintf(name, sizeof name, "%s, %d workers, %lld chunks", w->name, what->workers,
                   (long long)what->records);
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(bench_compare(b, "scale", name, 2, sides, s, err));
    if (s[0] > 0)
        bench_say(b, "%s: %.0f chunks a second of %.0f", name, (double)what->records / s[0],
                  (double)what->records / ideal_s);
    return WADI_OK;
}

/* Workers stay, so each crew is the one before and some more. */
static wadi_status on_way(bench *b, days_way *w, wadi_error *err) {
    const int n = b->quick ? QUICK_CREWS : (int)(sizeof crews / sizeof *crews);
    char address[DAYS_ADDRESS];
    pid_t worker[MOST] = {0};
    int there = 0;
    wadi_status st = WADI_OK;
    days_address(w, "scale", "5", address);
    for (int i = 0; st == WADI_OK && i < n; i++) {
        const days_waiting what = {.address = address,
                                   .workers = crews[i],
                                   .chunk = 1,
                                   .us = b->quick ? QUICK_US : WAIT_US,
                                   .records = crews[i] * (b->quick ? QUICK_EACH : EACH)};
        while (st == WADI_OK && there < crews[i]) {
            st = days_worker(address, &worker[there], err);
            if (st == WADI_OK) there++;
        }
        if (st == WADI_OK) st = measure(b, w, &what, err);
    }
    for (int i = 0; i < there; i++) days_end(worker[i]);
    return st;
}

wadi_status bench_scale(bench *b, wadi_error *err) {
    return days_each_way(b, "scale", on_way, err);
}
