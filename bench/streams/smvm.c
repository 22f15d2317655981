/* Sparse matrix times dense vector, the rows of the matrix being a stream of irregular arrays.
 *
 * wadi: the streaming form (one row is one element of a sequence), and the whole-array form (a
 * segmented sum over all products). Peers: MKL with and without its inspector, scipy, a loop in C with OpenMP. The roof is what memory
 * gives: 12 bytes per entry at least, 8 of value and 4 of column. */
#include "bench/streams/benchmarks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/mkl.h"
#include "bench/streams/program.h"
#include "bench/streams/roof.h"
#include "bench/streams/scipy_peer.h"
#include "bench/streams/smvm.h"

enum { BYTES_PER_ENTRY = 12 };

/* ---- the programs ---- */

typedef struct inputs {
    wadi_acc offsets, columns, values, x;
} inputs;

static inputs declare(void) {
    static const char *const m[] = {"m"}, *const n[] = {"n"}, *const k[] = {"k"};
    return (inputs){wadi_input("offsets", WADI_I64, 1, m), wadi_input("columns", WADI_I32, 1, n),
                    wadi_input("values", WADI_F64, 1, n), wadi_input("x", WADI_F64, 1, k)};
}

static wadi_acc dot_row(void *env, wadi_acc row) {
    const inputs *in = env;
    const wadi_acc columns = wadi_tuple_get(row, 0), values = wadi_tuple_get(row, 1);
    return wadi_sum(wadi_zip_with(wadi_mul, values, wadi_gather(columns, in->x)));
}

static wadi_acc pair(wadi_acc a, wadi_acc b) {
    return wadi_tuple2(a, b);
}

static wadi_program *streaming(void) {
    wadi_program *p = wadi_program_create("smvm_stream");
    if (p == NULL) return NULL;
    inputs in = declare();
    const wadi_seq rows = wadi_zip_with_seq(pair, wadi_from_offsets(in.offsets, in.columns),
                                            wadi_from_offsets(in.offsets, in.values));
    wadi_output("y", wadi_consume(wadi_elements(wadi_map_seq_env(dot_row, &in, rows))));
    return p;
}

static wadi_program *whole(void) {
    wadi_program *p = wadi_program_create("smvm_whole");
    if (p == NULL) return NULL;
    const inputs in = declare();
    const wadi_acc products = wadi_zip_with(wadi_mul, in.values, wadi_gather(in.columns, in.x));
    wadi_output("y", wadi_fold_offsets(wadi_add, wadi_f64(0), in.offsets, products));
    return p;
}

/* ---- the loop in C ---- */

typedef struct loop {
    const wadi_csr *m;
    const double *x;
    double *y;
    int threads;
} loop;

static wadi_status run_loop(void *env, double *out_seconds, wadi_error *err) {
    const loop *l = env;
    const int64_t *offsets = l->m->offsets;
    const int32_t *columns = l->m->index;
    const double *values = l->m->values, *x = l->x;
    double *y = l->y;
    const int64_t rows = l->m->rows;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 512) num_threads(l->threads)
#endif
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) sum += values[i] * x[columns[i]];
        y[r] = sum;
    }
    return WADI_OK;
}

/* ---- one matrix ---- */

typedef struct sides {
    bench_program stream, whole, unfused;
    bench_mkl *mkl, *mkl_plain;
    bench_python *scipy;
    loop loop;
    double *x, *y, *peer_y;
} sides;

static void bind(bench_program *p, const wadi_csr *m, const double *x) {
    bench_program_vector(p, "offsets", WADI_I64, m->rows + 1, m->offsets);
    bench_program_vector(p, "columns", WADI_I32, m->entries, m->index);
    bench_program_vector(p, "values", WADI_F64, m->entries, m->values);
    bench_program_vector(p, "x", WADI_F64, m->columns, x);
}

static wadi_status check_program(bench_program *p, const char *what, const sides *s, int64_t rows,
                                 wadi_error *err) {
    double unused = -1;
    wadi_array y;
    WADI_TRY(bench_program_run(p, &unused, err));
    WADI_TRY(bench_program_result(p, "y", &y, err));
    if (y.shape[0] != rows) return wadi_fail(err, WADI_INTERNAL, "%s: wrong length", what);
    return bench_same(what, rows, y.column[0], s->y, 1e-10, err);
}

/* An absent peer is told and left out; any other failure is one. */
static wadi_status absent_is_fine(const bench *b, const char *name, wadi_status status,
                                  const wadi_error *why, wadi_error *err) {
    if (status == WADI_OK) return WADI_OK;
    if (status != WADI_UNSUPPORTED) return wadi_fail(err, status, "%s", why->msg);
    bench_say(b, "smvm %s: %s", name, why->msg);
    return WADI_OK;
}

static wadi_status open_peers(const bench *b, const char *name, const wadi_csr *m, sides *s,
                              wadi_error *err) {
    wadi_error why = {0};
    if (!bench_has_peers(b)) return WADI_OK;
    wadi_status status = bench_mkl_open(b, m, true, s->x, s->peer_y, &s->mkl, &why);
    WADI_TRY(absent_is_fine(b, name, status, &why, err));
    if (status == WADI_OK) {
        status = bench_mkl_open(b, m, false, s->x, s->peer_y, &s->mkl_plain, &why);
        WADI_TRY(absent_is_fine(b, name, status, &why, err));
    }
    status = bench_python_open(b, "smvm", m, s->x, &s->scipy, &why);
    return absent_is_fine(b, name, status, &why, err);
}

static wadi_status open_unfused(const bench *b, const wadi_csr *m, sides *s, wadi_error *err) {
    const wadi_compile_options options = {.disable = "fuse,siblings"};
    wadi_program *p = whole();
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->unfused.options = (wadi_run_options){.threads = b->threads};
    const wadi_status status = wadi_compile(p, &options, &s->unfused.exe, err);
    wadi_program_destroy(p);
    bind(&s->unfused, m, s->x);
    return status;
}

static wadi_status open_all(const bench *b, const char *name, const wadi_csr *m, sides *s,
                            wadi_error *err) {
    s->x = malloc(((size_t)m->columns + 1) * sizeof *s->x);
    s->y = calloc((size_t)m->rows + 1, sizeof *s->y);
    s->peer_y = calloc((size_t)m->rows + 1, sizeof *s->peer_y);
    if (s->x == NULL || s->y == NULL || s->peer_y == NULL) {
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < m->columns; i++) s->x[i] = 1 - 1e-3 * (double)(i % 1000);
    s->loop = (loop){m, s->x, s->y, b->threads};
    WADI_TRY(bench_program_open(b, streaming(), &s->stream, err));
    WADI_TRY(bench_program_open(b, whole(), &s->whole, err));
    bind(&s->stream, m, s->x);
    bind(&s->whole, m, s->x);
    return open_peers(b, name, m, s, err);
}

static void close_all(sides *s) {
    bench_program_close(&s->stream);
    bench_program_close(&s->whole);
    bench_program_close(&s->unfused);
    bench_mkl_close(s->mkl);
    bench_mkl_close(s->mkl_plain);
    bench_python_close(s->scipy);
    free(s->x);
    free(s->y);
    free(s->peer_y);
}

static wadi_status compare(bench *b, const char *name, const wadi_csr *m, sides *s,
                           wadi_error *err) {
    double unused = -1, seconds[7], bandwidth = 0;
    WADI_TRY(run_loop(&s->loop, &unused, err));
    WADI_TRY(check_program(&s->stream, "smvm, streaming", s, m->rows, err));
    WADI_TRY(check_program(&s->whole, "smvm, whole array", s, m->rows, err));
    if (s->unfused.exe != NULL)
        WADI_TRY(check_program(&s->unfused, "smvm, without fusion", s, m->rows, err));
    const bench_side side[] = {
        {"wadi", bench_program_run, &s->stream},
        {"wadi whole array", bench_program_run, &s->whole},
        {"MKL optimized", s->mkl != NULL ? bench_mkl_run : NULL, s->mkl},
        {"MKL", s->mkl_plain != NULL ? bench_mkl_run : NULL, s->mkl_plain},
        {"scipy", s->scipy != NULL ? bench_python_run : NULL, s->scipy},
        {"C OpenMP", run_loop, &s->loop},
        {"wadi without fusion", s->unfused.exe != NULL ? bench_program_run : NULL, &s->unfused},
    };
    WADI_TRY(bench_compare(b, "smvm", name, 7, side, seconds, err));
    if (s->mkl != NULL) {
        WADI_TRY(bench_same("MKL", m->rows, s->peer_y, s->y, 1e-10, err));
    }
    WADI_TRY(bench_read_bandwidth(b, &bandwidth, err));
    const double bytes = (double)(BYTES_PER_ENTRY * m->entries + 16 * m->rows + 8 * m->columns);
    return bench_line(b, "smvm", name, seconds[0], "roof, memory", bytes / bandwidth, err);
}

static wadi_status multiply(bench *b, const char *name, const wadi_csr *m, bool unfused,
                            wadi_error *err) {
    sides s = {0};
    wadi_status status = open_all(b, name, m, &s, err);
    if (status == WADI_OK && unfused) status = open_unfused(b, m, &s, err);
    if (status == WADI_OK) status = compare(b, name, m, &s, err);
    close_all(&s);
    return status;
}

/* ---- all matrices ---- */

wadi_status bench_smvm_kind(bench *b, const bench_kind *kind, bool unfused, wadi_error *err) {
    const int64_t limit = b->quick ? 20000 : INT64_C(130000000);
    const int64_t shrink = kind->entries / limit + 1;
    char name[64];
    (void)snprintf(name, sizeof name, "%s-like", kind->name);
    if (shrink > 1) (void)snprintf(name, sizeof name, "%s-like/%d", kind->name, (int)shrink);
    if (!bench_wants(b, name)) return WADI_OK;
    wadi_csr m = {0};
    WADI_TRY(bench_matrix_make(kind, shrink, &m, err));
    const wadi_status status = multiply(b, name, &m, unfused, err);
    wadi_csr_fini(&m);
    return status;
}

static wadi_status one_file(bench *b, const char *name, wadi_error *err) {
    char path[4096];
    if (!bench_wants(b, name)) return WADI_OK;
    (void)snprintf(path, sizeof path, "%s/matrix/%s", b->data, name);
    wadi_csr m = {0};
    const wadi_status status = wadi_matrix_market_read(path, &m, err);
    if (status == WADI_IO) {
        bench_say(b, "smvm: skipping %s: not there", path);
        return WADI_OK;
    }
    if (status != WADI_OK) return status;
    const wadi_status done = multiply(b, name, &m, false, err);
    wadi_csr_fini(&m);
    return done;
}

wadi_status bench_smvm(bench *b, wadi_error *err) {
    static const char *const files[] = {"bcsstk13.mtx", "bcspwr10.mtx", "Groebner_id2003_aug.mtx"};
    if (b->data == NULL) bench_say(b, "smvm: no folder of real data (--data), files are skipped");
    for (int i = 0; i < 3 && b->data != NULL; i++) WADI_TRY(one_file(b, files[i], err));
    for (int i = 0; i < BENCH_KINDS; i++) WADI_TRY(bench_smvm_kind(b, &bench_kinds[i], false, err));
    return WADI_OK;
}
