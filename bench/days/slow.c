/* Four workers, of which one is slow: a sink that takes elements in any order, and one that wants them in order. Their chunks need no processor, so neither is short
 * of anything but what waits for the slow one. */
#include <stdio.h>

#include "base/error.h"
#include "bench/days/days.h"

enum {
    WORKERS = 4,
    TIMES = 20,
    CHUNK = 4096,
    CHUNKS = 400,
    QUICK_CHUNKS = 40,
    US = 5000,
    QUICK_US = 1000
};

typedef struct side {
    days_waiting what;
    int64_t peak_bytes;
} side;

static wadi_status run_side(void *env, double *out_s, wadi_error *err) {
    side *of = env;
    days_waits *run = NULL;
    days_times times;
    WADI_TRY(days_waits_begin(&of->what, &run, err));
    WADI_TRY(days_waits_end(run, &times, err));
    *out_s = times.span_s;
    of->peak_bytes = times.peak_bytes;
    return WADI_OK;
}

static wadi_status measure(bench *b, const days_way *w, const char *address, wadi_error *err) {
    const days_waiting what = {.address = address,
                               .workers = WORKERS,
                               .chunk = CHUNK,
                               .us = b->quick ? QUICK_US : US,
                               .records = (int64_t)CHUNK * (b->quick ? QUICK_CHUNKS : CHUNKS)};
    side any = {.what = what}, in_order = {.what = what};
    char name[64];
    double s[2];
    any.what.unordered = true;
    const bench_side sides[] = {{"wadi", run_side, &any}, {"in order", run_side, &in_order}};
    (void)snprintf(name, sizeof name, "%s, one of %d workers %d times slower", w->name, WORKERS,
                   TIMES);
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(bench_compare(b, "slow", name, 2, sides, s, err));
    bench_say(b, "%s: memory of home %.1f MB, in order %.1f MB", name,
              1e-6 * (double)any.peak_bytes, 1e-6 * (double)in_order.peak_bytes);
    return WADI_OK;
}

static wadi_status on_way(bench *b, days_way *w, wadi_error *err) {
    char address[DAYS_ADDRESS];
    pid_t worker[WORKERS] = {0};
    wadi_status st = WADI_OK;
    days_address(w, "slow", "30", address);
    for (int i = 0; i < WORKERS && st == WADI_OK; i++)
        st = i == 0 ? days_slow_worker(address, TIMES, &worker[i], err)
                    : days_worker(address, &worker[i], err);
    if (st == WADI_OK) st = measure(b, w, address, err);
    for (int i = 0; i < WORKERS; i++) days_end(worker[i]);
    return st;
}

wadi_status bench_slow(bench *b, wadi_error *err) {
    return days_each_way(b, "slow", on_way, err);
}
