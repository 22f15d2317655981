/* A-terms from FITS: the numbers as they stand there, u turned to the west, and what is not of the form refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/gridding/aterm_file.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_read_and_turned),
        cmocka_unit_test(other_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
