/* The size and the scale of an image, from what the visibilities reach.
 *
 * A baseline of length b wavelengths sees fringes 1 / b wide. By default, a pixel is a quarter of the finest fringe in the
 * sky, rounded down to two digits, and the field is two fringes of the shortest baseline wide. Wider structure is not
 * measured, and dishes stand further apart than their own width, so the field covers what each of them sees. The size is
 * between 256 and 4096 pixels, even, and without prime factors above 5. The field ends before the horizon; if the size is
 * given, pixels are made finer for that. */
#ifndef WADI_APPS_GRIDDING_GEOMETRY_H
#define WADI_APPS_GRIDDING_GEOMETRY_H

#include <stdint.h>

#include "apps/gridding/limits.h"
#include "wadi/status.h"

typedef struct grid_geometry {
    int64_t size; /* pixels along each side, even */
    double scale; /* radians */
} grid_geometry;

/* size, scale and fov: what is asked for, 0 where nothing; at most two of them. `limits` may be NULL: all must follow from what is
 * asked for. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status grid_geometry_choose(const grid_limits *limits, int64_t size,
                                                double scale, double fov, grid_geometry *out,
                                                wadi_error *err);

#endif
