/* Running a line: see line.h. */
#include "bench/arrays/numbers/line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/pages.h"
#include "bench/arrays/numbers/python.h"
#include "bench/streams/roof.h"

/* ---- numbers ---- */

wadi_status numbers_vector(wadi_type type, int64_t n, wadi_array *out, wadi_error *err) {
    void *data = wadi_pages_take(64, (size_t)(n + 1) * (size_t)wadi_type_size(type));
    if (data == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    *out = (wadi_array){.rank = 1, .fields = 1, .type = {type}, .shape = {n}, .column = {data}};
    return WADI_OK;
}

double numbers_unit(int64_t i, int salt) {
    return (double)(wadi_hash64((uint64_t)i * 4 + (uint64_t)salt) >> 11) * 0x1p-53;
}

int64_t numbers_size(const bench *b, int64_t n, int64_t quick) {
    return b->quick && quick < n ? quick : n;
}

/* ---- sides ---- */

typedef struct sides {
    const numbers_line *line;
    bench_program fused, unfused, tree;
    int outputs;
    wadi_array result[NUMBERS_OUTPUTS]; /* of wadi: borrowed from the latest run of `fused` */
    void *peer_out[NUMBERS_OUTPUTS];
    double sum, size; /* of wadi's results, weighted; of their absolute values */
} sides;

static wadi_status open_program(const bench *b, const numbers_line *l, const char *text,
                                const char *disable, bench_program *out, wadi_error *err) {
    const wadi_compile_options options = {.disable = disable};
    *out = (bench_program){.options = {.threads = b->threads, .device = b->device}};
    for (int i = 0; i < NUMBERS_INPUTS && l->input_name[i] != NULL; i++) {
        out->name[i] = l->input_name[i];
        out->input[i] = l->input[i];
        out->inputs = i + 1;
    }
    return wadi_compile_text(text, l->benchmark, &options, &out->exe, err);
}

static wadi_status open_all(const bench *b, const numbers_line *l, sides *s, wadi_error *err) {
    WADI_TRY(open_program(b, l, l->text, NULL, &s->fused, err));
    if (l->unfused) WADI_TRY(open_program(b, l, l->text, "fuse,siblings", &s->unfused, err));
    if (l->tree != NULL) WADI_TRY(open_program(b, l, l->tree, "cse", &s->tree, err));
    return WADI_OK;
}

static void close_all(sides *s) {
    bench_program_close(&s->fused);
    bench_program_close(&s->unfused);
    bench_program_close(&s->tree);
    for (int i = 0; i < NUMBERS_OUTPUTS; i++) free(s->peer_out[i]);
}

static wadi_status run_peer(void *env, double *out_seconds, wadi_error *err) {
    const sides *s = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    s->line->peer(s->line, s->peer_out);
    return WADI_OK;
}

/* ---- results ---- */

static int64_t length_of(const wadi_array *a) {
    int64_t n = 1;
    for (int i = 0; i < a->rank; i++) n *= a->shape[i];
    return n;
}

/* Whether the results of `what` are wadi's. */
static wadi_status same(const sides *s, const char *what, const wadi_array *a,
                        const void *const *theirs, wadi_error *err) {
    for (int k = 0; k < s->outputs; k++) {
        const wadi_type type = a[k].type[0];
        for (int64_t i = 0; i < length_of(&a[k]); i++) {
            const double x = bench_number(type, theirs[k], i),
                         y = bench_number(type, a[k].column[0], i);
            if (x == y || fabs(x - y) <= s->line->tolerance * (1 + fabs(y))) continue;
            return wadi_fail(err, WADI_INTERNAL,
                             "%s, %s: result %d, number %lld is %.9g, wadi has %.9g", s->line->name,
                             what, k, (long long)i, x, y);
        }
    }
    return WADI_OK;
}

/* Weights tell elements apart that have changed places. peers/arrays.py does the same. */
static void sum_up(sides *s) {
    for (int k = 0; k < s->outputs; k++)
        for (int64_t i = 0; i < length_of(&s->result[k]); i++) {
            const double x = bench_number(s->result[k].type[0], s->result[k].column[0], i) *
                             (1 + (double)(i % 1009));
            s->sum += x;
            s->size += fabs(x);
        }
}

/* The columns of all results of the latest run, in their order. */
static wadi_status columns_of(const bench_program *p, const numbers_line *l, wadi_array *out,
                              int *out_n, wadi_error *err) {
    *out_n = 0;
    for (int k = 0; k < NUMBERS_OUTPUTS && l->output[k] != NULL; k++) {
        wadi_array a;
        WADI_TRY(bench_program_result(p, l->output[k], &a, err));
        for (int f = 0; f < a.fields && *out_n < NUMBERS_OUTPUTS; f++) {
            wadi_array *one = &out[(*out_n)++];
            *one = a;
            one->column[0] = a.column[f];
            one->type[0] = a.type[f];
        }
    }
    return WADI_OK;
}

static wadi_status first_run(sides *s, wadi_error *err) {
    double unused = -1;
    WADI_TRY(bench_program_run(&s->fused, &unused, err));
    WADI_TRY(columns_of(&s->fused, s->line, s->result, &s->outputs, err));
    for (int k = 0; k < s->outputs; k++) {
        const wadi_array *a = &s->result[k];
        const size_t bytes = (size_t)(length_of(a) + 1) * (size_t)wadi_type_size(a->type[0]);
        s->peer_out[k] = wadi_pages_take(64, bytes);
        if (s->peer_out[k] == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
        memset(s->peer_out[k], 0, bytes);
    }
    return WADI_OK;
}

static wadi_status check_form(const sides *s, const char *what, bench_program *p, wadi_error *err) {
    double unused = -1;
    wadi_array a[NUMBERS_OUTPUTS];
    const void *theirs[NUMBERS_OUTPUTS] = {NULL};
    int n = 0;
    if (p->exe == NULL) return WADI_OK;
    WADI_TRY(bench_program_run(p, &unused, err));
    WADI_TRY(columns_of(p, s->line, a, &n, err));
    for (int k = 0; k < n; k++) theirs[k] = a[k].column[0];
    return same(s, what, s->result, theirs, err);
}

static wadi_status check(sides *s, wadi_error *err) {
    double unused = -1;
    WADI_TRY(first_run(s, err));
    WADI_TRY(check_form(s, "without fusion", &s->unfused, err));
    WADI_TRY(check_form(s, "without sharing", &s->tree, err));
    if (s->line->peer != NULL) {
        WADI_TRY(run_peer(s, &unused, err));
        WADI_TRY(same(s, "C", s->result, (const void *const *)s->peer_out, err));
    }
    sum_up(s);
    return WADI_OK;
}

/* ---- comparing ---- */

/* Against what is asked, and as a share of what the machine can do. */
static wadi_status judge(bench *b, const numbers_line *l, int n, const bench_side *side,
                         const double *seconds, wadi_error *err) {
    char asked[48];
    double best = -1, rate = 0;
    for (int i = 1; i < n; i++)
        if (seconds[i] > 0 && strncmp(side[i].name, "wadi", 4) != 0 &&
            (best < 0 || seconds[i] < best))
            best = seconds[i];
    if (b->quick || seconds[0] <= 0) return WADI_OK;
    if (l->asked > 0 && best > 0) {
        (void)snprintf(asked, sizeof asked, "asked: %.3g times the best", l->asked);
        WADI_TRY(bench_line(b, l->benchmark, l->name, seconds[0], asked, l->asked * best, err));
    }
    if (l->operations > 0)
        bench_say(b, "%s, %s: %.2f G operations/s", l->benchmark, l->name,
                  1e-9 * l->operations / seconds[0]);
    if (l->bytes <= 0) return WADI_OK;
    b->read_bandwidth = 0; /* it changes from minute to minute */
    WADI_TRY(bench_read_bandwidth(b, &rate, err));
    bench_say(b, "%s, %s: %.2f GB/s, %.0f %% of what is read (%.1f GB/s)", l->benchmark, l->name,
              1e-9 * l->bytes / seconds[0], 100 * l->bytes / seconds[0] / rate, 1e-9 * rate);
    if (l->read <= 0) return WADI_OK;
    (void)snprintf(asked, sizeof asked, "asked: %g %% of reading", 100 * l->read);
    return bench_line(b, l->benchmark, l->name, seconds[0], asked, l->bytes / (l->read * rate),
                      err);
}

static int add(bench_side *side, int n, const char *name, bench_fn run, void *env) {
    side[n] = (bench_side){name, run, env};
    return n + 1;
}

static wadi_status measure(bench *b, const numbers_line *l, sides *s, numbers_library *library,
                           int libraries, wadi_error *err) {
    bench_side side[BENCH_MAX_SIDES];
    double seconds[BENCH_MAX_SIDES];
    /* their sums are made in other orders than wadi's, and not always in the best one */
    const double bound = 20 * l->tolerance + 1e-12;
    int n = add(side, 0, "wadi", bench_program_run, &s->fused);
    if (l->peer != NULL)
        n = add(side, n, l->peer_name != NULL ? l->peer_name : "C OpenMP", run_peer, s);
    for (int i = 0; i < libraries; i++) {
        WADI_TRY(
            numbers_library_check(b, l->name, &library[i], s->sum, bound * (1 + s->size), err));
        if (library[i].there) n = add(side, n, library[i].name, numbers_library_run, &library[i]);
    }
    if (s->unfused.exe != NULL)
        n = add(side, n, "wadi without fusion", bench_program_run, &s->unfused);
    if (s->tree.exe != NULL) n = add(side, n, "wadi without sharing", bench_program_run, &s->tree);
    WADI_TRY(bench_compare(b, l->benchmark, l->name, n, side, seconds, err));
    return judge(b, l, n, side, seconds, err);
}

wadi_status numbers_compare(bench *b, const numbers_line *l, wadi_error *err) {
    sides s = {.line = l};
    numbers_library library[NUMBERS_LIBRARIES];
    int libraries = 0;
    wadi_status status = open_all(b, l, &s, err);
    if (status == WADI_OK) status = check(&s, err);
    if (status == WADI_OK) status = numbers_libraries_load(b, l, library, &libraries, err);
    if (status == WADI_OK) status = measure(b, l, &s, library, libraries, err);
    close_all(&s);
    return status;
}
