/* Writing images to files: numbers are unchanged, the shades of a picture follow the statistics of the image, and values that a
 * file cannot hold are refused. */
#include "apps/gridding/write_image.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/kept_memory.h"
#include "wadi/wadi.h"

#ifdef WADI_HAVE_CFITSIO
#include <fitsio.h>

enum { SIDE = 10, PIXELS = SIDE * SIDE };

static const wadi_image_info info = {
    .pixel = 1e-4, .unit = "Jy/beam", .object = "", .telescope = ""};

static const char *path_of(const char *name) {
    static char path[4][64];
    static int i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "write_image_%d_%s", (int)getpid(), name);
    return path[i];
}

static double noise(int i) {
    return sin(i * 12.9898) + 0.5 * cos(i * i * 0.7);
}

/* With a picture, or without (png NULL). */
static wadi_status written(bool precise, const double *image, const char *png, wadi_error *err) {
    grid_writer *w = NULL;
    wadi_status status = grid_writer_create(precise, png != NULL, &w, err);
    if (status == WADI_OK)
        status = grid_write_image(w, image, SIDE, path_of("f"), png, &info, false, err);
    grid_writer_destroy(w);
    return status;
}

static void assert_pixels(const double *want, int want_bits, bool rounded) {
    fitsfile *f = NULL;
    int status = 0, bits = 0, axes = 0;
    long n[4] = {0};
    double got[PIXELS];
    fits_open_diskfile(&f, path_of("f"), READONLY, &status);
    fits_get_img_param(f, 4, &bits, &axes, n, &status);
    fits_read_img(f, TDOUBLE, 1, PIXELS, NULL, got, NULL, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
    assert_true(bits == want_bits && n[0] == SIDE && n[1] == SIDE);
    for (int i = 0; i < PIXELS; i++)
        assert_true(got[i] == (rounded ? (double)(float)want[i] : want[i]));
}

static void numbers_stay_what_they_are(void **state) {
    (void)state;
    double image[PIXELS];
    wadi_error err = {0};
    for (int i = 0; i < PIXELS; i++) image[i] = noise(i) * 1e10;
    for (int precise = 0; precise < 2; precise++) {
        if (written(precise, image, NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_pixels(image, precise ? -64 : -32, !precise);
    }
    image[3] = (double)FLT_MAX;
    image[4] = -(double)FLT_MAX;
    if (written(false, image, NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_pixels(image, -32, true);
    image[3] = DBL_MAX;
    image[4] = -DBL_MAX;
    if (written(true, image, NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_pixels(image, -64, false);
    unlink(path_of("f"));
}

static void assert_refused(bool precise, const double *image, const char *says) {
    wadi_error err = {0};
    assert_int_equal(written(precise, image, path_of("p"), &err), WADI_INVALID);
    assert_string_equal(err.msg, says);
    assert_false(wadi_file_exists(path_of("f")) || wadi_file_exists(path_of("p")));
}

static void what_a_file_cannot_hold_is_counted(void **state) {
    (void)state;
    double image[PIXELS] = {0};
    image[0] = nextafter((double)FLT_MAX, (double)INFINITY);
    image[PIXELS - 1] = -1e39;
    assert_refused(false, image,
                   "2 of the image's 100 pixels are beyond what 32 bits hold: an --epsilon below "
                   "1e-6 makes an image of 64");
    image[1] = (double)NAN;
    image[2] = -(double)INFINITY;
    image[3] = (double)INFINITY;
    assert_refused(false, image, "3 of the image's 100 pixels are not finite");
    assert_refused(true, image, "3 of the image's 100 pixels are not finite");
}

/* ---- pictures ---- */

static wadi_acc same(wadi_acc plane) {
    return plane;
}

/* The picture of these shades, by the sink alone. */
static void draw(const double *image, const wadi_png_options *shades, const char *path) {
    const wadi_component plane = {.elem = wadi_scalar_elem(WADI_F64), .rank = 2};
    const wadi_array values = {.rank = 3,
                               .fields = 1,
                               .type = {WADI_F64},
                               .shape = {1, SIDE, SIDE},
                               .column = {(void *)(uintptr_t)image}};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_program *program = wadi_program_create("draw");
    wadi_stream_out(wadi_map_seq(same, wadi_stream_in("planes", 1, &plane)), "png");
    assert_int_equal(wadi_compile(program, NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, NULL, &run, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&values, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_png(path, shades, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "planes", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "png", sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(run, NULL), WADI_OK);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    wadi_program_destroy(program);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* From four times the spread below the median to as much above it, or to the brightest pixel. */
static wadi_png_options shades_of(const double *image) {
    double sorted[PIXELS], apart[PIXELS];
    memcpy(sorted, image, sizeof sorted);
    qsort(sorted, PIXELS, sizeof *sorted, ascending);
    const double median = sorted[PIXELS / 2], greatest = sorted[PIXELS - 1];
    for (int i = 0; i < PIXELS; i++) apart[i] = fabs(image[i] - median);
    qsort(apart, PIXELS, sizeof *apart, ascending);
    const double reach = 4 * 1.4826 * apart[PIXELS / 2];
    wadi_png_options o = {.low = median - reach, .stretch = 5, .most = 2048};
    o.high = greatest > median + reach ? greatest : median + reach;
    if (reach == 0 && greatest == median) o.low = o.high = 0;
    return o;
}

static void assert_picture(const double *image) {
    char *got = NULL, *want = NULL;
    size_t n = 0, m = 0;
    wadi_error err = {0};
    if (written(true, image, path_of("p"), &err) != WADI_OK) {
        if (err.status == WADI_UNSUPPORTED) skip();
        fail_msg("%s", err.msg);
    }
    const wadi_png_options shades = shades_of(image);
    draw(image, &shades, path_of("q"));
    assert_int_equal(wadi_file_read(path_of("p"), &got, &n, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(path_of("q"), &want, &m, NULL), WADI_OK);
    assert_true(n == m && memcmp(got, want, n) == 0);
    free(got);
    free(want);
    unlink(path_of("f"));
    unlink(path_of("p"));
    unlink(path_of("q"));
}

/* Noise alone; below zero everywhere; with a source, and with a hole; the same everywhere but at one place, and everywhere. */
static void shades_follow_the_statistics(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        double image[PIXELS];
        for (int i = 0; i < PIXELS; i++)
            image[i] = kind >= 4 ? 0.25 : noise(i) - (kind == 1 ? 100 : 0);
        if (kind == 2) image[37] = 50;
        if (kind == 3) image[37] = -50;
        if (kind == 4) image[37] = 0.5;
        assert_picture(image);
    }
}

/* ---- again and again ---- */

static void make_some(void *env) {
    (void)env;
    grid_writer_destroy(NULL);
    for (int picture = 0; picture < 2; picture++) {
        grid_writer *w = NULL;
        assert_int_equal(grid_writer_create(false, picture, &w, NULL), WADI_OK);
        grid_writer_destroy(w);
    }
}

static void a_writer_keeps_nothing(void **state) {
    (void)state;
    assert_keeps_nothing(make_some, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stay_what_they_are),
        cmocka_unit_test(what_a_file_cannot_hold_is_counted),
        cmocka_unit_test(shades_follow_the_statistics),
        cmocka_unit_test(a_writer_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
