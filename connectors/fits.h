/* Reading a whole FITS image into memory, for programs that take small images as parameters. */
#ifndef WADI_CONNECTORS_FITS_H
#define WADI_CONNECTORS_FITS_H

#include <stdint.h>

#include "wadi/status.h"

enum { WADI_FITS_AXES = 4 };

typedef struct wadi_fits_cube {
    int axes;
    int64_t n[WADI_FITS_AXES]; /* extents, the one that varies fastest first; 1 beyond `axes` */
    double key;                /* the number in the header line that was asked for */
    double *value;             /* n[0] * n[1] * n[2] * n[3] values; the caller frees them */
} wadi_fits_cube;

/* Reads the primary image, and the number of the line `key` in its header. Errors: WADI_IO, WADI_INVALID (more than
 * four axes, no such line), WADI_UNSUPPORTED (no module cfitsio), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_fits_read(const char *path, const char *key, wadi_fits_cube *out,
                                          wadi_error *err);

#endif
