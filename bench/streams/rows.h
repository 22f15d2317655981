/* Ragged rows of numbers, for benchmarks that stream them. */
#ifndef WADI_BENCH_STREAMS_ROWS_H
#define WADI_BENCH_STREAMS_ROWS_H

#include "wadi/type.h"

typedef struct bench_rows {
    int64_t rows, n;  /* n: values in all */
    int64_t *offsets; /* [rows + 1] */
    double *values;   /* in (-1, 1] */
} bench_rows;

/* Lengths follow a power law with the given mean: many short rows, a few long ones, some empty. The same on every machine.
 * Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_rows_make(int64_t rows, int64_t mean, bench_rows *out,
                                           wadi_error *err);
void bench_rows_fini(bench_rows *r); /* all zero is fine */

#endif
