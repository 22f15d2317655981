/* The benchmarks of bench_gridding: one file, one function each, and a row in the table of main.c; and the visibilities they share. */
#ifndef WADI_BENCH_GRIDDING_GRIDDING_H
#define WADI_BENCH_GRIDDING_GRIDDING_H

#include "apps/gridding/method.h"
#include "bench/streams/report.h"

WADI_NODISCARD wadi_status bench_wstack(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_via(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_wsclean(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_paper(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_compile(bench *b, wadi_error *err);

/* A batch that owns its columns, unweighted, of no known antennas. */
typedef struct bench_visibilities {
    grid_batch batch;
    double *column; /* u[n], v[n], w[n], weight[n], vis[n] pairs */
    int32_t *pair;
} bench_visibilities;

WADI_NODISCARD wadi_status bench_visibilities_make(int64_t n, bench_visibilities *out,
                                                   wadi_error *err);
/* Uniform in |u|, |v| <= most_uv and |w| <= most_w wavelengths, values uniform in both parts. */
void bench_visibilities_random(bench_visibilities *v, double most_uv, double most_w);
/* The golden set of DIR/vis/vla_grid_6h. Errors: WADI_UNSUPPORTED when there is none. */
WADI_NODISCARD wadi_status bench_visibilities_golden(const char *data, bench_visibilities *out,
                                                     wadi_error *err);
void bench_visibilities_free(bench_visibilities *v); /* harmless for one that is all zero */

/* -1 .. 1; the same ones from the same state. */
double bench_uniform(uint64_t *state);

#endif
