/* Folds of what a filter keeps, and beside maps and scans, as loops in C of one thread. */
#include "bench/arrays/peers/numbers.h"

#include <math.h>

void peer_masked(int64_t n, const int32_t *xs, int64_t *out_count, int32_t *out) {
    int64_t count = 0;
    uint32_t sum = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int64_t i = 0; i < n; i++) {
        const int32_t x = xs[i], mask = -(int32_t)(x > 0);
        count -= mask;
        sum += (uint32_t)(x & mask);
        const int32_t low = INT32_MAX ^ ((x ^ INT32_MAX) & mask);
        const int32_t high = INT32_MIN ^ ((x ^ INT32_MIN) & mask);
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    *out_count = count;
    out[0] = (int32_t)sum;
    out[1] = least;
    out[2] = most;
}

float peer_fold_and_map(int64_t n, const float *xs, float *out) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += xs[i];
        out[i] = xs[i] * 0.5F;
    }
    return sum;
}

float peer_fold_and_scan(int64_t n, const float *xs, float *out) {
    float sum = 0, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        most = xs[i] > most ? xs[i] : most;
        sum += xs[i];
        out[i] = sum;
    }
    return most;
}
