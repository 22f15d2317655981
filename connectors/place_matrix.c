/* Sparse matrices as places. */
#include <stdlib.h>

#include "base/error.h"
#include "connectors/connectors.h"
#include "wadi/matrix.h"

static void close_matrix(void *held) {
    wadi_csr_fini(held);
    free(held);
}

static wadi_status matrix_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->rank > 0)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the file tells the shape of the matrix; expected no shape in front",
                         p->at);
    if (p->parts != 2)
        return wadi_fail(err, WADI_TYPE,
                         "%s: the rows of a matrix are a stream of (i32[n], f64[n]): columns and "
                         "values; i64 if there are more than 2^31 columns, c128 if values are "
                         "complex",
                         p->at);
    wadi_csr *m = calloc(1, sizeof *m);
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", p->at);
    wadi_status st = wadi_matrix_market_read(p->at, m, err);
    if (st == WADI_OK) st = wadi_source_matrix(m, &out->source, err);
    if (st != WADI_OK) {
        close_matrix(m);
        return st;
    }
    out->held = m;
    out->release = close_matrix;
    return WADI_OK;
}

const wadi_connector wadi_connector_row_matrix = {
    .name = "matrix",
    .about = "a sparse matrix (mtx, Matrix Market): its rows as (i32[n], f64[n])",
    .endings = "mtx",
    .source = matrix_source,
};
