/* Compiling and running a wadi program for a benchmark. */
#include "bench/streams/program.h"

#include <math.h>

#include "base/error.h"

enum { WATCHED = 32 };

wadi_status bench_program_open(const bench *b, wadi_program *owned_p, bench_program *out,
                               wadi_error *err) {
    *out = (bench_program){.options = {.threads = b->threads, .device = b->device}};
    if (owned_p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = wadi_compile(owned_p, NULL, &out->exe, err);
    wadi_program_destroy(owned_p);
    return status;
}

void bench_program_close(bench_program *p) {
    wadi_run_destroy(p->run);
    wadi_exe_destroy(p->exe);
    *p = (bench_program){0};
}

void bench_program_vector(bench_program *p, const char *name, wadi_type type, int64_t n,
                          const void *values) {
    WADI_ASSERT(p->inputs < 8);
    p->name[p->inputs] = name;
    p->input[p->inputs++] = (wadi_array){.rank = 1,
                                         .fields = 1,
                                         .type = {type},
                                         .shape = {n},
                                         .column = {(void *)(uintptr_t)values}};
}

/* Programs that have run since somebody has begun to watch. */
static struct {
    bool on;
    int n;
    bench_program *of[WATCHED];
} watched;

static void watch(bench_program *p) {
    for (int i = 0; i < watched.n; i++)
        if (watched.of[i] == p) return;
    WADI_ASSERT(watched.n < WATCHED);
    watched.of[watched.n++] = p;
}

wadi_status bench_program_run(void *env, double *out_seconds, wadi_error *err) {
    bench_program *p = env;
    WADI_UNUSED(out_seconds);
    wadi_run_destroy(p->run);
    p->run = NULL;
    WADI_TRY(wadi_run_create(p->exe, &p->options, &p->run, err));
    if (watched.on) watch(p);
    for (int i = 0; i < p->inputs; i++) {
        WADI_TRY(wadi_run_input(p->run, p->name[i], &p->input[i], err));
    }
    return wadi_run_go(p->run, err);
}

void bench_programs_watch(void) {
    watched.n = 0;
    watched.on = true;
}

void bench_programs_rest(void) {
    for (int i = 0; i < watched.n; i++) {
        wadi_run_destroy(watched.of[i]->run);
        watched.of[i]->run = NULL;
    }
    watched.on = false;
}

wadi_status bench_program_result(const bench_program *p, const char *name, wadi_array *out,
                                 wadi_error *err) {
    return wadi_run_result(p->run, name, out, err);
}

double bench_number(wadi_type type, const void *column, int64_t i) {
    switch (type) {
    case WADI_F32:
        return (double)((const float *)column)[i];
    case WADI_F64:
        return ((const double *)column)[i];
    case WADI_U8:
        return ((const uint8_t *)column)[i];
    case WADI_I32:
        return ((const int32_t *)column)[i];
    case WADI_U32:
        return ((const uint32_t *)column)[i];
    default:
        return (double)((const int64_t *)column)[i];
    }
}

wadi_status bench_same(const char *what, int64_t n, const double *a, const double *b,
                       double tolerance, wadi_error *err) {
    for (int64_t i = 0; i < n; i++) {
        if (fabs(a[i] - b[i]) <= tolerance * (1 + fabs(b[i]))) continue;
        return wadi_fail(err, WADI_INTERNAL, "%s: element %lld is %.17g, expected %.17g", what,
                         (long long)i, a[i], b[i]);
    }
    return WADI_OK;
}
