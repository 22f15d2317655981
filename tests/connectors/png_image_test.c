/* Pictures have north up and shades by value, and are complete or do not exist. */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/connectors/pass_plan.h"
#include "wadi/image.h"
#include "tests/open_files.h"

#ifdef WADI_HAVE_PNG
#include <png.h>

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "png_image_%d_%s", (int)getpid(), what);
    return name;
}

static wadi_status write_plane(const char *path, const wadi_png_options *options, int64_t planes,
                               int64_t h, int64_t w, const double *values, wadi_error *err) {
    wadi_sink *out = NULL;
    const wadi_status status = wadi_sink_png(path, options, &out, err);
    return status == WADI_OK ? pass_planes(out, WADI_F64, planes, h, w, values, err) : status;
}

/* Reads and removes the picture. */
static void assert_picture(const char *path, png_uint_32 h, png_uint_32 w,
                           const unsigned char *want) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char got[4096];
    assert_int_not_equal(png_image_begin_read_from_file(&image, path), 0);
    assert_int_equal(image.width, w);
    assert_int_equal(image.height, h);
    assert_int_equal(image.format, PNG_FORMAT_GRAY); /* 8 bits, no colour */
    assert_true(PNG_IMAGE_SIZE(image) <= sizeof got);
    assert_int_not_equal(png_image_finish_read(&image, NULL, got, 0, NULL), 0);
    if (want != NULL) assert_memory_equal(got, want, h * w);
    unlink(path);
}

/* What is not finite is black. */
static void north_is_up_and_large_is_bright(void **state) {
    (void)state;
    const double values[] = {0, 1, 2, 3, 4, 255, 300, -7, (double)NAN, (double)INFINITY, 100, 0};
    const wadi_png_options options = {.low = 0, .high = 255};
    const unsigned char rows[] = {0, 0, 100, 0, 4, 255, 255, 0, 0, 1, 2, 3};
    const char *path = name_of("north.png");
    assert_int_equal(write_plane(path, &options, 1, 3, 4, values, NULL), WADI_OK);
    assert_picture(path, 3, 4, rows);
}

static void only_the_first_plane_is_shown(void **state) {
    (void)state;
    const double values[] = {0, 255, 100, 200, 7, 7, 7, 7};
    const unsigned char rows[] = {100, 200, 0, 255};
    const wadi_png_options options = {.low = 0, .high = 255};
    const char *path = name_of("first.png");
    assert_int_equal(write_plane(path, &options, 2, 2, 2, values, NULL), WADI_OK);
    assert_picture(path, 2, 2, rows);
}

static void percentiles_leave_outliers_out(void **state) {
    (void)state;
    double values[2000];
    for (int i = 0; i < 2000; i++) values[i] = i * 1e-3 - 1; /* -1 .. 0.999 */
    values[0] = -1e30;
    values[1999] = 1e30;
    const char *path = name_of("percentile.png");
    assert_int_equal(write_plane(path, NULL, 1, 1, 2000, values, NULL), WADI_OK);
    unsigned char want[2000];
    const double low = (double)(float)values[9], high = (double)(float)values[1990];
    for (int i = 0; i < 2000; i++) {
        const double x = (values[i] - low) / (high - low);
        want[i] = (unsigned char)lround(255 * (x < 0 ? 0 : x > 1 ? 1 : x));
    }
    assert_picture(path, 1, 2000, want);
}

static void large_planes_shrink_by_averaging(void **state) {
    (void)state;
    const double values[] = {1, 3, 10, 5, 5, 11, (double)NAN, 8, 20, 40, 6, 7, 60, 80, 8, 9};
    /* 2 x 2 blocks; a block of less at the edge would be averaged over what it has */
    const unsigned char rows[] = {50, 8, 5, 8};
    const wadi_png_options options = {.low = 0, .high = 255, .most = 3};
    const char *path = name_of("shrunk.png");
    assert_int_equal(write_plane(path, &options, 1, 4, 4, values, NULL), WADI_OK);
    assert_picture(path, 2, 2, rows);
}

static void stretching_shows_what_is_faint(void **state) {
    (void)state;
    const double values[] = {0, 1, 10, 100};
    const wadi_png_options options = {.low = 0, .high = 100, .stretch = 100};
    unsigned char rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = (unsigned char)lround(255 * asinh(values[i]) / asinh(100.0));
    const char *path = name_of("stretch.png");
    assert_int_equal(write_plane(path, &options, 1, 1, 4, values, NULL), WADI_OK);
    assert_picture(path, 1, 4, rows);
}

static void planes_without_contrast_are_pictures_too(void **state) {
    (void)state;
    const double same[] = {3, 3, 3, 3}, nothing[] = {(double)NAN, (double)NAN};
    const char *path = name_of("flat.png");
    assert_int_equal(write_plane(path, NULL, 1, 2, 2, same, NULL), WADI_OK);
    assert_picture(path, 2, 2, NULL);
    assert_int_equal(write_plane(path, NULL, 1, 1, 2, nothing, NULL), WADI_OK);
    assert_picture(path, 1, 2, (const unsigned char[]){0, 0});
}

static void what_cannot_be_written_is_an_error(void **state) {
    (void)state;
    const double values[] = {0, 1};
    const wadi_png_options upside_down = {.low = 2, .high = 1}, less = {.stretch = -1};
    const char *path = name_of("wrong.png");
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(write_plane("/nowhere/x.png", NULL, 1, 1, 2, values, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "/nowhere/x.png"));
    assert_int_equal(write_plane("/dev/full", NULL, 1, 1, 2, values, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ENOSPC)));
    assert_int_equal(write_plane("/dev/null", NULL, 1, 1, 2, values, NULL), WADI_OK);
    assert_int_equal(write_plane(path, &upside_down, 1, 1, 2, values, NULL), WADI_INVALID);
    static const wadi_png_options wrong[] = {
        {.low = 2}, {.high = -1}, {.low = 1, .high = 1}, {.low = -1, .high = -2}, {.most = -1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(write_plane(path, &wrong[i], 1, 1, 2, values, NULL), WADI_INVALID);
    assert_int_equal(write_plane(path, &less, 1, 1, 2, values, NULL), WADI_INVALID);
    assert_int_equal(write_plane(path, NULL, 1, 0, 2, values, NULL), WADI_SHAPE);
    assert_int_equal(write_plane(path, NULL, 0, 1, 2, values, NULL), WADI_SHAPE);
    assert_false(wadi_file_exists(path));
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    double values[2500];
    const char *path = name_of("full.png");
    char pattern[80];
    glob_t found;
    wadi_error err = {.status = WADI_OK};
    struct rlimit before, small;
    for (int i = 0; i < 2500; i++) values[i] = sin(i * i * 0.7);
    snprintf(pattern, sizeof pattern, "%s*", path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 100, .rlim_max = before.rlim_max};
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* the write then fails */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const wadi_status status = write_plane(path, NULL, 1, 50, 50, values, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, WADI_IO);
    assert_non_null(strstr(err.msg, path));
    assert_non_null(strstr(err.msg, strerror(EFBIG)));
    assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(north_is_up_and_large_is_bright),
        cmocka_unit_test(only_the_first_plane_is_shown),
        cmocka_unit_test(percentiles_leave_outliers_out),
        cmocka_unit_test(large_planes_shrink_by_averaging),
        cmocka_unit_test(stretching_shows_what_is_faint),
        cmocka_unit_test(planes_without_contrast_are_pictures_too),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_libpng_pictures_are_refused(void **state) {
    (void)state;
    wadi_sink *out = NULL;
    assert_int_equal(wadi_sink_png("x.png", NULL, &out, NULL), WADI_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_libpng_pictures_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
