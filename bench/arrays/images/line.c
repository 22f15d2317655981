/* Running one line of bench_images. See images.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/clock.h"
#include "base/error.h"
#include "bench/arrays/images/images.h"
#include "bench/arrays/images/python.h"
#include "bench/streams/roof.h"

enum { FORMS = 3, QUICK_DIVISOR = 16 };

static const char *const input_names[IMAGE_INPUTS] = {"a", "b", "c"};
static const char *const extents[] = {"h", "w", "d"};
static const char *const form_names[FORMS] = {"wadi", "wadi, no fusion", "wadi, no sharing"};

typedef struct job {
    const bench *b;
    const image_line *line;
    int64_t shape[3], n;
    image_peer peer;
    void *in[IMAGE_INPUTS];
    bench_program form[FORMS];
    int forms;
    image_pythons python;
} job;

/* ---- sides ---- */

static wadi_status run_c(void *env, double *out_seconds, wadi_error *err) {
    const job *j = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
    omp_set_num_threads(j->b->threads);
#endif
    j->line->peer(&j->peer);
    return WADI_OK;
}

static wadi_status open_form(job *j, int form, wadi_error *err) {
    static const wadi_compile_options options[FORMS] = {
        {0}, {.disable = "seqfuse,fuse,siblings"}, {.disable = "cse"}};
    const image_build how = {.unfused = form == 1, .anew = form == 2};
    const image_line *l = j->line;
    bench_program *p = &j->form[form];
    wadi_acc in[IMAGE_INPUTS] = {{0}};
    *p = (bench_program){.options = {.threads = j->b->threads, .device = j->b->device}};
    wadi_program *program = wadi_program_create(l->task);
    if (program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int i = 0; i < l->inputs; i++) in[i] = wadi_input(input_names[i], l->in, l->rank, extents);
    wadi_output("y", l->build(&how, in, j->shape));
    const wadi_status status = wadi_compile(program, &options[form], &p->exe, err);
    wadi_program_destroy(program);
    for (int i = 0; i < l->inputs; i++) {
        bench_program_vector(p, input_names[i], l->in, j->shape[0], j->in[i]);
        p->input[i].rank = l->rank;
        memcpy(p->input[i].shape, j->shape, sizeof j->shape);
    }
    return status;
}

/* ---- comparing results ---- */

wadi_status image_same(const image_line *l, int64_t n, const char *peer, const void *ours,
                       const void *theirs, wadi_error *err) {
    int64_t differ = 0, first = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = bench_number(l->out, ours, i), y = bench_number(l->out, theirs, i);
        if (fabs(x - y) <= l->tolerance * (1 + fabs(y))) continue;
        if (differ++ == 0) first = i;
    }
    if ((double)differ <= l->differ * (double)n) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL,
                     "%s: %lld of %lld elements differ; element %lld is %.9g, %s has %.9g", l->name,
                     (long long)differ, (long long)n, (long long)first,
                     bench_number(l->out, ours, first), peer, bench_number(l->out, theirs, first));
}

static wadi_status result(bench_program *p, const void **out, wadi_error *err) {
    wadi_array y;
    double unused = -1;
    WADI_TRY(bench_program_run(p, &unused, err));
    WADI_TRY(bench_program_result(p, "y", &y, err));
    *out = y.column[0];
    return WADI_OK;
}

static wadi_status check(job *j, wadi_error *err) {
    const void *ours = NULL, *other = NULL;
    double unused = -1;
    WADI_TRY(result(&j->form[0], &ours, err));
    for (int i = 1; i < j->forms; i++) {
        WADI_TRY(result(&j->form[i], &other, err));
        WADI_TRY(image_same(j->line, j->n, form_names[i], other, ours, err));
    }
    WADI_TRY(run_c(j, &unused, err));
    WADI_TRY(image_same(j->line, j->n, "C", ours, j->peer.out, err));
    return image_pythons_open(j->b, j->line, j->shape, j->n, j->in, ours, &j->python, err);
}

/* ---- one line ---- */

static wadi_status prepare(job *j, wadi_error *err) {
    const image_line *l = j->line;
    const size_t bytes = ((size_t)j->n * 4 + 63) / 64 * 64;
    j->peer.shape = j->shape;
    bool there = (j->peer.out = aligned_alloc(64, bytes)) != NULL;
    for (int i = 0; i < l->rooms; i++)
        there = (j->peer.room[i] = aligned_alloc(64, bytes)) != NULL && there;
    for (int i = 0; i < l->inputs; i++)
        there = (j->in[i] = aligned_alloc(64, bytes)) != NULL && there;
    if (!there) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int i = 0; i < l->inputs; i++) {
        l->fill(j->n, i, j->in[i]);
        j->peer.in[i] = j->in[i];
    }
    j->forms = l->columns ? FORMS : 1;
    for (int i = 0; i < j->forms; i++) WADI_TRY(open_form(j, i, err));
    return WADI_OK;
}

static void end(job *j) {
    image_pythons_close(&j->python);
    for (int i = 0; i < FORMS; i++) bench_program_close(&j->form[i]);
    for (int i = 0; i < IMAGE_INPUTS; i++) free(j->in[i]);
    for (int i = 0; i < IMAGE_ROOMS; i++) free(j->peer.room[i]);
    free(j->peer.out);
}

/* Operations on numbers of f32 per second that all threads do in vectors, as many additions as multiplications; measured once. */
static double arithmetic_peak(const bench *b) {
    static double peak;
    enum { TRIES = 5, ROUNDS = 8 };
    if (peak > 0) return peak;
    for (int i = 0; i < TRIES; i++) {
        const int64_t start = wadi_clock_ns();
        const float kept = peer_arithmetic(ROUNDS, b->threads);
        const double seconds = (double)(wadi_clock_ns() - start) * 1e-9;
        const double rate = 2.0 * ROUNDS * 1048576 * b->threads / seconds;
        if (rate > peak && kept > 0) peak = rate;
    }
    return peak;
}

/* How far from what the machine can do. */
static wadi_status say_shares(bench *b, const job *j, double seconds, wadi_error *err) {
    const image_line *l = j->line;
    double bandwidth = 0;
    if (b->quick || seconds <= 0) return WADI_OK;
    WADI_TRY(bench_read_bandwidth(b, &bandwidth, err));
    const double moved = l->bytes * (double)j->n / seconds,
                 done = l->operations * (double)j->n / seconds;
    bench_say(b,
              "%s: %.0f %% of the rate at which memory is read, %.1f %% of the peak of arithmetic",
              l->name, 100 * moved / bandwidth, done > 0 ? 100 * done / arithmetic_peak(b) : 0);
    return WADI_OK;
}

static wadi_status measure(bench *b, job *j, wadi_error *err) {
    bench_side side[BENCH_MAX_SIDES];
    double seconds[BENCH_MAX_SIDES];
    int n = 0;
    for (; n < j->forms; n++) side[n] = (bench_side){form_names[n], bench_program_run, &j->form[n]};
    side[n++] = (bench_side){"C", run_c, j};
    for (int i = 0; i < j->python.n; i++)
        side[n++] = (bench_side){j->python.name[i], bench_child_run, j->python.child[i]};
    WADI_TRY(bench_compare(b, j->line->benchmark, j->line->name, n, side, seconds, err));
    return say_shares(b, j, seconds[0], err);
}

wadi_status image_compare(bench *b, const image_line *l, wadi_error *err) {
    if (!bench_wants(b, l->name)) return WADI_OK;
    job j = {.b = b, .line = l, .n = 1};
    for (int d = 0; d < l->rank; d++) {
        j.shape[d] = b->quick ? l->shape[d] / QUICK_DIVISOR : l->shape[d];
        j.n *= j.shape[d];
    }
    wadi_status status = prepare(&j, err);
    if (status == WADI_OK) status = check(&j, err);
    if (status == WADI_OK) status = measure(b, &j, err);
    end(&j);
    return status;
}
