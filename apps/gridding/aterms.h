/* A-terms: how each antenna sees the sky, as convolution kernels over the uv plane.
 *
 * The image with A-terms is the sum of method.h with V_k multiplied by A1(l, m) A2(l, m): no conjugate, as the reference of paper 001
 * has it; a file that wants A1 conj(A2) holds conjugated second terms. */
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
