/* What it takes to start on each device, for some of the array jobs on few numbers. Each figure is that of processes of their own
 * (start_child.c), one after the other:
 *
 *   open    the device alone is opened: what its driver takes
 *   warm    the program is compiled, its kernels are in the cache, it is run once
 *   cold    what compiling the kernels adds, with an empty cache, on a device that has run another program before
 *   first   a run with an empty cache: all that a user waits for on the first day
 *
 * Asked: warm at most 50 ms longer than open, cold at most 1 s. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/devices/jobs.h"
#include "bench/streams/child.h"

#define ASKED_WARM_S 0.05
#define ASKED_COLD_S 1.0

static const char *const measured[] = {"sum", "scan", "Black-Scholes", "SMVM", "MD5"};

enum { OPEN, WARM, COLD, FIRST, KINDS };
enum { MOST_RUNS = 64, FEW = 3, JOBS = sizeof measured / sizeof measured[0] };

static const char *const kinds[KINDS] = {"open", "warm", "cold", "first"};

typedef struct side {
    const char *kind, *device, *job;
    int threads;
} side;

static wadi_status run(void *env, double *out_seconds, wadi_error *err) {
    const side *s = env;
    char threads[16];
    bench_child *child = NULL;
    (void)snprintf(threads, sizeof threads, "%d", s->threads);
    const char *const argv[] = {"/proc/self/exe", "--start", s->kind, s->device,
                                s->job,           threads,   NULL};
    WADI_TRY(bench_child_open(argv, &child, err));
    const wadi_status status = bench_child_run(child, out_seconds, err);
    bench_child_close(child);
    return status;
}

/* The median of some processes; of those that compile, of three. */
static wadi_status median_of(const bench *b, side *s, bool compiles, double *out, wadi_error *err) {
    double each[MOST_RUNS];
    const int asked = b->quick ? 1 : compiles ? 3 : b->deadline_ns != 0 ? FEW : b->runs;
    const int runs = asked < MOST_RUNS ? asked : MOST_RUNS;
    for (int i = 0; i < runs; i++) WADI_TRY(run(s, &each[i], err));
    *out = bench_median(runs, each);
    return WADI_OK;
}

/* *open: what the device alone takes; below 0: not measured yet. */
static wadi_status one_case(bench *b, const char *device, const char *job, double *open,
                            wadi_error *err) {
    double seconds[KINDS] = {*open};
    char name[64];
    for (int i = *open < 0 ? OPEN : WARM; i < KINDS; i++) {
        side s = {kinds[i], device, job, b->threads};
        if (i == WARM) WADI_TRY(run(&s, &seconds[i], err)); /* fills the cache */
        WADI_TRY(median_of(b, &s, i > WARM, &seconds[i], err));
    }
    *open = seconds[OPEN];
    (void)snprintf(name, sizeof name, "%s, %s, warm", job, device);
    WADI_TRY(bench_line(b, "start", name, seconds[WARM], "the device alone", seconds[OPEN], err));
    const double beyond = seconds[WARM] > seconds[OPEN] ? seconds[WARM] - seconds[OPEN] : 1e-9;
    (void)snprintf(name, sizeof name, "%s, %s, warm, beyond it", job, device);
    WADI_TRY(bench_line(b, "start", name, beyond, "asked: 50 ms", ASKED_WARM_S, err));
    (void)snprintf(name, sizeof name, "%s, %s, cold", job, device);
    WADI_TRY(bench_line(b, "start", name, seconds[COLD], "asked: 1 s", ASKED_COLD_S, err));
    (void)snprintf(name, sizeof name, "%s, %s, first", job, device);
    return bench_line(b, "start", name, seconds[FIRST], "the device alone", seconds[OPEN], err);
}

static void one_job(bench *b, const wadi_device_choices *list, const char *job, double *open) {
    for (int i = 0; i < list->n; i++) {
        wadi_error why = {0};
        bench_case(b, job, one_case(b, list->at[i].name, job, &open[i], &why), &why);
    }
}

wadi_status bench_start_devices(bench *b, wadi_error *err) {
    wadi_device_choices list;
    double open[WADI_DEVICES_MOST];
    WADI_TRY(bench_beside_cpu(&list, err));
    for (int i = 0; i < list.n; i++) open[i] = -1;
    for (int k = 0; k < (b->quick ? 1 : JOBS); k++)
        if (bench_wants(b, measured[k])) one_job(b, &list, measured[k], open);
    return WADI_OK;
}
