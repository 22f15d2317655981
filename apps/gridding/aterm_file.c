/* See the header. */
#include "apps/gridding/aterm_file.h"

#include <stdlib.h>

#include "base/error.h"

void grid_aterms_fini(grid_aterms *a) {
    free((void *)(uintptr_t)a->kernel);
    *a = (grid_aterms){0};
}

#ifdef WADI_HAVE_CFITSIO

#include <fitsio.h>

static wadi_status read_failed(const char *path, int status, wadi_error *err) {
    char why[FLEN_STATUS];
    fits_get_errstatus(status, why);
    fits_clear_errmsg();
    return wadi_fail(err, status == MEMORY_ALLOCATION ? WADI_MEMORY : WADI_IO, "%s: %s", path, why);
}

/* Each row backwards: u changes its sign. */
static void turn(double *kernel, int64_t rows, int64_t size) {
    for (int64_t r = 0; r < rows; r++) {
        double *row = kernel + r * size * 2;
        for (int64_t i = 0, j = size - 1; i < j; i++, j--)
            for (int part = 0; part < 2; part++) {
                const double t = row[2 * i + part];
                row[2 * i + part] = row[2 * j + part];
                row[2 * j + part] = t;
            }
    }
}

static wadi_status read_kernels(const char *path, fitsfile *f, grid_aterms *out, wadi_error *err) {
    long n[4] = {0};
    int naxis = 0, status = 0;
    double theta = 0;
    fits_get_img_dim(f, &naxis, &status);
    fits_get_img_size(f, 4, n, &status);
    fits_read_key(f, TDOUBLE, "THETA", &theta, NULL, &status);
    if (status != 0) return read_failed(path, status, err);
    if (naxis != 4 || n[0] != 2 || n[1] != n[2] || n[1] % 2 == 0 || n[3] < 1 || !(theta > 0))
        return wadi_fail(err, WADI_INVALID,
                         "%s: A-terms have the axes (2, size, size, antennas), the size odd, and a "
                         "positive THETA",
                         path);
    const int64_t values = (int64_t)n[1] * n[2] * n[3] * 2;
    double *kernel = malloc((size_t)values * sizeof *kernel);
    if (kernel == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    fits_read_img(f, TDOUBLE, 1, values, NULL, kernel, NULL, &status);
    if (status != 0) {
        free(kernel);
        return read_failed(path, status, err);
    }
    turn(kernel, (int64_t)n[2] * n[3], n[1]);
    *out = (grid_aterms){.antennas = n[3], .size = n[1], .theta = theta, .kernel = kernel};
    return WADI_OK;
}

wadi_status grid_aterms_read(const char *path, grid_aterms *out, wadi_error *err) {
    fitsfile *f = NULL;
    int status = 0;
    fits_open_diskfile(&f, path, READONLY, &status);
    if (status != 0) return read_failed(path, status, err);
    const wadi_status result = read_kernels(path, f, out, err);
    status = 0;
    fits_close_file(f, &status);
    fits_clear_errmsg();
    return result;
}

#else

wadi_status grid_aterms_read(const char *path, grid_aterms *out, wadi_error *err) {
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: built without CFITSIO, which reads A-terms", path);
}

#endif
