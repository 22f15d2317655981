/* The rows of Table 2 of "Optimising Purely Functional GPU Programs" (paper_jobs.c) on each device, beside cpu: one round with the copies of its inputs
 * ("copied"), and what a further round takes on arrays that stay there ("resident"), which stands beside what Accelerate takes on the paper's GPU. */
#include <stdio.h>

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/devices/jobs.h"

/* Of f32, whose elementary functions devices round otherwise. */
#define TOLERANCE 1e-4

enum { QUICK_LEAST = 200, QUICK_ROWS = 4 };

static int64_t size_of(const bench *b, const bench_job *j) {
    if (!b->quick) return j->n;
    return j->rows ? QUICK_ROWS * j->extra : QUICK_LEAST;
}

/* Beside what the paper measured, on arrays that were there. */
static wadi_status beside_paper(bench *b, const bench_job *j, const char *device, double seconds,
                                wadi_error *err) {
    char name[96];
    if (b->quick) return WADI_OK; /* not the paper's sizes */
    (void)snprintf(name, sizeof name, "%s, resident, %s", j->name, device);
    return bench_line(b, "table2", name, seconds, "Accelerate, Tesla T10", j->paper_s, err);
}

static wadi_status compare(bench *b, const bench_job *j, const wadi_device_choices *list, int n,
                           bool resident, bench_job_run *runs, wadi_error *err) {
    bench_side sides[BENCH_MAX_SIDES];
    double seconds[BENCH_MAX_SIDES];
    char name[96];
    (void)snprintf(name, sizeof name, "%s, %s", j->name, resident ? "resident" : "copied");
    for (int i = 0; i < n; i++)
        sides[i] = (bench_side){list->at[i].name, resident ? bench_job_resident : bench_job_copied,
                                &runs[i]};
    WADI_TRY(bench_compare(b, "table2", name, n, sides, seconds, err));
    if (!resident) bench_job_pace(n, runs, seconds);
    for (int i = 1; i < n; i++) {
        WADI_TRY(bench_same(j->name, 1, &runs[i].sum, &runs[0].sum, TOLERANCE, err));
        if (resident) WADI_TRY(beside_paper(b, j, list->at[i].name, seconds[i], err));
    }
    return WADI_OK;
}

static wadi_status one_row(bench *b, const bench_job *j, const wadi_device_choices *list,
                           wadi_error *err) {
    bench_job_run runs[BENCH_MAX_SIDES] = {{.rounds = 0}};
    const int n = list->n < BENCH_MAX_SIDES ? list->n : BENCH_MAX_SIDES;
    bench_numbers d = {0};
    wadi_status status = bench_numbers_make(j, size_of(b, j), &d, err);
    for (int i = 0; i < n && status == WADI_OK; i++)
        status = bench_job_open(b, j, &d, list->at[i].name, NULL, &runs[i], err);
    if (status == WADI_OK) status = compare(b, j, list, n, false, runs, err);
    if (status == WADI_OK) status = compare(b, j, list, n, true, runs, err);
    for (int i = 0; i < n; i++) bench_program_close(&runs[i].program);
    bench_numbers_free(&d);
    return status;
}

wadi_status bench_table2(bench *b, wadi_error *err) {
    wadi_device_choices list;
    WADI_TRY(bench_beside_cpu(&list, err));
    for (const bench_job *j = bench_paper_jobs; j->name != NULL; j++)
        if (bench_wants(b, j->name)) {
            wadi_error why = {0};
            bench_case(b, j->name, one_row(b, j, &list, &why), &why);
        }
    return WADI_OK;
}
