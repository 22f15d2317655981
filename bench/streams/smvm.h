/* The product of a sparse matrix and a vector, for matrices that another program of benchmarks chooses. */
#ifndef WADI_BENCH_STREAMS_SMVM_H
#define WADI_BENCH_STREAMS_SMVM_H

#include "bench/streams/matrices.h"
#include "bench/streams/report.h"

/* Compares all forms of wadi, and the peers, on a matrix of that kind. `unfused`: also the whole-array form without fusion. */
WADI_NODISCARD wadi_status bench_smvm_kind(bench *b, const bench_kind *kind, bool unfused,
                                           wadi_error *err);

#endif
