/* A-terms: how each antenna sees the sky, as convolution kernels over the uv plane.
 *
 * The image with A-terms is the sum of method.h with V_k multiplied by A1(l, m) A2(l, m). As in paper 001, no factor is conjugated. If
 * A1 conj(A2) is wanted, the file has to hold conjugated second terms. */
#ifndef WADI_APPS_GRIDDING_ATERMS_H
#define WADI_APPS_GRIDDING_ATERMS_H

#include <stdint.h>

#include "wadi/status.h"

typedef struct grid_aterms {
    int64_t antennas, size; /* kernels are [antennas, size, size], size odd */
    double theta;         /* field of view the kernels are made for, radians: a cell is 1 / theta */
    const double *kernel; /* re, im */
} grid_aterms;

#endif
