/* The pixels of a square FITS image, read without any library, because the programs compared use such libraries. */
#ifndef WADI_BENCH_GRIDDING_FITS_PIXELS_H
#define WADI_BENCH_GRIDDING_FITS_PIXELS_H

#include <stdint.h>

#include "wadi/status.h"

/* Fills out[size, size], row after row from the south, of a primary image in single precision. Errors: WADI_IO (not there, cut
 * off), WADI_INVALID (another size or type). */
WADI_NODISCARD wadi_status bench_fits_pixels(const char *path, int64_t size, float *out,
                                             wadi_error *err);

#endif
