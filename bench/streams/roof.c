/* How fast this machine reads memory: the roof under which sparse products and graph algorithms live.
 *
 * Every thread sums its part of an array far beyond the caches, eight sums at a time so that additions do not wait for each other.
 * Reported as a line of its own, seconds per pass against the same pass by one thread; bench_read_bandwidth gives the
 * rate to others. */
#include "bench/streams/benchmarks.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "bench/streams/roof.h"

enum { PARTS = 64 };

typedef struct work {
    const double *values;
    int64_t n;
    double sum[PARTS];
} work;

static void sum_parts(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(worker);
    work *w = env;
    for (int64_t part = begin; part < end; part++) {
        const double *at = w->values + part * (w->n / PARTS);
        double sum[16] = {0};
        for (int64_t i = 0; i + 16 <= w->n / PARTS; i += 16) {
            for (int k = 0; k < 16; k++) sum[k] += at[i + k];
        }
        w->sum[part] = 0;
        for (int k = 0; k < 16; k++) w->sum[part] += sum[k];
    }
}

/* Median of several passes, seconds. */
static double pass_time(wadi_pool *pool, work *w) {
    double seconds[7];
    for (int i = 0; i < 7; i++) {
        const int64_t start = wadi_clock_ns();
        wadi_pool_for(pool, PARTS, 1, sum_parts, w);
        seconds[i] = (double)(wadi_clock_ns() - start) * 1e-9;
    }
    return bench_median(7, seconds);
}

static wadi_status measure(int threads, int64_t bytes, double *out_seconds, wadi_error *err) {
    work w = {.n = bytes / (int64_t)sizeof(double)};
    double *values = malloc((size_t)bytes);
    if (values == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < w.n; i++) values[i] = (double)(i & 1023);
    w.values = values;
    wadi_pool *pool = NULL;
    const wadi_status status = wadi_pool_create(threads, &pool, err);
    if (status == WADI_OK) *out_seconds = pass_time(pool, &w);
    wadi_pool_destroy(pool);
    free(values);
    return status;
}

static int64_t bytes_for(const bench *b) {
    return b->quick ? INT64_C(1) << 20 : INT64_C(1) << 29;
}

wadi_status bench_read_bandwidth(bench *b, double *out_bytes_per_s, wadi_error *err) {
    if (b->read_bandwidth <= 0) {
        double seconds = 1;
        WADI_TRY(measure(b->threads, bytes_for(b), &seconds, err));
        b->read_bandwidth = (double)bytes_for(b) / seconds;
    }
    *out_bytes_per_s = b->read_bandwidth;
    return WADI_OK;
}

wadi_status bench_roof(bench *b, wadi_error *err) {
    double all = 0, one = 0;
    WADI_TRY(bench_read_bandwidth(b, &all, err));
    WADI_TRY(measure(1, bytes_for(b), &one, err));
    const double bytes = (double)bytes_for(b);
    bench_say(b, "memory is read at %.1f GB/s by %d threads, at %.1f GB/s by one", 1e-9 * all,
              b->threads, 1e-9 * bytes / one);
    return bench_line(b, "roof", "read memory, C", bytes / all, "one thread", one, err);
}
