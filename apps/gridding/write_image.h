/* A finished image into its files. */
#ifndef WADI_APPS_GRIDDING_WRITE_IMAGE_H
#define WADI_APPS_GRIDDING_WRITE_IMAGE_H

#include <stdbool.h>

#include "wadi/image.h"

/* image: [size, size], rows from south to north, columns from east to west. As f64 if `precise`, else as f32. png NULL: no picture.
 * Errors: those of the sinks. */
WADI_NODISCARD wadi_status grid_write_image(const double *image, int64_t size, bool precise,
                                            const char *fits, const char *png,
                                            const wadi_image_info *info, wadi_error *err);

#endif
