/* The cost of a run with almost no work: 16 rows of 16 numbers, again and again, against a parallel region of OpenMP that does
 * the same. No ratio is required. The benchmark shows how small a computation may be and still be worth a run. */
#include "bench/streams/benchmarks.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/streams/program.h"

enum { ROWS = 16, COLUMNS = 16, RUNS = 50 };

typedef struct data {
    float in[ROWS][COLUMNS], out[ROWS][COLUMNS];
    int threads, runs;
} data;

/* ---- wadi ---- */

typedef enum form { WHOLE, TABULATED, KEPT, CALLED, FORMS } form;

static const char *const names[FORMS] = {[WHOLE] = "array program",
                                         [TABULATED] = "stream, tabulated",
                                         [KEPT] = "stream, memory sink",
                                         [CALLED] = "stream, callbacks"};

static wadi_exp curve(wadi_exp x) {
    return wadi_add(wadi_mul(x, x), wadi_mul(x, wadi_f32(0.5f)));
}

static wadi_acc mapped(wadi_acc row) {
    return wadi_map(curve, row);
}

static wadi_program *build(form f) {
    const wadi_component row = {wadi_scalar_elem(WADI_F32), 1, NULL};
    wadi_program *p = wadi_program_create("start");
    if (p == NULL) return NULL;
    if (f == CALLED) {
        wadi_stream_out(wadi_map_seq(mapped, wadi_stream_in("in", 1, &row)), "out");
        return p;
    }
    const wadi_acc m = wadi_input("m", WADI_F32, 2, NULL);
    if (f == WHOLE) wadi_output("out", wadi_compute(wadi_map(curve, m)));
    if (f == TABULATED)
        wadi_output("out", wadi_consume(wadi_tabulate(wadi_map_seq(mapped, wadi_to_seq(m)))));
    if (f == KEPT) wadi_stream_out(wadi_map_seq(mapped, wadi_to_seq(m)), "out");
    return p;
}

typedef struct ours {
    form form;
    bench_program program;
    data *data;
} ours;

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const data *d = env;
    const int64_t shape = COLUMNS;
    wadi_array a;
    if (index == ROWS) return WADI_OK;
    WADI_TRY(wadi_yield_array(yield, 0, &shape, &a, err));
    memcpy(a.column[0], d->in[index], sizeof d->in[index]);
    return WADI_OK;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    data *d = env;
    WADI_UNUSED(parts);
    WADI_UNUSED(err);
    memcpy(d->out[index], element[0].column[0], sizeof d->out[index]);
    return WADI_OK;
}

static wadi_status open_ends(ours *o, wadi_source **source, wadi_sink **sink, wadi_error *err) {
    const wadi_part part = wadi_part_irregular(WADI_F32, 1);
    if (o->form == KEPT) return wadi_sink_memory(sink, err);
    if (o->form != CALLED) return WADI_OK;
    WADI_TRY(wadi_source_callback(1, &part, pull, o->data, source, err));
    return wadi_sink_callback(push, o->data, sink, err);
}

static wadi_status take_out(const ours *o, wadi_run *run, const wadi_sink *sink, wadi_error *err) {
    data *d = o->data;
    wadi_array a;
    if (o->form == WHOLE || o->form == TABULATED) {
        WADI_TRY(wadi_run_result(run, "out", &a, err));
        memcpy(d->out, a.column[0], sizeof d->out);
    }
    for (int64_t i = 0; i < ROWS && o->form == KEPT; i++) {
        WADI_TRY(wadi_sink_memory_get(sink, i, 0, &a, err));
        memcpy(d->out[i], a.column[0], sizeof d->out[i]);
    }
    return WADI_OK;
}

/* From making the run to destroying it. */
static wadi_status run_once(ours *o, wadi_error *err) {
    const wadi_array m = {2, 1, {WADI_F32}, {ROWS, COLUMNS}, {o->data->in}};
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_status st = wadi_run_create(o->program.exe, &o->program.options, &run, err);
    if (st == WADI_OK) st = open_ends(o, &source, &sink, err);
    if (st == WADI_OK && o->form != CALLED) st = wadi_run_input(run, "m", &m, err);
    if (st == WADI_OK && source != NULL) st = wadi_run_source(run, "in", source, err);
    if (st == WADI_OK && sink != NULL) st = wadi_run_sink(run, "out", sink, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = take_out(o, run, sink, err);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return st;
}

static wadi_status run_ours(void *env, double *out_seconds, wadi_error *err) {
    ours *o = env;
    const int64_t start = wadi_clock_ns();
    for (int i = 0; i < o->data->runs; i++) WADI_TRY(run_once(o, err));
    *out_seconds = (double)(wadi_clock_ns() - start) / 1e9 / o->data->runs;
    return WADI_OK;
}

/* ---- OpenMP ---- */

static wadi_status run_region(void *env, double *out_seconds, wadi_error *err) {
    data *d = env;
    WADI_UNUSED(err);
    const int64_t start = wadi_clock_ns();
    for (int k = 0; k < d->runs; k++) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(d->threads)
#endif
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                d->out[i][j] = d->in[i][j] * d->in[i][j] + d->in[i][j] * 0.5f;
    }
    *out_seconds = (double)(wadi_clock_ns() - start) / 1e9 / d->runs;
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_status check(const data *d, const char *name, wadi_error *err) {
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const float x = d->in[i / COLUMNS][i % COLUMNS], y = d->out[i / COLUMNS][i % COLUMNS];
        if (y != x * x + x * 0.5f)
            return wadi_fail(err, WADI_INTERNAL, "%s: value %d differs", name, i);
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, form f, data *d, wadi_error *err) {
    ours o = {.form = f, .data = d};
    WADI_TRY(bench_program_open(b, build(f), &o.program, err));
    const bench_side side[] = {{"wadi", run_ours, &o}, {"OpenMP parallel for", run_region, d}};
    memset(d->out, 0, sizeof d->out);
    wadi_status st = run_once(&o, err);
    if (st == WADI_OK) st = check(d, names[f], err);
    if (st == WADI_OK) st = bench_compare(b, "start", names[f], 2, side, NULL, err);
    bench_program_close(&o.program);
    return st;
}

wadi_status bench_start(bench *b, wadi_error *err) {
    data *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    d->threads = b->threads;
    d->runs = b->quick ? 3 : RUNS;
    /* whole numbers: exact whatever is contracted */
    for (int i = 0; i < ROWS * COLUMNS; i++) d->in[i / COLUMNS][i % COLUMNS] = (float)(i % 100);
    wadi_status st = WADI_OK;
    for (int f = 0; f < FORMS && st == WADI_OK; f++)
        if (bench_wants(b, names[f])) st = one_case(b, (form)f, d, err);
    free(d);
    return st;
}
