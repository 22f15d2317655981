/* Reads a whole FITS image. */
#include <fitsio.h>
#include <stdlib.h>

#include "base/error.h"
#include "modules/cfitsio/cfitsio.h"

static wadi_status read_failed(const char *path, int status, wadi_error *err) {
    char why[FLEN_STATUS];
    fits_get_errstatus(status, why);
    fits_clear_errmsg();
    return wadi_fail(err, status == MEMORY_ALLOCATION ? WADI_MEMORY : WADI_IO, "%s: %s", path, why);
}

/* Values of the image; -1: not a number that memory could hold. */
static int64_t count(const wadi_fits_cube *c) {
    int64_t n = 1;
    for (int d = 0; d < WADI_FITS_AXES; d++) {
        if (c->n[d] < 0 || (c->n[d] > 0 && n > (INT64_C(1) << 56) / c->n[d])) return -1;
        n *= c->n[d];
    }
    return n;
}

static wadi_status read_cube(const char *path, const char *key, fitsfile *f, wadi_fits_cube *c,
                             wadi_error *err) {
    long n[WADI_FITS_AXES] = {1, 1, 1, 1};
    int status = 0;
    fits_get_img_dim(f, &c->axes, &status);
    if (status == 0 && c->axes > WADI_FITS_AXES) {
        return wadi_fail(err, WADI_INVALID, "%s: an image of %d axes, at most %d", path, c->axes,
                         (int)WADI_FITS_AXES);
    }
    fits_get_img_size(f, WADI_FITS_AXES, n, &status);
    fits_read_key(f, TDOUBLE, key, &c->key, NULL, &status);
    if (status != 0) return read_failed(path, status, err);
    for (int d = 0; d < WADI_FITS_AXES; d++) c->n[d] = d < c->axes ? n[d] : 1;
    const int64_t values = c->axes > 0 ? count(c) : 0;
    c->value = values >= 0 ? malloc((size_t)(values > 0 ? values : 1) * sizeof *c->value) : NULL;
    if (c->value == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (values > 0) fits_read_img(f, TDOUBLE, 1, values, NULL, c->value, NULL, &status);
    if (status == 0) return WADI_OK;
    free(c->value);
    return read_failed(path, status, err);
}

wadi_status wadi_cfitsio_read(const char *path, const char *key, wadi_fits_cube *out,
                              wadi_error *err) {
    fitsfile *f = NULL;
    wadi_fits_cube cube = {0};
    int status = 0;
    fits_open_diskfile(&f, path, READONLY, &status);
    if (status != 0) return read_failed(path, status, err);
    const wadi_status result = read_cube(path, key, f, &cube, err);
    status = 0;
    fits_close_file(f, &status);
    fits_clear_errmsg();
    if (result == WADI_OK) *out = cube;
    return result;
}
