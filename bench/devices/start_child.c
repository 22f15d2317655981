/* The processes whose starts are measured (start.c). The protocol is that of bench/streams/child.h; each does its thing once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/devices/devices.h"
#include "bench/devices/jobs.h"
#include "sched/devices.h"

enum { NUMBERS = 10000 };

typedef struct start {
    const char *kind, *device;
    const bench_job *job;
    bench b;
} start;

static double now_s(void) {
    return (double)wadi_clock_ns() * 1e-9;
}

/* ---- the device alone ---- */

static wadi_status open_device(const start *s, wadi_error *err) {
    wadi_device_choice c;
    wadi_buffers *buffers = NULL;
    wadi_device *device = NULL;
    WADI_TRY(wadi_buffers_create(NULL, 1 << 20, &buffers, err));
    wadi_status status = wadi_device_find(s->device, &c, err);
    const wadi_device_options options = {
        .buffers = buffers, .keep_bytes = 1 << 20, .threads = s->b.threads};
    if (status == WADI_OK) status = wadi_device_open(&c, &options, &device, err);
    /* it stays open: closing is no part of a start */
    return status;
}

/* ---- a program ---- */

static wadi_status run_job(const start *s, const bench_job *j, double *out_seconds,
                           wadi_error *err) {
    bench_numbers d = {0};
    bench_job_run r = {.rounds = 0};
    double unused = 0;
    WADI_TRY(bench_numbers_make(j, NUMBERS, &d, err));
    const double begin = now_s();
    wadi_status status = bench_job_open(&s->b, j, &d, s->device, NULL, &r, err);
    if (status == WADI_OK) status = bench_job_go(&r, 1, &unused, err);
    *out_seconds = now_s() - begin;
    bench_program_close(&r.program);
    bench_numbers_free(&d);
    return status;
}

/* Another program first: it opens the device, and compiles what every program needs. */
static wadi_status compile_cold(const start *s, double *out_seconds, wadi_error *err) {
    double other = 0, cold = 0, again = 0;
    WADI_TRY(open_device(s, err));
    WADI_TRY(run_job(s, &bench_jobs[0], &other, err));
    WADI_TRY(run_job(s, s->job, &cold, err));
    WADI_TRY(run_job(s, s->job, &again, err));
    *out_seconds = cold > again ? cold - again : 1e-9;
    return WADI_OK;
}

/* ---- without caches ---- */

/* PoCL's own is empty as well, but it is one: what has been compiled once is there the second time. */
static wadi_status empty_caches(char *folder, wadi_error *err) {
    if (mkdtemp(folder) == NULL || setenv("WADI_CACHE_DIR", folder, 1) != 0 ||
        setenv("CUDA_CACHE_DISABLE", "1", 1) != 0 || setenv("POCL_CACHE_DIR", folder, 1) != 0)
        return wadi_fail(err, WADI_IO, "no folder for an empty cache");
    return WADI_OK;
}

static void remove_cache(const char *folder) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf -- '%s'", folder);
    if (system(command) != 0) (void)fprintf(stderr, "%s is left\n", folder);
}

static wadi_status without_caches(const start *s, double *out_seconds, wadi_error *err) {
    char folder[] = "/tmp/bench-start-XXXXXX";
    WADI_TRY(empty_caches(folder, err));
    const wadi_status status = strcmp(s->kind, "cold") == 0 ? compile_cold(s, out_seconds, err)
                                                            : run_job(s, s->job, out_seconds, err);
    remove_cache(folder);
    return status;
}

/* ---- all together ---- */

static wadi_status measure(const start *s, double *out_seconds, wadi_error *err) {
    const double begin = now_s();
    if (strcmp(s->kind, "warm") == 0) return run_job(s, s->job, out_seconds, err);
    if (strcmp(s->kind, "open") != 0) return without_caches(s, out_seconds, err);
    WADI_TRY(open_device(s, err));
    *out_seconds = now_s() - begin;
    return WADI_OK;
}

int bench_start_child(char **argv) {
    start s = {.kind = argv[0], .device = argv[1], .job = bench_job_find(argv[2])};
    wadi_error err = {0};
    double seconds = 0;
    char line[16];
    s.b = (bench){.quick = true, .threads = atoi(argv[3])};
    (void)puts("ready");
    (void)fflush(stdout);
    if (s.job == NULL || fgets(line, sizeof line, stdin) == NULL) return 2;
    if (measure(&s, &seconds, &err) != WADI_OK) {
        (void)fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    (void)printf("%.9f\n", seconds);
    (void)fflush(stdout);
    /* without closing what the driver has opened */
    _Exit(0);
}
