/* Peers in Python: bench/streams/peers.py in a child process, with its data in files of a temporary folder. */
#ifndef WADI_BENCH_STREAMS_SCIPY_PEER_H
#define WADI_BENCH_STREAMS_SCIPY_PEER_H

#include "bench/streams/report.h"
#include "wadi/matrix.h"

typedef struct bench_python bench_python;

/* Starts `peers.py task` with matrix `m` and vector `x` (m->columns elements; may be NULL). Errors: WADI_UNSUPPORTED when Python or
 * a package is missing, WADI_IO. */
WADI_NODISCARD wadi_status bench_python_open(const bench *b, const char *task, const wadi_csr *m,
                                             const double *x, bench_python **out, wadi_error *err);
/* A bench_fn: seconds of the work alone, as the child says. */
WADI_NODISCARD wadi_status bench_python_run(void *env, double *out_seconds, wadi_error *err);
/* The child's latest result. `out` has room for n elements. Errors: WADI_IO. */
WADI_NODISCARD wadi_status bench_python_result(const bench_python *p, int64_t n, double *out,
                                               wadi_error *err);
/* Ends the child and removes its files; NULL is fine. */
void bench_python_close(bench_python *p);

#endif
