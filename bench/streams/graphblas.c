/* The iteration of pagerank.c in the operations of GraphBLAS: given = ranks .* share; next = base + d * (m plus.second given);
 * change = sum of |next - ranks|. Dangling mass is spread evenly, which LAGraph's own PageRank does not do. */
#include "bench/streams/graphblas.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

#ifdef WADI_BENCH_GRAPHBLAS
#include <GraphBLAS.h>

#define DAMPING 0.85
#define TOLERANCE 1e-10

struct bench_graphblas {
    int64_t n, most;
    GrB_Matrix m;
    GrB_Vector share, dangling, ranks, next, given;
};

#define CALL(expr)                                                                                \
    do {                                                                                          \
        const GrB_Info info = (expr);                                                             \
        if (info != GrB_SUCCESS && info != GrB_NO_VALUE)                                          \
            return wadi_fail(err, WADI_INTERNAL, "GraphBLAS: status %d of %s", (int)info, #expr); \
    } while (0)

static wadi_status set_matrix(bench_graphblas *g, const wadi_csr *m, wadi_error *err) {
    GrB_Index *rows = malloc(((size_t)m->entries + 1) * sizeof *rows);
    GrB_Index *columns = malloc(((size_t)m->entries + 1) * sizeof *columns);
    double *ones = malloc(((size_t)m->entries + 1) * sizeof *ones);
    GrB_Info info = GrB_OUT_OF_MEMORY;
    if (rows != NULL && columns != NULL && ones != NULL) {
        for (int64_t r = 0; r < m->rows; r++) {
            for (int64_t i = m->offsets[r]; i < m->offsets[r + 1]; i++) {
                rows[i] = (GrB_Index)r;
                columns[i] = (GrB_Index)((const int32_t *)m->index)[i];
                ones[i] = 1;
            }
        }
        info =
            GrB_Matrix_build_FP64(g->m, rows, columns, ones, (GrB_Index)m->entries, GrB_PLUS_FP64);
    }
    free(rows);
    free(columns);
    free(ones);
    if (info == GrB_SUCCESS) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "GraphBLAS does not take the graph: status %d", (int)info);
}

static wadi_status set_vectors(bench_graphblas *g, const double *share, wadi_error *err) {
    const GrB_Index n = (GrB_Index)g->n;
    CALL(GrB_Vector_new(&g->share, GrB_FP64, n));
    CALL(GrB_Vector_new(&g->dangling, GrB_FP64, n));
    CALL(GrB_Vector_new(&g->ranks, GrB_FP64, n));
    CALL(GrB_Vector_new(&g->next, GrB_FP64, n));
    CALL(GrB_Vector_new(&g->given, GrB_FP64, n));
    for (GrB_Index v = 0; v < n; v++) {
        CALL(GrB_Vector_setElement_FP64(g->share, share[v], v));
        if (share[v] == 0) CALL(GrB_Vector_setElement_FP64(g->dangling, 1, v));
    }
    CALL(GrB_wait(g->share, GrB_MATERIALIZE));
    CALL(GrB_wait(g->dangling, GrB_MATERIALIZE));
    return WADI_OK;
}

static wadi_status start(const bench *b, wadi_error *err) {
    static bool started;
    if (!started) CALL(GrB_init(GrB_NONBLOCKING));
    started = true;
    CALL(GxB_set(GxB_NTHREADS, b->threads));
    return WADI_OK;
}

wadi_status bench_graphblas_open(const bench *b, const wadi_csr *m, const double *share,
                                 int64_t most, bench_graphblas **out, wadi_error *err) {
    WADI_TRY(start(b, err));
    bench_graphblas *g = calloc(1, sizeof *g);
    if (g == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    g->n = m->rows;
    g->most = most;
    wadi_status status = WADI_OK;
    if (GrB_Matrix_new(&g->m, GrB_FP64, (GrB_Index)m->rows, (GrB_Index)m->rows) != GrB_SUCCESS) {
        status = wadi_fail(err, WADI_MEMORY, "GraphBLAS: out of memory");
    }
    if (status == WADI_OK) status = set_matrix(g, m, err);
    if (status == WADI_OK) status = set_vectors(g, share, err);
    if (status != WADI_OK) {
        bench_graphblas_close(g);
        return status;
    }
    *out = g;
    return WADI_OK;
}

/* next = one step from ranks; *out_change: how far it is. `given` serves as room for the difference at the end. */
static wadi_status step(bench_graphblas *g, double *out_change, wadi_error *err) {
    double lost = 0;
    CALL(GrB_eWiseMult(g->given, NULL, NULL, GrB_TIMES_FP64, g->ranks, g->dangling, NULL));
    CALL(GrB_reduce(&lost, NULL, GrB_PLUS_MONOID_FP64, g->given, NULL));
    CALL(GrB_eWiseMult(g->given, NULL, NULL, GrB_TIMES_FP64, g->ranks, g->share, NULL));
    CALL(GrB_apply(g->given, NULL, NULL, GrB_TIMES_FP64, DAMPING, g->given, NULL));
    CALL(GrB_assign(g->next, NULL, NULL, (1 - DAMPING + DAMPING * lost) / (double)g->n, GrB_ALL,
                    (GrB_Index)g->n, NULL));
    CALL(GrB_mxv(g->next, NULL, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, g->m, g->given, NULL));
    CALL(GrB_eWiseAdd(g->given, NULL, NULL, GrB_MINUS_FP64, g->next, g->ranks, NULL));
    CALL(GrB_apply(g->given, NULL, NULL, GrB_ABS_FP64, g->given, NULL));
    CALL(GrB_reduce(out_change, NULL, GrB_PLUS_MONOID_FP64, g->given, NULL));
    return WADI_OK;
}

wadi_status bench_graphblas_run(void *env, double *out_seconds, wadi_error *err) {
    bench_graphblas *g = env;
    double change = 1;
    int64_t done = 0;
    CALL(GrB_assign(g->ranks, NULL, NULL, 1 / (double)g->n, GrB_ALL, (GrB_Index)g->n, NULL));
    CALL(GrB_wait(g->ranks, GrB_MATERIALIZE));
    const int64_t start_ns = wadi_clock_ns();
    for (; change > TOLERANCE && done < g->most; done++) {
        WADI_TRY(step(g, &change, err));
        const GrB_Vector swap = g->ranks;
        g->ranks = g->next;
        g->next = swap;
    }
    *out_seconds = (double)(wadi_clock_ns() - start_ns) * 1e-9 / (double)done;
    return WADI_OK;
}

wadi_status bench_graphblas_result(const bench_graphblas *g, double *out, wadi_error *err) {
    for (int64_t v = 0; v < g->n; v++) {
        CALL(GrB_Vector_extractElement_FP64(&out[v], g->ranks, (GrB_Index)v));
    }
    return WADI_OK;
}

void bench_graphblas_close(bench_graphblas *g) {
    if (g == NULL) return;
    (void)GrB_Matrix_free(&g->m);
    (void)GrB_Vector_free(&g->share);
    (void)GrB_Vector_free(&g->dangling);
    (void)GrB_Vector_free(&g->ranks);
    (void)GrB_Vector_free(&g->next);
    (void)GrB_Vector_free(&g->given);
    free(g);
}

#else

wadi_status bench_graphblas_open(const bench *b, const wadi_csr *m, const double *share,
                                 int64_t most, bench_graphblas **out, wadi_error *err) {
    WADI_UNUSED(b);
    WADI_UNUSED(m);
    WADI_UNUSED(share);
    WADI_UNUSED(most);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "GraphBLAS was not there when this was built (apt install libgraphblas-dev)");
}

wadi_status bench_graphblas_run(void *env, double *out_seconds, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(out_seconds);
    return wadi_fail(err, WADI_UNSUPPORTED, "GraphBLAS is not there");
}

wadi_status bench_graphblas_result(const bench_graphblas *g, double *out, wadi_error *err) {
    WADI_UNUSED(g);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "GraphBLAS is not there");
}

void bench_graphblas_close(bench_graphblas *g) {
    WADI_UNUSED(g);
}

#endif
