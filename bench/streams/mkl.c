/* The few functions of MKL's sparse BLAS that are needed, found by name, so that MKL's headers are not needed. The 32-bit
 * interface. */
#include "bench/streams/mkl.h"

#include <stdlib.h>

#include "base/dl.h"
#include "base/error.h"

/* Values of MKL's enumerations. */
enum { SPARSE_OK = 0, INDEX_FROM_ZERO = 0, NOT_TRANSPOSED = 10, GENERAL_MATRIX = 20 };

typedef struct matrix_descr {
    int type, mode, diag;
} matrix_descr;

typedef int (*create_fn)(void **matrix, int base, int rows, int columns, int *begin, int *end,
                         int *index, double *values);
typedef int (*hint_fn)(void *matrix, int operation, matrix_descr d, int calls);
typedef int (*matrix_fn)(void *matrix);
typedef int (*multiply_fn)(int operation, double alpha, void *matrix, matrix_descr d,
                           const double *x, double beta, double *y);
typedef void (*threads_fn)(int threads);

struct bench_mkl {
    wadi_dl library;
    create_fn create;
    hint_fn hint;
    matrix_fn optimize, destroy;
    multiply_fn multiply;
    threads_fn threads;
    int *offsets;
    void *matrix;
    const double *x;
    double *y;
};

static const matrix_descr general = {GENERAL_MATRIX, 0, 0};

static wadi_status find(bench_mkl *k, wadi_error *err) {
    static const char *const names[] = {"mkl_sparse_d_create_csr", "mkl_sparse_set_mv_hint",
                                        "mkl_sparse_optimize",     "mkl_sparse_destroy",
                                        "mkl_sparse_d_mv",         "MKL_Set_Num_Threads"};
    wadi_dl_fn found[6];
    for (int i = 0; i < 6; i++) {
        WADI_TRY(wadi_dl_function(&k->library, names[i], &found[i], err));
    }
    k->create = (create_fn)found[0];
    k->hint = (hint_fn)found[1];
    k->optimize = (matrix_fn)found[2];
    k->destroy = (matrix_fn)found[3];
    k->multiply = (multiply_fn)found[4];
    k->threads = (threads_fn)found[5];
    return WADI_OK;
}

static wadi_status load(const bench *b, bench_mkl *k, wadi_error *err) {
    wadi_error why = {0};
    if (wadi_dl_open(&k->library, b->mkl, &why) == WADI_OK && find(k, &why) == WADI_OK) {
        k->threads(b->threads);
        return WADI_OK;
    }
    return wadi_fail(err, WADI_UNSUPPORTED, "MKL is not there (pip install mkl): %.200s", why.msg);
}

static wadi_status prepare(bench_mkl *k, const wadi_csr *m, bool optimize, wadi_error *err) {
    if (m->entries > INT32_MAX || m->index_type != WADI_I32 || m->type != WADI_F64) {
        return wadi_fail(err, WADI_UNSUPPORTED, "MKL's 32-bit interface does not take this matrix");
    }
    k->offsets = malloc(((size_t)m->rows + 1) * sizeof *k->offsets);
    if (k->offsets == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t r = 0; r <= m->rows; r++) k->offsets[r] = (int)m->offsets[r];
    int status = k->create(&k->matrix, INDEX_FROM_ZERO, (int)m->rows, (int)m->columns, k->offsets,
                           k->offsets + 1, m->index, m->values);
    if (status == SPARSE_OK && optimize) {
        status = k->hint(k->matrix, NOT_TRANSPOSED, general, 1000);
        if (status == SPARSE_OK) status = k->optimize(k->matrix);
    }
    if (status == SPARSE_OK) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "MKL refuses the matrix with status %d", status);
}

wadi_status bench_mkl_open(const bench *b, const wadi_csr *m, bool optimize, const double *x,
                           double *y, bench_mkl **out, wadi_error *err) {
    bench_mkl *k = calloc(1, sizeof *k);
    if (k == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    k->x = x;
    k->y = y;
    wadi_status status = load(b, k, err);
    if (status == WADI_OK) status = prepare(k, m, optimize, err);
    if (status != WADI_OK) {
        bench_mkl_close(k);
        return status;
    }
    *out = k;
    return WADI_OK;
}

wadi_status bench_mkl_run(void *env, double *out_seconds, wadi_error *err) {
    bench_mkl *k = env;
    WADI_UNUSED(out_seconds);
    const int status = k->multiply(NOT_TRANSPOSED, 1, k->matrix, general, k->x, 0, k->y);
    if (status == SPARSE_OK) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "MKL multiplies with status %d", status);
}

/* The library stays loaded: its threads live on. */
void bench_mkl_close(bench_mkl *k) {
    if (k == NULL) return;
    if (k->matrix != NULL) (void)k->destroy(k->matrix);
    free(k->offsets);
    free(k);
}
