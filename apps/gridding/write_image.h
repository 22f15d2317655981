/* Writes a finished image to its files. */
#ifndef WADI_APPS_GRIDDING_WRITE_IMAGE_H
#define WADI_APPS_GRIDDING_WRITE_IMAGE_H

#include <stdbool.h>

#include "wadi/image.h"

/* Writes images, one after another. Its kernels are made while there is none yet. */
typedef struct grid_writer grid_writer;

/* As f64 if `precise`, else as f32. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_writer_create(bool precise, bool with_picture, grid_writer **out,
                                              wadi_error *err);
/* NULL is fine. */
void grid_writer_destroy(grid_writer *owned_w);

/* image: [size, size], rows from south to north, columns from east to west. png NULL: no picture. sync: wadi_sink_sync. Errors: those of the sinks. */
WADI_NODISCARD wadi_status grid_write_image(grid_writer *w, const double *image, int64_t size,
                                            const char *fits, const char *png,
                                            const wadi_image_info *info, bool sync,
                                            wadi_error *err);

#endif
