/* The peers of bench_folds: loops in C, compiled for this machine with -ffast-math and OpenMP's SIMD, one thread each. */
#ifndef WADI_BENCH_PEER_FOLDS_H
#define WADI_BENCH_PEER_FOLDS_H

#include <stdint.h>

/** sum, sum of squares, minimum and maximum of n numbers */
void peer_statistics(int64_t n, const float *xs, float *out);
/** of the numbers that are positive: how many, sum (wraps), minimum and maximum */
void peer_masked(int64_t n, const int32_t *xs, int64_t *out_count, int32_t *out);
/** xs over their sum and ys over the sum of those that are positive */
void peer_norm2(int64_t n, const float *xs, const float *ys, float *out_xs, float *out_ys);
/** returns the sum; out: half of each */
float peer_fold_and_map(int64_t n, const float *xs, float *out);
/** returns the maximum; out: the sums up to each, by blocks that are added first where that gains speed */
float peer_fold_and_scan(int64_t n, const float *xs, float *out);

#endif
