/* Images as FITS: what is written reads back, with world coordinates that put every pixel where it is on the sky. */
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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/connectors/pass_plan.h"
#include "wadi/image.h"
#include "tests/open_files.h"

#ifdef WADI_HAVE_CFITSIO
#include <fitsio.h>

enum { WIDTH = 6, HEIGHT = 5, PLANE = WIDTH * HEIGHT };

static const double degree = 0.017453292519943295;

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "fits_image_%d_%s", (int)getpid(), what);
    return name;
}

static wadi_image_info usual(void) {
    static const char *const history[] = {"natural weights", "a second line", NULL};
    return (wadi_image_info){.pixel = 0.02,
                             .ra = 187.7 * degree,
                             .dec = 12.39 * degree,
                             .equinox = 2000,
                             .frequency = 8.1e9,
                             .bandwidth = 16e6,
                             .stokes = 1,
                             .date = 51544.5,
                             .unit = "Jy/beam",
                             .object = "M87",
                             .telescope = "VLBA",
                             .history = history};
}

/* Planes of f64 (or f32, of half the bytes) as a stream into a new file at `path`. */
static wadi_status write_planes(const char *path, const wadi_image_info *info, wadi_type type,
                                int64_t planes, const void *values, wadi_error *err) {
    wadi_sink *out = NULL;
    const wadi_status status = wadi_sink_fits(path, info, &out, err);
    return status == WADI_OK ? pass_planes(out, type, planes, HEIGHT, WIDTH, values, err) : status;
}

static void fill(double *values, int n) {
    for (int i = 0; i < n; i++) values[i] = 1.5 * i - 20.25;
}

static fitsfile *open_fits(const char *path) {
    fitsfile *f = NULL;
    int status = 0;
    assert_int_equal(fits_open_diskfile(&f, path, READONLY, &status), 0);
    return f;
}

static double number(fitsfile *f, const char *name) {
    double value = 0;
    int status = 0;
    if (fits_read_key(f, TDOUBLE, name, &value, NULL, &status) != 0) fail_msg("no %s", name);
    return value;
}

static void assert_text(fitsfile *f, const char *name, const char *want) {
    char value[FLEN_VALUE] = "";
    int status = 0;
    if (fits_read_key(f, TSTRING, name, value, NULL, &status) != 0) fail_msg("no %s", name);
    assert_string_equal(value, want);
}

static bool has(fitsfile *f, const char *name) {
    char value[FLEN_VALUE] = "";
    int status = 0;
    (void)fits_read_keyword(f, name, value, NULL, &status);
    fits_clear_errmsg();
    return status == 0;
}

static void assert_close(double got, double want, double within) {
    if (!(fabs(got - want) <= within)) fail_msg("%.17g is not %.17g", got, want);
}

static void close_and_remove(fitsfile *f, const char *path) {
    int status = 0;
    fits_close_file(f, &status);
    unlink(path);
}

static void a_plane_reads_back_bit_for_bit(void **state) {
    (void)state;
    const wadi_image_info info = usual();
    const char *path = name_of("plane.fits");
    double values[PLANE], got[PLANE];
    float single[PLANE], got_single[PLANE];
    int bits = 0, naxis = 0, status = 0;
    long size[4] = {0};
    fill(values, PLANE);
    values[3] = 1.0 / 3;
    for (int i = 0; i < PLANE; i++) single[i] = (float)values[i];
    assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
    fitsfile *f = open_fits(path);
    fits_get_img_param(f, 4, &bits, &naxis, size, &status);
    fits_read_img(f, TDOUBLE, 1, PLANE, NULL, got, NULL, &status);
    assert_int_equal(status, 0);
    assert_int_equal(bits, -64);
    assert_int_equal(naxis, 4);
    assert_true(size[0] == WIDTH && size[1] == HEIGHT && size[2] == 1 && size[3] == 1);
    assert_memory_equal(got, values, sizeof got);
    close_and_remove(f, path);
    assert_int_equal(write_planes(path, &info, WADI_F32, 1, single, NULL), WADI_OK);
    f = open_fits(path);
    fits_get_img_param(f, 4, &bits, &naxis, size, &status);
    fits_read_img(f, TFLOAT, 1, PLANE, NULL, got_single, NULL, &status);
    assert_int_equal(bits, -32);
    assert_memory_equal(got_single, single, sizeof single);
    close_and_remove(f, path);
}

static void the_header_tells_what_is_known(void **state) {
    (void)state;
    const wadi_image_info info = usual();
    const char *path = name_of("header.fits");
    double values[PLANE];
    char card[FLEN_CARD];
    int status = 0;
    fill(values, PLANE);
    assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
    fitsfile *f = open_fits(path);
    assert_text(f, "BUNIT", "Jy/beam");
    assert_text(f, "OBJECT", "M87");
    assert_text(f, "TELESCOP", "VLBA");
    assert_text(f, "ORIGIN", "wadi");
    assert_text(f, "DATE-OBS", "2000-01-01T12:00:00.000");
    assert_text(f, "RADESYS", "FK5");
    assert_text(f, "CTYPE3", "FREQ");
    assert_text(f, "CUNIT3", "Hz");
    assert_text(f, "CTYPE4", "STOKES");
    assert_close(number(f, "EQUINOX"), 2000, 0);
    assert_close(number(f, "CRVAL3"), 8.1e9, 0);
    assert_close(number(f, "CDELT3"), 16e6, 0);
    assert_close(number(f, "CRPIX3"), 1, 0);
    assert_close(number(f, "CRVAL4"), 1, 0);
    int found = 0;
    for (int i = 1; fits_read_record(f, i, card, &status) == 0; i++)
        found += strncmp(card, "HISTORY natural weights", 23) == 0 ||
                 strncmp(card, "HISTORY a second line", 21) == 0;
    fits_clear_errmsg();
    assert_int_equal(found, 2);
    close_and_remove(f, path);
}

static void what_is_not_known_is_left_out(void **state) {
    (void)state;
    const wadi_image_info info = {.pixel = 0.02,
                                  .ra = (double)NAN,
                                  .dec = (double)NAN,
                                  .equinox = (double)NAN,
                                  .object = "caf\xc3\xa9\n"};
    const char *path = name_of("bare.fits");
    double values[PLANE];
    fill(values, PLANE);
    assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
    fitsfile *f = open_fits(path);
    assert_close(number(f, "NAXIS"), 2, 0);
    assert_text(f, "CTYPE1", "L");
    assert_text(f, "CUNIT1", "rad");
    assert_text(f, "CTYPE2", "M");
    assert_text(f, "OBJECT", "caf???");
    assert_close(number(f, "CDELT1"), -0.02, 0);
    assert_false(has(f, "EQUINOX") || has(f, "RADESYS") || has(f, "DATE-OBS") || has(f, "BUNIT") ||
                 has(f, "TELESCOP") || has(f, "CTYPE3"));
    close_and_remove(f, path);
}

/* Direction cosines (l, m) of a direction from the phase centre. */
static void project(double ra, double dec, const wadi_image_info *i, double *l, double *m) {
    *l = cos(dec) * sin(ra - i->ra);
    *m = sin(dec) * cos(i->dec) - cos(dec) * sin(i->dec) * cos(ra - i->ra);
}

/* Right ascension and declination of a pixel, counted from 1, from the header alone: inverse SIN projection. */
static void sky_of(fitsfile *f, double x, double y, double *ra, double *dec) {
    const double l = number(f, "CDELT1") * (x - number(f, "CRPIX1")) * degree,
                 m = number(f, "CDELT2") * (y - number(f, "CRPIX2")) * degree,
                 n = sqrt(1 - l * l - m * m), dec0 = number(f, "CRVAL2") * degree;
    *dec = asin(m * cos(dec0) + n * sin(dec0));
    *ra = number(f, "CRVAL1") * degree + atan2(l, n * cos(dec0) - m * sin(dec0));
}

static void check_pixel(fitsfile *f, const wadi_image_info *info, int column, int row) {
    double ra, dec, l, m, x = number(f, "CRVAL1"), y = number(f, "CRVAL2"), world_ra, world_dec;
    int status = 0;
    sky_of(f, column + 1, row + 1, &ra, &dec);
    project(ra, dec, info, &l, &m);
    assert_close(l, -(column - WIDTH / 2) * info->pixel, 1e-12);
    assert_close(m, (row - HEIGHT / 2) * info->pixel, 1e-12);
    fits_pix_to_world(column + 1, row + 1, x, y, number(f, "CRPIX1"), number(f, "CRPIX2"),
                      number(f, "CDELT1"), number(f, "CDELT2"), 0, (char[]){"-SIN"}, &world_ra,
                      &world_dec, &status);
    assert_int_equal(status, 0);
    assert_close(world_ra, ra / degree, 1e-9);
    assert_close(world_dec, dec / degree, 1e-9);
}

static void pixels_lie_where_their_direction_cosines_say(void **state) {
    (void)state;
    wadi_image_info info = usual();
    const char *path = name_of("world.fits");
    const double decs[] = {12.39, -30.72, 80, 0};
    double values[PLANE];
    fill(values, PLANE);
    for (size_t i = 0; i < sizeof decs / sizeof decs[0]; i++) {
        info.dec = decs[i] * degree;
        assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
        fitsfile *f = open_fits(path);
        assert_text(f, "CTYPE1", "RA---SIN");
        assert_text(f, "CTYPE2", "DEC--SIN");
        assert_text(f, "CUNIT1", "deg");
        assert_text(f, "CUNIT2", "deg");
        assert_close(number(f, "CRPIX1"), 4, 0);
        assert_close(number(f, "CRPIX2"), 3, 0);
        check_pixel(f, &info, 0, 0);
        check_pixel(f, &info, WIDTH / 2, HEIGHT / 2);
        check_pixel(f, &info, WIDTH - 1, HEIGHT - 1);
        close_and_remove(f, path);
    }
}

static void planes_become_the_frequency_axis(void **state) {
    (void)state;
    const wadi_image_info info = usual();
    wadi_image_info bare = usual();
    const char *path = name_of("cube.fits");
    double values[4 * PLANE], got[4 * PLANE];
    int status = 0;
    fill(values, 4 * PLANE);
    assert_int_equal(write_planes(path, &info, WADI_F64, 4, values, NULL), WADI_OK);
    fitsfile *f = open_fits(path);
    fits_read_img(f, TDOUBLE, 1, 4 * PLANE, NULL, got, NULL, &status);
    assert_int_equal(status, 0);
    assert_memory_equal(got, values, sizeof values);
    assert_close(number(f, "NAXIS"), 4, 0);
    assert_close(number(f, "NAXIS3"), 4, 0);
    assert_close(number(f, "CDELT3"), 4e6, 0);
    assert_close(number(f, "CRPIX3"), 2.5, 0); /* the middle of the band between planes 2 and 3 */
    close_and_remove(f, path);
    bare.frequency = 0;
    bare.stokes = 0;
    assert_int_equal(write_planes(path, &bare, WADI_F64, 4, values, NULL), WADI_OK);
    f = open_fits(path);
    assert_close(number(f, "NAXIS"), 3, 0);
    assert_close(number(f, "NAXIS3"), 4, 0);
    assert_text(f, "CTYPE3", "PLANE");
    close_and_remove(f, path);
}

typedef struct giver {
    int shape_of_second; /* height of the second plane */
    bool fails;
} giver;

static wadi_status give(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const giver *g = env;
    const int64_t shape[] = {index == 1 ? g->shape_of_second : HEIGHT, WIDTH};
    wadi_array a;
    if (index == 1 && g->fails) {
        *err = (wadi_error){.status = WADI_IO, .msg = "no more sky"};
        return WADI_IO;
    }
    if (index == 2 || (index == 0 && g->shape_of_second == 0)) return WADI_OK;
    assert_int_equal(wadi_yield_array(yield, 0, shape, &a, err), WADI_OK);
    memset(a.column[0], 0, (size_t)(shape[0] * shape[1]) * sizeof(double));
    return WADI_OK;
}

/* Is there nothing else that begins with this name? */
static bool stands_alone(const char *path) {
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.*", path);
    const bool nothing = glob(pattern, 0, NULL, &found) == GLOB_NOMATCH;
    globfree(&found);
    return nothing;
}

static void assert_refused(const giver *g, wadi_status want) {
    const wadi_part part = wadi_part_irregular(WADI_F64, 2);
    const wadi_image_info info = usual();
    char path[80];
    giver copy = *g;
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    snprintf(path, sizeof path, "%s", name_of("refused.fits"));
    assert_int_equal(wadi_file_write(path, "old", 3, 0644, NULL), WADI_OK);
    assert_int_equal(wadi_sink_fits(path, &info, &out, NULL), WADI_OK);
    assert_int_equal(wadi_source_callback(1, &part, give, &copy, &in, NULL), WADI_OK);
    assert_int_equal(pass_through(in, out, WADI_F64, 2, 1, NULL), want);
    assert_true(stands_alone(path));
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_string_equal(text, "old"); /* untouched */
    free(text);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    unlink(path);
}

static void a_broken_stream_leaves_what_was_there(void **state) {
    (void)state;
    const giver stops = {HEIGHT, true}, other_shape = {HEIGHT - 1, false}, empty = {0, false};
    assert_refused(&stops, WADI_IO);
    assert_refused(&other_shape, WADI_SHAPE);
    assert_refused(&empty, WADI_SHAPE);
}

static void an_old_file_is_replaced(void **state) {
    (void)state;
    const wadi_image_info info = usual();
    const char *path = name_of("[old]!.fits"); /* characters CFITSIO gives a meaning elsewhere */
    double values[PLANE];
    fill(values, PLANE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
    close_and_remove(open_fits(path), path);
}

static void wrong_places_and_values_are_refused(void **state) {
    (void)state;
    wadi_image_info info = usual();
    int32_t values[PLANE] = {0};
    const char *path = name_of("wrong.fits");
    assert_int_equal(write_planes("/dev/null", &info, WADI_I32, 1, values, NULL), WADI_TYPE);
    assert_int_equal(write_planes(path, &info, WADI_I32, 1, values, NULL), WADI_TYPE);
    assert_false(wadi_file_exists(path));
    wadi_error err = {.status = WADI_OK};
    double zeros[PLANE] = {0};
    assert_int_equal(write_planes("/nowhere/x.fits", &info, WADI_F64, 1, zeros, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "/nowhere/x.fits"));
    info.pixel = 0;
    assert_int_equal(write_planes(path, &info, WADI_F64, 1, zeros, NULL), WADI_INVALID);
}

/* A pipe takes the image as a file would, though it is completed from its end. */
static void a_stream_takes_the_whole_image(void **state) {
    (void)state;
    enum { ROOM = 1 << 15 };
    const wadi_image_info info = usual();
    double values[2 * PLANE];
    int ends[2];
    char own[32], got[ROOM], *text = NULL;
    size_t n = 0;
    char path[80];
    snprintf(path, sizeof path, "%s", name_of("stream.fits"));
    fill(values, 2 * PLANE);
    assert_int_equal(pipe(ends), 0);
    snprintf(own, sizeof own, "/dev/fd/%d", ends[1]);
    assert_int_equal(write_planes(own, &info, WADI_F64, 2, values, NULL), WADI_OK);
    assert_int_equal(write_planes(path, &info, WADI_F64, 2, values, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_int_equal(read(ends[0], got, sizeof got), n);
    assert_memory_equal(got, text, n);
    free(text);
    close(ends[0]);
    close(ends[1]);
    unlink(path);
}

static void dates_are_those_of_the_calendar(void **state) {
    (void)state;
    static const struct {
        double mjd;
        const char *date;
    } cases[] = {{57850.25, "2017-04-07T06:00:00.000"},
                 {60369.0, "2024-02-29T00:00:00.000"},
                 {60369.99999999999, "2024-03-01T00:00:00.000"},
                 {40587.5, "1970-01-01T12:00:00.000"}};
    wadi_image_info info = usual();
    const char *path = name_of("date.fits");
    double values[PLANE] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        info.date = cases[i].mjd;
        assert_int_equal(write_planes(path, &info, WADI_F64, 1, values, NULL), WADI_OK);
        fitsfile *f = open_fits(path);
        assert_text(f, "DATE-OBS", cases[i].date);
        close_and_remove(f, path);
    }
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    const wadi_image_info info = usual();
    const char *path = name_of("full.fits");
    double values[4 * PLANE];
    wadi_error err = {.status = WADI_OK};
    struct rlimit before, small;
    fill(values, 4 * PLANE);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 1000, .rlim_max = before.rlim_max};
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* the write then fails */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const wadi_status status = write_planes(path, &info, WADI_F64, 4, values, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, WADI_IO);
    assert_non_null(strstr(err.msg, path));
    assert_non_null(strstr(err.msg, strerror(EFBIG)));
    assert_false(wadi_file_exists(path));
    assert_true(stands_alone(path));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_plane_reads_back_bit_for_bit),
        cmocka_unit_test(the_header_tells_what_is_known),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(pixels_lie_where_their_direction_cosines_say),
        cmocka_unit_test(planes_become_the_frequency_axis),
        cmocka_unit_test(a_broken_stream_leaves_what_was_there),
        cmocka_unit_test(an_old_file_is_replaced),
        cmocka_unit_test(wrong_places_and_values_are_refused),
        cmocka_unit_test(dates_are_those_of_the_calendar),
        cmocka_unit_test(a_stream_takes_the_whole_image),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_cfitsio_images_are_refused(void **state) {
    (void)state;
    const wadi_image_info info = {.pixel = 1};
    wadi_sink *out = NULL;
    assert_int_equal(wadi_sink_fits("x.fits", &info, &out, NULL), WADI_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_cfitsio_images_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
