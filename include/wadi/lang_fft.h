/* The array language, continued: Fourier transforms, library routines' results and manual lifting. Included by
 * wadi/lang.h.
 *
 * Transforms work on the innermost `dims` (1 to 3) dimensions; dimensions outside of them are a batch. Forward is
 *     X[k] = sum_j x[j] exp(-2 pi i j k / n),  unscaled; inverse is  x[j] = 1/n sum_k X[k] exp(2 pi i j k / n),
 * n the product of the extents over several dimensions. Elements are c64 or c128, real signals f32 or f64. Any extent is fine;
 * a transform of nothing is nothing.
 *
 * wadi_fft, wadi_ifft, wadi_rfft, wadi_irfft are library routines (FFTW) where the build has them, and otherwise the
 * language's own, which is also what they mean. A library rounds differently: with e = 2^-53 (c128) or 2^-24 (c64), no
 * element differs by more than 16 e log2(n) times the root of the sum of squares of the exact result's elements. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_FFT_H
#define WADI_LANG_FFT_H

wadi_acc wadi_fft(wadi_acc a); /**< of the innermost dimension */
wadi_acc wadi_ifft(wadi_acc a);
wadi_acc wadi_fft_nd(int dims, wadi_acc a);
wadi_acc wadi_ifft_nd(int dims, wadi_acc a);
/** Of a real signal: the first n/2 + 1 elements along the innermost dimension; the others are their conjugates. */
wadi_acc wadi_rfft(wadi_acc a);
wadi_acc wadi_rfft_nd(int dims, wadi_acc a);
/** The way back to a real signal whose innermost extent is `n`; that of `a` is n/2 + 1, else a fault. */
wadi_acc wadi_irfft(wadi_exp n, wadi_acc a);
wadi_acc wadi_irfft_nd(int dims, wadi_exp n, wadi_acc a);

/** The language's own transform; inverse: the other sign, and scaled. Extents that are powers of two go by radix 4 and 8,
 *  others by Bluestein's chirp transform over the next power of two. */
wadi_acc wadi_fft_own(int dims, bool inverse, wadi_acc a);
/** The same for extents that are known when the program is built (n[dims]; checked when it runs): all passes are laid out, extents
 *  with no prime factor above 5 need no chirp, and what comes out has these extents, so it is regular in a stream. */
wadi_acc wadi_fft_sized(int dims, const int64_t *n, bool inverse, wadi_acc a);

/** The fields of a record, all of one type, as a new dimension: element j along dimension `dim` of the result is field j. A
 *  function that gives a record is computed once for all of them. */
wadi_acc wadi_spread_on(int dim, wadi_acc a);

/** f(a); but in a stream whose elements are regular, over a whole chunk at once: lifted(a'), where a' has the elements' number as
 *  a new outermost dimension, and so has the result. Both must compute the same; f is what it means. Tuples are fine. */
wadi_acc wadi_with_lifted(wadi_acc_fn1 f, wadi_acc_fn1 lifted, wadi_acc a);
wadi_acc wadi_with_lifted_env(wadi_acc_fn1_env f, wadi_acc_fn1_env lifted, void *env, wadi_acc a);

#endif
