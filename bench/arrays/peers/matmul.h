/* The product of square matrices in C: blocks that fit in caches, tiles of accumulators in registers, both cores (OpenMP). */
#ifndef WADI_BENCH_ARRAYS_PEERS_MATMUL_H
#define WADI_BENCH_ARRAYS_PEERS_MATMUL_H

#include <stdint.h>

void peer_matmul_f32(int64_t n, const float *a, const float *b, float *c);
void peer_matmul_f64(int64_t n, const double *a, const double *b, double *c);
/** What most people write first: three loops, the innermost along rows of b and c. */
void peer_loops_f32(int64_t n, const float *a, const float *b, float *c);
void peer_loops_f64(int64_t n, const double *a, const double *b, double *c);

#endif
