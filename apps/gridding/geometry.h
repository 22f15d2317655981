/* The size and the scale of an image, from what the visibilities reach.
 *
 * A baseline of length b wavelengths sees fringes 1 / b wide. By default, a pixel is a quarter of the finest fringe in the
 * sky, rounded down to two digits, and the field is two fringes of the shortest baseline wide. Wider structure is not
 * measured, and dishes stand further apart than their own width, so the field covers what each of them sees. The size is
 * between 256 and 4096 pixels, even, and without prime factors above 5. The field ends before the horizon, and so does that of
 * a grid, which is a quarter wider. If the size is given, pixels are made finer for that. */
#ifndef WADI_APPS_GRIDDING_GEOMETRY_H
#define WADI_APPS_GRIDDING_GEOMETRY_H

#include <stdint.h>

#include "apps/gridding/limits.h"
#include "wadi/status.h"

/* Radians: a grid's field is at most so wide, because its corners lie 1 / sqrt(2) of it from the centre, and the horizon 1. */
#define GRID_WIDEST 1.4

typedef struct grid_geometry {
    int64_t size; /* pixels along each side, even */
    double scale; /* radians */
} grid_geometry;

/* Cells along each side of the grid for an image of `size` pixels: a quarter more, rounded up to an even number without prime factors
 * above 5. What the kernel leaks from beyond the grid's field stays in that quarter. */
int64_t grid_padded(int64_t size);

/* Chooses the geometry. At most two of size, scale and fov are asked for; the others are 0. If `limits` is NULL, the geometry must follow
 * from these alone. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status grid_geometry_choose(const grid_limits *limits, int64_t size,
                                                double scale, double fov, grid_geometry *out,
                                                wadi_error *err);

#endif
