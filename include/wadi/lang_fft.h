/* The array language, continued: Fourier transforms, results of library routines, manual lifting. Included by wadi/lang.h.
 *
 * A transform works on the innermost `dims` (1 to 3) dimensions; the dimensions outside are a batch. With n the extent (over several
 * dimensions, the product of the extents),
 *     forward    X[k] = sum_j x[j] exp(-2 pi i j k / n)
 *     inverse    x[j] = 1/n sum_k X[k] exp(2 pi i j k / n)
 * Elements are c64 or c128; real signals are f32 or f64. Any extent is allowed; the transform of an empty array is empty.
 *
 * wadi_fft, wadi_ifft, wadi_rfft and wadi_irfft are library routines (FFTW) where that is installed. Otherwise the language
 * computes them itself, which is also what they mean. A library rounds differently: with e = 2^-53 (c128) or 2^-24 (c64), no
 * element differs by more than 16 e log2(n) times the root of the sum of squares of the exact result's elements. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_FFT_H
#define WADI_LANG_FFT_H

wadi_acc wadi_fft(wadi_acc a);               /**< forward, along the innermost dimension */
wadi_acc wadi_ifft(wadi_acc a);              /**< inverse, along the innermost dimension */
wadi_acc wadi_fft_nd(int dims, wadi_acc a);  /**< forward, along the innermost `dims` dimensions */
wadi_acc wadi_ifft_nd(int dims, wadi_acc a); /**< inverse, along the innermost `dims` dimensions */
/** Forward, of a real signal: the first n/2 + 1 elements of the result. The others are their conjugates. */
wadi_acc wadi_rfft(wadi_acc a);
/** wadi_rfft along the innermost `dims` dimensions; only the innermost is halved. */
wadi_acc wadi_rfft_nd(int dims, wadi_acc a);
/** The inverse of wadi_rfft: a real signal of innermost extent `n`. The innermost extent of `a` must be n/2 + 1, else it is a fault. */
wadi_acc wadi_irfft(wadi_exp n, wadi_acc a);
/** wadi_irfft along the innermost `dims` dimensions. */
wadi_acc wadi_irfft_nd(int dims, wadi_exp n, wadi_acc a);

/** The transform in the language itself, forward or inverse. Extents that are powers of two use radix 4 and 8. Others use
 *  Bluestein's chirp transform over the next power of two. */
wadi_acc wadi_fft_own(int dims, bool inverse, wadi_acc a);
/** wadi_fft_own for extents n[dims] that are known when the program is built; they are checked when it runs. All passes are laid
 *  out beforehand, and extents without a prime factor above 5 need no chirp. The result has these extents, so it is regular in a
 *  stream. */
wadi_acc wadi_fft_sized(int dims, const int64_t *n, bool inverse, wadi_acc a);

/** Turns the fields of a record, all of one type, into a new dimension `dim`: element j along it is field j. A function that gives
 *  the record is computed once for all fields. */
wadi_acc wadi_spread_on(int dim, wadi_acc a);

/** f(a). But in a stream of regular elements, a whole chunk may be computed at once as lifted(a'), where a' and the result have one more
 *  dimension, the number of the element, outermost. Both functions must compute the same; f defines the meaning. `a` may be a tuple. */
wadi_acc wadi_with_lifted(wadi_acc_fn1 f, wadi_acc_fn1 lifted, wadi_acc a);
/** wadi_with_lifted with an environment. */
wadi_acc wadi_with_lifted_env(wadi_acc_fn1_env f, wadi_acc_fn1_env lifted, void *env, wadi_acc a);

#endif
