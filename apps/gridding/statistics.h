/* The statistics of a finished image. */
#ifndef WADI_APPS_GRIDDING_STATISTICS_H
#define WADI_APPS_GRIDDING_STATISTICS_H

#include <stdint.h>

#include "wadi/status.h"

typedef struct grid_statistics {
    double peak;            /* the value of largest modulus */
    int64_t peak_x, peak_y; /* its column and row, counted from 0 */
    double greatest, median;
    double rms; /* about zero */
    double
        spread; /* 1.4826 median of the distances from the median: the noise where most of the image is empty */
} grid_statistics;

/* image: [size, size]. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_statistics_of(const double *image, int64_t size,
                                              grid_statistics *out, wadi_error *err);

/* Right ascension and declination of a pixel at (l, m) from a phase centre, all in radians; ra in 0 .. 2 pi. */
void grid_sky_of(double ra0, double dec0, double l, double m, double *ra, double *dec);

#endif
