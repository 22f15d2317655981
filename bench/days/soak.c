/* A run with workers that come and go, for --minutes: its home must not grow. Resident memory and open descriptors are sampled, and the longest time without a record;
 * what they are at most in the last quarter of the time is compared with the second. All records must come out, in order. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "bench/days/days.h"

enum {
    WORKERS = 2,
    QUARTERS = 4,
    CHUNK = 64,
    WAIT_US = 5000,
    SAMPLE_NS = 25000000,
    STAYS = 10, /* samples that a worker sees before it is killed */
    MORE_DESCRIPTORS = 4
};

#define MINUTES 0.2
#define QUICK_MINUTES (2.0 / 60)
#define MORE_MEMORY 0.1
#define MORE_GB 0.004 /* beside that: what an allocator may keep */

/* In GB and in thousands: the table for people has a thousandth as its unit. */
typedef struct size {
    double memory, descriptors;
} size;

static wadi_status look(size *out, wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read("/proc/self/statm", &text, &n, err));
    char *behind = text;
    (void)strtol(text, &behind, 10);
    out->memory = 1e-9 * (double)strtol(behind, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
    free(text);
    DIR *d = opendir("/proc/self/fd");
    if (d == NULL) return wadi_fail_errno(err, errno, "/proc/self/fd");
    out->descriptors = 0;
    while (readdir(d) != NULL) out->descriptors += 1e-3;
    (void)closedir(d);
    return WADI_OK;
}

typedef struct soak {
    char address[DAYS_ADDRESS];
    days_waits *run;
    pid_t worker[WORKERS];
    int came, quarter;
    size most[QUARTERS];
    double silence[QUARTERS]; /* s */
} soak;

static wadi_status replace(soak *s, wadi_error *err) {
    pid_t *w = &s->worker[s->came++ % WORKERS];
    days_end(*w);
    *w = 0;
    return days_worker(s->address, w, err);
}

static wadi_status sample(soak *s, int quarter, wadi_error *err) {
    size now = {0}, *most = &s->most[quarter];
    WADI_TRY(look(&now, err));
    if (now.memory > most->memory) most->memory = now.memory;
    if (now.descriptors > most->descriptors) most->descriptors = now.descriptors;
    return WADI_OK;
}

static void enter(soak *s, int quarter) {
    const double silence = days_waits_mark(s->run);
    if (quarter > 0) s->silence[quarter - 1] = silence;
    s->quarter = quarter;
}

/* Comings and goings, until the time is over. */
static wadi_status disturb(soak *s, double seconds, wadi_error *err) {
    const struct timespec nap = {0, SAMPLE_NS};
    const int64_t begin = wadi_clock_ns(), all = (int64_t)(1e9 * seconds);
    enter(s, 0);
    for (int i = 1; days_waits_until(s->run, 1); i++) {
        const int64_t gone = wadi_clock_ns() - begin;
        if (gone >= all) return WADI_OK;
        const int quarter = (int)(gone * QUARTERS / all);
        if (quarter > s->quarter) enter(s, quarter);
        WADI_TRY(sample(s, quarter, err));
        if (i % STAYS == 0) WADI_TRY(replace(s, err));
        (void)nanosleep(&nap, NULL);
    }
    return WADI_OK; /* the run is over, and tells why */
}

static wadi_status run_through(soak *s, double seconds, days_times *out, wadi_error *err) {
    const days_waiting what = {
        .address = s->address, .workers = WORKERS, .chunk = CHUNK, .us = WAIT_US};
    while (s->came < WORKERS) WADI_TRY(replace(s, err));
    WADI_TRY(days_waits_begin(&what, &s->run, err));
    (void)days_waits_until(s->run, 1);
    wadi_error why = {.status = WADI_OK};
    const wadi_status st = disturb(s, seconds, &why);
    days_waits_last(s->run);
    WADI_TRY(days_waits_end(s->run, out, err));
    s->silence[QUARTERS - 1] = out->silence_s;
    if (st != WADI_OK && err != NULL) *err = why;
    return st;
}

static wadi_status judge(bench *b, const char *way, const soak *s, wadi_error *err) {
    const size *at_first = &s->most[1], *later = &s->most[QUARTERS - 1];
    char name[64];
    (void)snprintf(name, sizeof name, "%s, resident GB", way);
    WADI_TRY(bench_line(b, "soak", name, later->memory, "at first", at_first->memory, err));
    (void)snprintf(name, sizeof name, "%s, 1000 descriptors", way);
    WADI_TRY(
        bench_line(b, "soak", name, later->descriptors, "at first", at_first->descriptors, err));
    (void)snprintf(name, sizeof name, "%s, seconds of silence", way);
    WADI_TRY(bench_line(b, "soak", name, s->silence[QUARTERS - 1], "at first", s->silence[1], err));
    if (later->descriptors > at_first->descriptors + 1e-3 * MORE_DESCRIPTORS)
        return wadi_fail(err, WADI_INTERNAL, "soak: %s: %.0f descriptors have become %.0f", way,
                         1e3 * at_first->descriptors, 1e3 * later->descriptors);
    /* What starts is not flat yet. */
    if (!b->quick && later->memory > (1 + MORE_MEMORY) * at_first->memory + MORE_GB)
        return wadi_fail(err, WADI_INTERNAL, "soak: %s: %.1f MB of memory have become %.1f", way,
                         1e3 * at_first->memory, 1e3 * later->memory);
    return WADI_OK;
}

static wadi_status on_way(bench *b, days_way *w, wadi_error *err) {
    soak s = {.came = 0};
    days_times times = {0};
    const double minutes = b->minutes > 0 ? b->minutes : b->quick ? QUICK_MINUTES : MINUTES;
    if (!bench_wants(b, w->name)) return WADI_OK;
    days_address(w, "soak", "0.3", s.address);
    wadi_status st = run_through(&s, 30 * minutes, &times, err); /* one way of two */
    for (int i = 0; i < WORKERS; i++) days_end(s.worker[i]);
    bench_say(b, "soak: %s: %lld records, %d workers", w->name, (long long)times.records, s.came);
    return st == WADI_OK ? judge(b, w->name, &s, err) : st;
}

wadi_status bench_soak(bench *b, wadi_error *err) {
    return days_each_way(b, "soak", on_way, err);
}
