/* Folds of one array that go through it together, alone, of what a filter keeps, and beside a map and a scan, against loops in C.
 *
 *     bench_folds [rounds [elements]]
 *
 * One thread each. Runs alternate and the least times count, one line a case:
 *     folds<TAB>case<TAB>wadi seconds<TAB>C<TAB>C seconds<TAB>ratio<TAB>GB/s of wadi
 * The ratio is wadi's time over C's. The bytes are those that must be read and written, each once a pass. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/arrays/peers/folds.h"
#include "wadi/wadi.h"

typedef struct data {
    int64_t n;
    float *xs, *ys, *out[2];
    int32_t *is;
} data;

static void fail(const char *name, const char *message) {
    fprintf(stderr, "bench_folds: %s: %s\n", name, message);
    exit(1);
}

static double now(void) {
    return (double)wadi_clock_ns() * 1e-9;
}

/* ---- cases: the program, and what C does for it ---- */

static const char statistics[] = "program statistics\n"
                                 "input xs : f32[n]\n"
                                 "sum = fold 0.0f32 xs (a, x) { add a x }\n"
                                 "sq = map xs (x) { mul x x }\n"
                                 "squares = fold 0.0f32 sq (a, x) { add a x }\n"
                                 "least = fold1 xs (a, x) { min a x }\n"
                                 "most = fold1 xs (a, x) { max a x }\n"
                                 "output sum\noutput squares\noutput least\noutput most\n";

static double statistics_in_c(const data *d) {
    float out[4];
    peer_statistics(d->n, d->xs, out);
    return out[1];
}

static const char masked[] = "program masked\n"
                             "input is : i32[n]\n"
                             "ones = map is (x) { convert i64 (gt x 0i32) }\n"
                             "count = fold 0 ones (a, x) { add a x }\n"
                             "kept = compact count is (x) { gt x 0i32 }\n"
                             "sum = fold 0i32 kept (a, x) { add a x }\n"
                             "least = fold1 kept (a, x) { min a x }\n"
                             "most = fold1 kept (a, x) { max a x }\n"
                             "output count\noutput sum\noutput least\noutput most\n";

static double masked_in_c(const data *d) {
    int64_t count;
    int32_t out[3];
    peer_masked(d->n, d->is, &count, out);
    return out[0];
}

static const char norm2[] = "program norm2\n"
                            "input xs : f32[n]\n"
                            "input ys : f32[n]\n"
                            "ones = map ys (y) { convert i64 (gt y 0.0f32) }\n"
                            "count = fold 0 ones (a, x) { add a x }\n"
                            "gts = compact count ys (y) { gt y 0.0f32 }\n"
                            "sum1 = fold 0.0f32 xs (a, x) { add a x }\n"
                            "sum2 = fold 0.0f32 gts (a, y) { add a y }\n"
                            "res1 = map xs (x) { fdiv x (the sum1) }\n"
                            "res2 = map ys (y) { fdiv y (the sum2) }\n"
                            "output res1\noutput res2\n";

static double norm2_in_c(const data *d) {
    peer_norm2(d->n, d->xs, d->ys, d->out[0], d->out[1]);
    return d->out[1][d->n - 1];
}

static const char fold_and_map[] = "program beside\n"
                                   "input xs : f32[n]\n"
                                   "sum = fold 0.0f32 xs (a, x) { add a x }\n"
                                   "half = map xs (x) { mul x 0.5f32 }\n"
                                   "output sum\noutput half\n";

static double fold_and_map_in_c(const data *d) {
    return peer_fold_and_map(d->n, d->xs, d->out[0]);
}

static const char fold_and_scan[] = "program beside\n"
                                    "input xs : f32[n]\n"
                                    "most = fold1 xs (a, x) { max a x }\n"
                                    "sums = scanl1 xs (a, x) { add a x }\n"
                                    "output most\noutput sums\n";

static double fold_and_scan_in_c(const data *d) {
    return peer_fold_and_scan(d->n, d->xs, d->out[0]);
}

static const struct test {
    const char *name, *program, *result; /* one of the results, which is asked for */
    double (*in_c)(const data *d);       /* gives that result, its last element */
    int bytes;                           /* of memory, an element */
    bool is, two;
} tests[] = {
    {"four statistics", statistics, "squares", statistics_in_c, 4, false, false},
    {"count, sum, min, max of a filter", masked, "sum", masked_in_c, 4, true, false},
    {"norm2 with its filter", norm2, "res2", norm2_in_c, 24, false, true},
    {"fold beside a map", fold_and_map, "sum", fold_and_map_in_c, 8, false, false},
    {"fold beside a scan", fold_and_scan, "most", fold_and_scan_in_c, 8, false, false},
};

/* ---- measuring ---- */

static void bind(wadi_run *run, const char *name, wadi_type t, int64_t n, void *column) {
    const wadi_array a = {.rank = 1, .fields = 1, .type = {t}, .shape = {n}, .column = {column}};
    wadi_error err = {0};
    if (wadi_run_input(run, name, &a, &err) != WADI_OK) fail(name, err.msg);
}

static double last_of(const wadi_array *y) {
    const int64_t at = y->rank > 0 ? y->shape[0] - 1 : 0;
    return y->type[0] == WADI_F32 ? (double)((const float *)y->column[0])[at]
                                  : (double)((const int32_t *)y->column[0])[at];
}

static double timed(const struct test *t, const wadi_exe *exe, const data *d, double *out_last) {
    const wadi_run_options one = {.threads = 1};
    wadi_run *run = NULL;
    wadi_error err = {0};
    wadi_array y;
    if (wadi_run_create(exe, &one, &run, &err) != WADI_OK) fail(t->name, err.msg);
    if (t->is)
        bind(run, "is", WADI_I32, d->n, d->is);
    else
        bind(run, "xs", WADI_F32, d->n, d->xs);
    if (t->two) bind(run, "ys", WADI_F32, d->n, d->ys);
    const double start = now();
    if (wadi_run_go(run, &err) != WADI_OK) fail(t->name, err.msg);
    const double time = now() - start;
    if (wadi_run_result(run, t->result, &y, &err) != WADI_OK) fail(t->name, err.msg);
    *out_last = last_of(&y);
    wadi_run_destroy(run);
    return time;
}

static void measure(const struct test *t, const data *d, int rounds) {
    double best[2] = {1e9, 1e9};
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    if (wadi_compile_text(t->program, "bench", NULL, &exe, &err) != WADI_OK) fail(t->name, err.msg);
    for (int r = 0; r < rounds; r++) {
        double got;
        const double time = timed(t, exe, d, &got), start = now();
        const double want = t->in_c(d);
        const double c = now() - start;
        if (!(fabs(got - want) <= 1e-3 * fabs(want))) fail(t->name, "results differ");
        if (time < best[0]) best[0] = time;
        if (c < best[1]) best[1] = c;
    }
    wadi_exe_destroy(exe);
    printf("folds\t%s\t%.6f\tC\t%.6f\t%.2f\t%.1f\n", t->name, best[0], best[1], best[0] / best[1],
           (double)t->bytes * (double)d->n / best[0] * 1e-9);
    fflush(stdout);
}

static void *room(int64_t n) {
    void *p = calloc((size_t)n, 4);
    if (!p) fail("data", "out of memory");
    return p;
}

static void fill(data *d) {
    uint64_t state = 1;
    for (int64_t i = 0; i < d->n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        d->xs[i] = (float)(state >> 40) * 0x1p-24F + 0.5F;
        state = state * UINT64_C(6364136223846793005) + 1;
        d->ys[i] = (float)(state >> 40) * 0x1p-24F - 0.5F;
        d->is[i] = (int32_t)(state >> 32);
    }
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    data d = {.n = argc > 2 ? atoll(argv[2]) : 20000000};
    if (rounds < 1 || d.n < 1) fail("arguments", "rounds and elements must be positive");
    d.xs = room(d.n);
    d.ys = room(d.n);
    d.is = room(d.n);
    for (int k = 0; k < 2; k++) d.out[k] = room(d.n);
    fill(&d);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) measure(&tests[i], &d, rounds);
    free(d.xs);
    free(d.ys);
    free(d.is);
    for (int k = 0; k < 2; k++) free(d.out[k]);
    return 0;
}
