/* Intel's Math Kernel Library, if the machine has it: found when the benchmark runs, never needed to build. */
#ifndef WADI_BENCH_STREAMS_MKL_H
#define WADI_BENCH_STREAMS_MKL_H

#include "bench/streams/report.h"
#include "wadi/matrix.h"

typedef struct bench_mkl bench_mkl;

/* Prepares y = m x. `optimize`: with MKL's inspector, which may copy the matrix into a layout of its own first (untimed).
 * Everything is borrowed. Errors: WADI_UNSUPPORTED when MKL is absent or the matrix too large for it. */
WADI_NODISCARD wadi_status bench_mkl_open(const bench *b, const wadi_csr *m, bool optimize,
                                          const double *x, double *y, bench_mkl **out,
                                          wadi_error *err);
/* A bench_fn. */
WADI_NODISCARD wadi_status bench_mkl_run(void *env, double *out_seconds, wadi_error *err);
void bench_mkl_close(bench_mkl *k); /* NULL is fine */

#endif
