/* Loops in C that bench_numbers compares with, compiled with -ffast-math: compilers may reorder sums, and take the vector functions of their library.
 * All threads of OpenMP work, but for those of numbers_folds.c. */
#ifndef WADI_BENCH_NUMBERS_PEER_H
#define WADI_BENCH_NUMBERS_PEER_H

#include <stdint.h>

/* Call and put by Black and Scholes, the normal distribution by a polynomial, of a share's price, the strike and the time. */
void peer_options(int64_t n, const float *price, const float *strike, const float *t, float *call,
                  float *put);
float peer_dot(int64_t n, const float *x, const float *y);
/* What m[j] at each other place pulls place i by. */
void peer_bodies(int64_t n, const float *x, const float *y, const float *z, const float *m,
                 float *a, float *b, float *c);
/* Keys in ascending order: 8 bits in a round, from the lowest, by all threads. `room` is as long. */
void peer_radix(int64_t n, const int32_t *keys, int32_t *out, int32_t *room);
/* Sum, sum of squares, least, greatest. */
void peer_statistics(int64_t n, const float *x, float *out);
/* x over its sum; y over the sum of what is above 0 in y. */
void peer_norm2(int64_t n, const float *x, const float *y, float *a, float *b);
/* Running sums. Blocks that fit the cache are summed by all threads, then scanned by them: x is read from memory once. */
void peer_scan(int64_t n, const double *x, double *out);
/* The sum of each segment between two offsets. */
void peer_segments(int64_t rows, const int64_t *offsets, const double *x, double *out);
/* How often each number below `bins` is there. */
void peer_histogram(int64_t n, const int32_t *x, int64_t bins, int64_t *out);
/* One round: each point goes to the nearest of k centres (3 k numbers), whose means and numbers of points are the result. */
void peer_kmeans(int64_t n, const float *x, const float *y, const float *z, int64_t k,
                 const float *centres, double *mx, double *my, double *mz, int64_t *count);

/* Of the numbers that are positive: how many, sum (wraps), minimum and maximum. */
void peer_masked(int64_t n, const int32_t *xs, int64_t *out_count, int32_t *out);
/* Returns the sum; out: half of each. */
float peer_fold_and_map(int64_t n, const float *xs, float *out);
/* Returns the maximum; out: the sums up to each. */
float peer_fold_and_scan(int64_t n, const float *xs, float *out);

#endif
