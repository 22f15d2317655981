/* Roots of unity as arrays of a program. Internal to operators/. */
#ifndef WADI_OPERATORS_FFT_TABLES_H
#define WADI_OPERATORS_FFT_TABLES_H

#include "graph/lang/node.h"

/* exp(sign 2 pi i k / n), correctly rounded or nearly so for any k >= 0: k is first reduced modulo n. */
void wadi_fft_root(int64_t k, int64_t n, int sign, double *re, double *im);
/** [l, r]: exp(sign 2 pi i k q / (l r)). */
wadi_acc wadi_fft_twiddles(wadi_type t, int64_t l, int r, int sign);
/** [n]: exp(sign pi i k^2 / n). */
wadi_acc wadi_fft_chirp(wadi_type t, int64_t n, int sign);
/** [m]: the transform of length m of the chirp's conjugate, which is continued to negative indices: element m - i is element i. */
wadi_acc wadi_fft_chirp_transform(wadi_type t, int64_t n, int64_t m, int sign);
/** The smallest power of two that is at least 2 n - 1. */
int64_t wadi_fft_chirp_length(int64_t n);

#endif
