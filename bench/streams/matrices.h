/* Sparse matrices for the benchmarks: files, and look-alikes of well-known ones, made from their rows, columns, entries and how
 * unevenly these are spread. */
#ifndef WADI_BENCH_STREAMS_MATRICES_H
#define WADI_BENCH_STREAMS_MATRICES_H

#include "wadi/matrix.h"

typedef enum bench_pattern {
    BENCH_MESH,   /* rows of similar length near the diagonal, in runs of three: finite elements */
    BENCH_BLOCKS, /* mostly short rows, some in dense blocks: power networks */
    BENCH_SKEWED  /* lengths by a power law, columns anywhere: circuits, set covers, the web */
} bench_pattern;

typedef struct bench_kind {
    const char *name;
    int64_t rows, columns, entries;
    bench_pattern pattern;
} bench_kind;

/* The 14 matrices of the SMVM table of Clifton-Everest et al., "Streaming irregular arrays" (Haskell 2017); sizes from the
 * SuiteSparse collection. */
extern const bench_kind bench_kinds[];
enum { BENCH_KINDS = 14 };

/* A matrix of that kind, the same on every machine: f64 values in (-1, 1), i32 columns, sorted within rows. Rows, columns and
 * entries are those of the kind divided by `shrink`. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_matrix_make(const bench_kind *kind, int64_t shrink, wadi_csr *out,
                                             wadi_error *err);

#endif
