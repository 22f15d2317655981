/* PageRank by SuiteSparse:GraphBLAS, if it was there when this was built. */
#ifndef WADI_BENCH_STREAMS_GRAPHBLAS_H
#define WADI_BENCH_STREAMS_GRAPHBLAS_H

#include "bench/streams/report.h"
#include "wadi/matrix.h"

typedef struct bench_graphblas bench_graphblas;

/* Copies the graph. `share`: what each node gives of its rank to each target, 0 if it has none. A run takes `most` steps at most.
 * Errors: WADI_UNSUPPORTED when GraphBLAS is absent. */
WADI_NODISCARD wadi_status bench_graphblas_open(const bench *b, const wadi_csr *m,
                                                const double *share, int64_t most,
                                                bench_graphblas **out, wadi_error *err);
/* A bench_fn: seconds of one step. */
WADI_NODISCARD wadi_status bench_graphblas_run(void *env, double *out_seconds, wadi_error *err);
/* Ranks of the latest run, one per node. */
WADI_NODISCARD wadi_status bench_graphblas_result(const bench_graphblas *g, double *out,
                                                  wadi_error *err);
void bench_graphblas_close(bench_graphblas *g); /* NULL is fine */

#endif
