/* Reading an image of FITS whole, for programs that take small ones as parameters. */
#ifndef WADI_CONNECTORS_FITS_H
#define WADI_CONNECTORS_FITS_H

#include <stdint.h>

#include "wadi/status.h"

enum { WADI_FITS_AXES = 4 };

typedef struct wadi_fits_cube {
    int axes;
    int64_t n[WADI_FITS_AXES]; /* extents, the one that varies fastest first; 1 beyond `axes` */
    double key;                /* the value of the header line asked for */
    double *value;             /* n[0] n[1] n[2] n[3] of them; the caller frees them */
} wadi_fits_cube;

/* The primary image, with the number that stands behind `key` in its header. Errors: WADI_IO, WADI_INVALID (more than
 * four axes, no key), WADI_UNSUPPORTED (no module cfitsio), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_fits_read(const char *path, const char *key, wadi_fits_cube *out,
                                          wadi_error *err);

#endif
