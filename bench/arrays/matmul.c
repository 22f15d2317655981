/* Products of square matrices against numpy's library (OpenBLAS, as a rule) and C.
 *
 *     bench_matmul [options]
 *
 * numpy needs `pip install numpy`; its library has as many threads as wadi. C is blocked and has tiles of accumulators, or is three plain loops; both
 * are compiled with -ffast-math. Results are compared before anything is timed. Lines and table are those of bench_streams
 * (bench/streams/report.h). */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/arrays/peers/matmul.h"
#include "bench/streams/child.h"
#include "bench/streams/command.h"
#include "bench/streams/program.h"

typedef struct job {
    wadi_type type;
    int64_t n;
    void *a, *b, *c;
    bench_program program;
    bench_child *numpy;
} job;

/* ---- the sides ---- */

static wadi_status run_tiles(void *env, double *out_seconds, wadi_error *err) {
    const job *j = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    if (j->type == WADI_F32)
        peer_matmul_f32(j->n, j->a, j->b, j->c);
    else
        peer_matmul_f64(j->n, j->a, j->b, j->c);
    return WADI_OK;
}

static wadi_status run_loops(void *env, double *out_seconds, wadi_error *err) {
    const job *j = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    if (j->type == WADI_F32)
        peer_loops_f32(j->n, j->a, j->b, j->c);
    else
        peer_loops_f64(j->n, j->a, j->b, j->c);
    return WADI_OK;
}

static wadi_status open_numpy(const bench *b, job *j, wadi_error *err) {
    char n[24], threads[24];
    wadi_error why = {0};
    (void)snprintf(n, sizeof n, "%lld", (long long)j->n);
    (void)snprintf(threads, sizeof threads, "%d", b->threads);
    const char *const argv[] = {b->python,
                                WADI_BENCH_ARRAYS "/peers.py",
                                "matmul",
                                threads,
                                wadi_type_name(j->type),
                                "any",
                                n,
                                NULL};
    const wadi_status status = bench_child_open(argv, &j->numpy, &why);
    if (status == WADI_OK) return WADI_OK;
    if (status != WADI_UNSUPPORTED) return wadi_fail(err, status, "%s", why.msg);
    bench_say(b, "skipping numpy: %s", why.msg);
    return WADI_OK;
}

/* ---- one case ---- */

static wadi_program *product(const job *j) {
    static const char *const square[] = {"n", "n"};
    wadi_program *p = wadi_program_create("product");
    if (p == NULL) return NULL;
    const wadi_acc a = wadi_input("a", j->type, 2, square), b = wadi_input("b", j->type, 2, square);
    wadi_output("c", wadi_matmul(a, b));
    return p;
}

static void give(job *j, const char *name, void *values) {
    bench_program *p = &j->program;
    bench_program_vector(p, name, j->type, j->n, values);
    p->input[p->inputs - 1].rank = 2;
    p->input[p->inputs - 1].shape[1] = j->n;
}

static wadi_status prepare(const bench *b, job *j, wadi_error *err) {
    const size_t count = (size_t)(j->n * j->n);
    j->a = malloc(count * sizeof(double));
    j->b = malloc(count * sizeof(double));
    j->c = malloc(count * sizeof(double));
    if (!j->a || !j->b || !j->c) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i * 7919 % 1009) / 1009, y = (double)(i * 104729 % 997) / 997;
        if (j->type == WADI_F32)
            ((float *)j->a)[i] = (float)x, ((float *)j->b)[i] = (float)y;
        else
            ((double *)j->a)[i] = x, ((double *)j->b)[i] = y;
    }
    WADI_TRY(bench_program_open(b, product(j), &j->program, err));
    give(j, "a", j->a);
    give(j, "b", j->b);
    return open_numpy(b, j, err);
}

/* All numbers are positive, so sums differ by rounding alone. */
static wadi_status check(job *j, wadi_error *err) {
    double unused = -1;
    wadi_array got;
    const double most = j->type == WADI_F32 ? 1e-4 : 1e-12;
    WADI_TRY(bench_program_run(&j->program, &unused, err));
    WADI_TRY(bench_program_result(&j->program, "c", &got, err));
    WADI_TRY(run_tiles(j, &unused, err));
    for (int64_t i = 0; i < j->n * j->n; i++) {
        const double x = bench_number(j->type, got.column[0], i),
                     y = bench_number(j->type, j->c, i);
        if (!(x - y <= most * y && y - x <= most * y))
            return wadi_fail(err, WADI_INTERNAL, "element %lld is %.9g, in C %.9g", (long long)i, x,
                             y);
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, wadi_type type, int64_t n, wadi_error *err) {
    char name[64];
    job j = {.type = type, .n = b->quick ? n / 16 + 1 : n};
    (void)snprintf(name, sizeof name, "%s, %lld^2", wadi_type_name(type), (long long)n);
    if (!bench_wants(b, name)) return WADI_OK;
    wadi_status status = prepare(b, &j, err);
    if (status == WADI_OK) status = check(&j, err);
    if (status == WADI_OK) {
        const bench_side side[] = {{"wadi", bench_program_run, &j.program},
                                   {"numpy", j.numpy != NULL ? bench_child_run : NULL, j.numpy},
                                   {"C, tiles", run_tiles, &j},
                                   {"C, loops", run_loops, &j}};
        status = bench_compare(b, "matmul", name, 4, side, NULL, err);
    }
    bench_program_close(&j.program);
    bench_child_close(j.numpy);
    free(j.a);
    free(j.b);
    free(j.c);
    return status;
}

static wadi_status bench_matmul(bench *b, wadi_error *err) {
    static const int64_t sizes[] = {256, 1000, 1024, 2048};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        WADI_TRY(one_case(b, WADI_F32, sizes[i], err));
        WADI_TRY(one_case(b, WADI_F64, sizes[i], err));
    }
    return WADI_OK;
}

static const bench_entry benchmarks[] = {{"matmul", bench_matmul, "products of square matrices"},
                                         {NULL, NULL, NULL}};

static const char usage[] =
    "usage: bench_matmul [options]\n"
    "  --case TEXT        cases whose name contains it\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --runs N           timed rounds at least\n"
    "  --threads N        for wadi and numpy; default: one per processor\n"
    "  --python PROGRAM   Python with numpy; default: WADI_BENCH_PYTHON or python3\n";

int main(int argc, char **argv) {
    const bench_command command = {"bench_matmul", usage, benchmarks, NULL};
    return bench_command_run(&command, argc, argv);
}
