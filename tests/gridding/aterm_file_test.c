/* A-terms from FITS: the numbers are read unchanged with u towards the west, and other forms are refused. An image that wadi-grid
 * makes with A-terms is compared with the direct sum that includes them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/gridding/aterm_file.h"
#include "apps/gridding/ingest.h"
#include "tests/gridding/direct.h"
#include "tests/open_files.h"

#ifdef WADI_HAVE_CFITSIO
#include <fitsio.h>

enum { ANTENNAS = 3, SIDE = 5, VALUES = ANTENNAS * SIDE * SIDE * 2 };

static const char *path_of(void) {
    static char path[64];
    snprintf(path, sizeof path, "aterm_file_%d.fits", (int)getpid());
    return path;
}

/* Value i of the file is i; theta 0: the key is left out. */
static void write_file(int naxis, long *n, double theta) {
    double values[VALUES];
    fitsfile *f = NULL;
    int status = 0;
    long total = 1;
    for (int i = 0; i < VALUES; i++) values[i] = i;
    for (int d = 0; d < naxis; d++) total *= n[d];
    assert_true(total <= VALUES);
    unlink(path_of());
    fits_create_diskfile(&f, path_of(), &status);
    fits_create_img(f, DOUBLE_IMG, naxis, n, &status);
    if (theta != 0) fits_write_key(f, TDOUBLE, "THETA", &theta, NULL, &status);
    fits_write_img(f, TDOUBLE, 1, total, values, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
}

static void kernels_are_read_and_turned(void **state) {
    (void)state;
    long n[] = {2, SIDE, SIDE, ANTENNAS};
    grid_aterms a;
    write_file(4, n, 0.08);
    assert_int_equal(grid_aterms_read(path_of(), &a, NULL), WADI_OK);
    assert_int_equal(a.antennas, ANTENNAS);
    assert_int_equal(a.size, SIDE);
    assert_true(a.theta == 0.08);
    for (int row = 0; row < ANTENNAS * SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            for (int part = 0; part < 2; part++)
                assert_true(a.kernel[(row * SIDE + column) * 2 + part] ==
                            (row * SIDE + SIDE - 1 - column) * 2 + part);
    grid_aterms_fini(&a);
    unlink(path_of());
}

static void assert_refused(wadi_status want, const char *says) {
    grid_aterms a;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(grid_aterms_read(path_of(), &a, &err), want);
    if (strstr(err.msg, says) == NULL) fail_msg("no \"%s\" in: %s", says, err.msg);
    unlink(path_of());
}

static void other_forms_are_refused(void **state) {
    (void)state;
    static long shapes[][4] = {{1, SIDE, SIDE, 3}, {2, 4, 4, 2}, {2, 3, 5, 2}};
    for (int i = 0; i < 3; i++) {
        write_file(4, shapes[i], 1);
        assert_refused(WADI_INVALID, "have the axes");
    }
    write_file(3, (long[]){2, SIDE, SIDE}, 1);
    assert_refused(WADI_INVALID, "have the axes");
    write_file(4, (long[]){2, SIDE, SIDE, ANTENNAS}, -1);
    assert_refused(WADI_INVALID, "have the axes");
    write_file(4, (long[]){2, SIDE, SIDE, ANTENNAS}, 0);
    assert_refused(WADI_IO, path_of());
    assert_refused(WADI_IO, path_of()); /* it is not there any more */
}

/* ---- an image with A-terms ---- */

enum { MANY = 64, CELLS = 3, IMAGE = 40, FIELD = 60, SAMPLES = 40 };
static const double scale = 0.01;

/* Kernels of antennas that each look elsewhere, far from symmetric in u. */
static void make_kernels(double *k) {
    for (int i = 0; i < MANY * CELLS * CELLS; i++) {
        k[2 * i] = (i % (CELLS * CELLS) == CELLS * CELLS / 2) + 0.15 * sin(3.0 * i + 1);
        k[2 * i + 1] = 0.15 * cos(5.0 * i);
    }
}

static void write_kernels(const double *k) {
    long n[] = {2, CELLS, CELLS, MANY};
    double theta = FIELD * scale;
    fitsfile *f = NULL;
    int status = 0;
    unlink(path_of());
    fits_create_diskfile(&f, path_of(), &status);
    fits_create_img(f, DOUBLE_IMG, 4, n, &status);
    fits_write_key(f, TDOUBLE, "THETA", &theta, NULL, &status);
    fits_write_img(f, TDOUBLE, 1, 2 * MANY * CELLS * CELLS, (double *)(uintptr_t)k, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
}

/* All visibilities of a file, u to the east again. */
static void read_all(const char *path, grid_store *store, grid_batch *out) {
    wadi_vis *vis = NULL;
    grid_store_init(store, 1 << 20);
    grid_ingest g = {.take = {.last_channel = -1}, .run = {.threads = 1}, .store = store};
    assert_int_equal(wadi_vis_open(path, NULL, &vis, NULL), WADI_OK);
    assert_int_equal(grid_ingest_rows(&g, vis, path, NULL), WADI_OK);
    wadi_vis_close(vis);
    double *u = store->column[GRID_U];
    for (int64_t i = 0; i < store->n; i++) u[i] = -u[i];
    assert_int_equal(grid_store_batch(store, out, NULL), WADI_OK);
}

static void read_pixels(const char *path, double *pixel) {
    fitsfile *f = NULL;
    int status = 0;
    fits_open_diskfile(&f, path, READONLY, &status);
    fits_read_img(f, TDOUBLE, 1, IMAGE * IMAGE, NULL, pixel, NULL, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
}

static void the_image_is_the_sum_with_a_terms_in_it(void **state) {
    static double kernel[2 * MANY * CELLS * CELLS], pixel[IMAGE * IMAGE];
    char path[512], command[2048];
    grid_store store;
    grid_batch b;
    direct_place place[SAMPLES];
    double want[SAMPLES], got[SAMPLES], plain[SAMPLES], weight = 0;
    (void)state;
    if (getenv("WADI_TEST_DATA") == NULL || getenv("WADI_BUILD") == NULL) skip();
    snprintf(path, sizeof path, "%s/vis/fewant_randsrc_airybeam_Nsrc100_10MHz.uvfits",
             getenv("WADI_TEST_DATA"));
    make_kernels(kernel);
    write_kernels(kernel);
    snprintf(
        command, sizeof command,
        "%s/apps/gridding/wadi-grid -q -m aw --aterm %s --oversample 32 -s %d --scale %grad -o "
        "%s.image %s",
        getenv("WADI_BUILD"), path_of(), IMAGE, scale, path_of(), path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s.image", path_of());
    read_pixels(command, pixel);
    unlink(command);
    unlink(path_of());
    read_all(path, &store, &b);
    for (int64_t i = 0; i < b.n; i++) weight += b.weight[i];
    for (int i = 0; i < SAMPLES; i++) {
        const int x = i * 17 % IMAGE, y = i * 31 % IMAGE;
        place[i] = (direct_place){-(x - IMAGE / 2) * scale, (y - IMAGE / 2) * scale, 0};
        got[i] = pixel[y * IMAGE + x] * weight;
    }
    const grid_aterms a = {MANY, CELLS, FIELD * scale, kernel};
    direct_sum(&b, &a, false, SAMPLES, place, want);
    direct_sum(&b, NULL, false, SAMPLES, place, plain);
    const double error = direct_error(SAMPLES, got, want);
    if (!(error < 0.02)) fail_msg("error %g", error);
    assert_true(direct_error(SAMPLES, got, plain) > 0.1);
    grid_store_fini(&store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(kernels_are_read_and_turned),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(the_image_is_the_sum_with_a_terms_in_it),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
