/* Many small Fourier transforms, 32 x 32 of c128, against FFTW on as many threads (paper 001, Table 1):
 *
 *   foreign          FFTW's routine in a stage, one batch per chunk of the stream
 *   foreign, lifted  the same, lifted by hand: one call over the whole array
 *   regular          the transform written in the language, in a stage whose elements are known to be 32 x 32
 *   regular, lifted  the same over the whole array
 *   irregular        the transform of any extent, in a stage that knows nothing of its elements' shapes
 *   one by one       regular, a chunk for every element
 *
 * Streams come from memory and go to a sink that takes each chunk and drops it; whole arrays are results. FFTW's plan (plan_many,
 * estimated, as good as a measured one here) is made once; it reads one array and writes another. */
#include "bench/streams/benchmarks.h"

#ifndef WADI_HAVE_FFTW

wadi_status bench_fft(bench *b, wadi_error *err) {
    (void)err;
    bench_say(b, "fft: skipped, built without FFTW (libfftw3-dev)");
    return WADI_OK;
}

#else

#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wadi/wadi.h"

enum { SIDE = 32, SIZE = SIDE * SIDE };

typedef struct data {
    int64_t n;
    double *in, *out; /* [n][SIZE], pairs */
} data;

/* ---- FFTW ---- */

typedef struct peer {
    fftw_plan plan;
} peer;

static wadi_status run_fftw(void *env, double *out_seconds, wadi_error *err) {
    const peer *p = env;
    WADI_UNUSED(out_seconds), WADI_UNUSED(err);
    fftw_execute(p->plan);
    return WADI_OK;
}

static wadi_status open_peer(const bench *b, data *d, peer *p, wadi_error *err) {
    static const int side[] = {SIDE, SIDE};
    if (!fftw_init_threads()) return wadi_fail(err, WADI_INTERNAL, "FFTW starts no threads");
    fftw_plan_with_nthreads(b->threads);
    p->plan =
        fftw_plan_many_dft(2, side, (int)d->n, (fftw_complex *)d->in, NULL, 1, SIZE,
                           (fftw_complex *)d->out, NULL, 1, SIZE, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan_with_nthreads(1); /* wadi's own plans are for one */
    return p->plan ? WADI_OK : wadi_fail(err, WADI_MEMORY, "FFTW makes no plan");
}

/* ---- the programs ---- */

static wadi_acc by_library(wadi_acc x) {
    return wadi_fft_nd(2, x);
}

static wadi_acc in_language(wadi_acc x) {
    static const int64_t n[] = {SIDE, SIDE};
    return wadi_fft_sized(2, n, false, x);
}

static wadi_acc of_any_extent(wadi_acc x) {
    return wadi_fft_own(2, false, x);
}

typedef struct form {
    const char *name;
    wadi_acc_fn1 body;
    bool stream, declared;
    int64_t chunk;
} form;

static const form forms[] = {
    {"foreign", by_library, true, true, 0},       {"foreign, lifted", by_library, false, true, 0},
    {"regular", in_language, true, true, 0},      {"regular, lifted", in_language, false, true, 0},
    {"irregular", of_any_extent, true, false, 0}, {"one by one", in_language, true, true, 1},
};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct ours {
    const form *form;
    const data *data;
    const bench *b;
    bool check;
    double worst;
    wadi_exe *exe;
} ours;

static wadi_program *build(const form *f) {
    static const char *const square[] = {"32", "32"}, *const cube[] = {"n", "32", "32"};
    wadi_program *p = wadi_program_create("fft");
    if (p && f->stream) {
        const wadi_component c = {wadi_scalar_elem(WADI_C128), 2, f->declared ? square : NULL};
        wadi_stream_out(wadi_map_seq(f->body, wadi_stream_in("x", 1, &c)), "y");
    } else if (p) {
        wadi_output("y", f->body(wadi_input("x", WADI_C128, 3, cube)));
    }
    return p;
}

static wadi_status open_ours(const bench *b, const form *f, const data *d, ours *o,
                             wadi_error *err) {
    *o = (ours){.form = f, .data = d, .b = b, .check = true};
    wadi_program *p = build(f);
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status st = wadi_compile(p, NULL, &o->exe, err);
    wadi_program_destroy(p);
    return st;
}

static void compare(ours *o, int64_t first, int64_t count, const double *y) {
    const double *want = o->data->out + first * SIZE * 2;
    for (int64_t i = 0; o->check && i < count * SIZE * 2; i++) {
        const double difference = fabs(y[i] - want[i]);
        if (!(difference <= o->worst)) o->worst = difference;
    }
}

static wadi_status take_one(void *env, int64_t index, int parts, const wadi_array *element,
                            wadi_error *err) {
    WADI_UNUSED(parts), WADI_UNUSED(err);
    compare(env, index, 1, element->column[0]);
    return WADI_OK;
}

static wadi_status take_many(void *env, int64_t first, int64_t count, int parts,
                             const wadi_array *columns, wadi_error *err) {
    WADI_UNUSED(parts), WADI_UNUSED(err);
    compare(env, first, count, columns->column[0]);
    return WADI_OK;
}

static wadi_status go_stream(ours *o, wadi_run *run, const wadi_array *x, wadi_error *err) {
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_status st = wadi_source_memory(x, &source, err);
    if (st == WADI_OK)
        st = o->form->declared ? wadi_sink_bulk(take_many, o, &sink, err)
                               : wadi_sink_callback(take_one, o, &sink, err);
    if (st == WADI_OK) st = wadi_run_source(run, "x", source, err);
    if (st == WADI_OK) st = wadi_run_sink(run, "y", sink, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return st;
}

static wadi_status go_whole(ours *o, wadi_run *run, const wadi_array *x, wadi_error *err) {
    wadi_array y;
    WADI_TRY(wadi_run_input(run, "x", x, err));
    WADI_TRY(wadi_run_go(run, err));
    WADI_TRY(wadi_run_result(run, "y", &y, err));
    compare(o, 0, y.shape[0], y.column[0]);
    return WADI_OK;
}

static wadi_status run_ours(void *env, double *out_seconds, wadi_error *err) {
    ours *o = env;
    const wadi_run_options options = {
        .threads = o->b->threads, .chunk = o->form->chunk, .device = o->b->device};
    const wadi_array x = {.rank = 3,
                          .fields = 1,
                          .type = {WADI_C128},
                          .shape = {o->data->n, SIDE, SIDE},
                          .column = {o->data->in}};
    wadi_run *run = NULL;
    WADI_UNUSED(out_seconds);
    WADI_TRY(wadi_run_create(o->exe, &options, &run, err));
    const wadi_status st = o->form->stream ? go_stream(o, run, &x, err) : go_whole(o, run, &x, err);
    wadi_run_destroy(run);
    return st;
}

/* The first run is compared with what FFTW has just computed. */
static wadi_status verify(ours *o, wadi_error *err) {
    double unused = -1;
    WADI_TRY(run_ours(o, &unused, err));
    o->check = false;
    if (o->worst <= 1e-11) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "fft, %s: results differ by %g", o->form->name, o->worst);
}

/* ---- sizes ---- */

static wadi_status one_form(bench *b, const form *f, data *d, peer *p, double *out_seconds,
                            wadi_error *err) {
    char name[64];
    double seconds[2] = {-1, -1};
    ours o;
    (void)snprintf(name, sizeof name, "%s, N = %lld", f->name, (long long)d->n);
    if (!bench_wants(b, name)) return WADI_OK;
    wadi_status st = open_ours(b, f, d, &o, err);
    if (st == WADI_OK) st = verify(&o, err);
    const bench_side side[] = {{"wadi", run_ours, &o}, {"FFTW plan_many", run_fftw, p}};
    if (st == WADI_OK) st = bench_compare(b, "fft", name, 2, side, seconds, err);
    wadi_exe_destroy(o.exe);
    *out_seconds = seconds[0];
    return st;
}

static wadi_status make_data(int64_t n, data *d, wadi_error *err) {
    const size_t bytes = (size_t)n * SIZE * 2 * sizeof(double);
    d->n = n;
    d->in = fftw_malloc(bytes);
    d->out = fftw_malloc(bytes);
    if (!d->in || !d->out) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < n * SIZE * 2; i++) d->in[i] = (double)(i * 7919 % 1013) / 506.0 - 1;
    memset(d->out, 0, bytes);
    return WADI_OK;
}

static wadi_status all_forms(bench *b, data *d, wadi_error *err) {
    peer p = {0};
    double seconds[FORMS], unused = -1;
    WADI_TRY(open_peer(b, d, &p, err));
    wadi_status st = run_fftw(&p, &unused, err);
    for (int i = 0; i < FORMS; i++) seconds[i] = -1;
    for (int i = 0; st == WADI_OK && i < FORMS; i++)
        st = one_form(b, &forms[i], d, &p, &seconds[i], err);
    char name[64];
    (void)snprintf(name, sizeof name, "irregular, N = %lld", (long long)d->n);
    if (st == WADI_OK && seconds[2] > 0 && seconds[4] > 0)
        st = bench_line(b, "fft", name, seconds[4], "wadi regular", seconds[2], err);
    fftw_destroy_plan(p.plan);
    return st;
}

wadi_status bench_fft(bench *b, wadi_error *err) {
    static const int64_t counts[] = {1, 10, 100, 1000, 20000};
    for (int i = 0; i < (b->quick ? 2 : 5); i++) {
        data d = {0};
        wadi_status st = make_data(counts[i], &d, err);
        if (st == WADI_OK) st = all_forms(b, &d, err);
        fftw_free(d.in);
        fftw_free(d.out);
        if (st != WADI_OK) return st;
    }
    return WADI_OK;
}

#endif
