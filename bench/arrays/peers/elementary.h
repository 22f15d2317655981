/* Loops in C over elementary functions, compiled so that the C library's vector functions serve (-ffast-math). */
#ifndef WADI_BENCH_ELEMENTARY_PEER_H
#define WADI_BENCH_ELEMENTARY_PEER_H

#include <stdint.h>

#include "graph/elementary/names.h"

/* The sum over the n numbers from + step k, and the values at n numbers in memory. Functions of two numbers are of x and 2 - x / 4. */
#define PEER_DECLARE(name)                                             \
    double peer_sum_##name##_f64(int64_t n, double from, double step); \
    double peer_sum_##name##_f32(int64_t n, double from, double step); \
    void peer_map_##name##_f64(int64_t n, const void *in, void *out);  \
    void peer_map_##name##_f32(int64_t n, const void *in, void *out);
WADI_ELEMENTARY_ONE(PEER_DECLARE)
WADI_ELEMENTARY_TWO(PEER_DECLARE)

/* Prices of n call options by Black and Scholes, of a share's price, the price agreed on, and years. */
void peer_prices(int64_t n, const float *s, const float *k, const float *t, float *out);

#endif
