/* Reading A-terms from a FITS image. */
#include "apps/gridding/aterm_file.h"

#include <stdlib.h>

#include "base/error.h"
#include "connectors/fits.h"

void grid_aterms_fini(grid_aterms *a) {
    free((void *)(uintptr_t)a->kernel);
    *a = (grid_aterms){0};
}

/* Reverses each row, because u changes its sign. */
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

wadi_status grid_aterms_read(const char *path, grid_aterms *out, wadi_error *err) {
    wadi_fits_cube c = {0};
    WADI_TRY(wadi_fits_read(path, "THETA", &c, err));
    if (c.axes != 4 || c.n[0] != 2 || c.n[1] != c.n[2] || c.n[1] % 2 == 0 || c.n[3] < 1 ||
        !(c.key > 0)) {
        free(c.value);
        return wadi_fail(err, WADI_INVALID,
                         "%s: A-terms have the axes (2, size, size, antennas), the size odd, and a "
                         "positive THETA",
                         path);
    }
    turn(c.value, c.n[2] * c.n[3], c.n[1]);
    *out = (grid_aterms){.antennas = c.n[3], .size = c.n[1], .theta = c.key, .kernel = c.value};
    return WADI_OK;
}
