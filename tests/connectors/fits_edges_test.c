/* Edge cases of FITS images: headers of any length, dates against the C library's calendar, cards against a second reader written
 * here, planes that are written in several pieces, and small cubes that are read whole. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CFITSIO
#include <fitsio.h>

#include "base/file.h"
#include "connectors/fits.h"
#include "tests/connectors/pass_plan.h"
#include "tests/open_files.h"
#include "wadi/image.h"

enum { BLOCK = 2880, CARD = 80, MOST = 20000 };

static char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "fits_edges_%d.fits", (int)getpid());
    return name;
}

/* ---- a reader of headers ---- */

typedef struct file {
    char *bytes;
    size_t n, head; /* of all, of the header with its blanks */
} file;

/* Cards of 80 printable characters, blanks behind END, whole blocks. */
static file read_back(void) {
    file f = {0};
    assert_int_equal(wadi_file_read(file_name(), &f.bytes, &f.n, NULL), WADI_OK);
    assert_int_equal(f.n % BLOCK, 0);
    size_t at = 0;
    while (strncmp(f.bytes + at, "END     ", 8) != 0) {
        at += CARD;
        assert_true(at < f.n);
    }
    f.head = (at / BLOCK + 1) * BLOCK;
    for (size_t i = 0; i < f.head; i++) assert_true(f.bytes[i] >= ' ' && f.bytes[i] <= '~');
    for (size_t i = at + 3; i < f.head; i++) assert_int_equal(f.bytes[i], ' ');
    unlink(file_name());
    return f;
}

/* What stands behind "NAME    = " up to the comment, without blanks and quotes; "" where there is no such card. */
static const char *value_of(const file *f, const char *name) {
    static char value[CARD];
    char start[16];
    snprintf(start, sizeof start, "%-8s= ", name);
    for (size_t at = 0; at < f->head; at += CARD) {
        const char *c = f->bytes + at + 10;
        size_t n = 0, from = 0;
        if (strncmp(f->bytes + at, start, 10) != 0) continue;
        if (c[0] == '\'')
            for (from = n = 1; n < 70 && c[n] != '\'';) n++;
        else
            while (n < 70 && c[n] != '/') n++;
        while (c[from] == ' ') from++;
        while (n > from && c[n - 1] == ' ') n--;
        snprintf(value, sizeof value, "%.*s", (int)(n - from), c + from);
        return value;
    }
    return "";
}

static void is_text(const file *f, const char *name, const char *want) {
    const char *got = value_of(f, name);
    if (strcmp(got, want) != 0) fail_msg("%s is \"%s\", not \"%s\"", name, got, want);
}

static void is_number(const file *f, const char *name, double want) {
    const char *got = value_of(f, name);
    char *end = NULL;
    const double x = strtod(got, &end);
    if (end == got || *end != '\0' || !(fabs(x - want) <= 1e-13 * fabs(want)))
        fail_msg("%s is \"%s\", not %.15g", name, got, want);
}

static int64_t big_endian(const char *p, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | (unsigned char)p[i];
    return (int64_t)v;
}

/* ---- writing ---- */

static double values[MOST];

static double value_at(int64_t i) {
    return (double)(i * 7919 % 30011) / 7 - 1000;
}

static void write_image(const wadi_image_info *info, wadi_type type, int64_t planes, int64_t h,
                        int64_t w) {
    wadi_sink *out = NULL;
    wadi_error err = {.status = WADI_OK};
    for (int64_t i = 0; i < planes * h * w; i++) {
        if (type == WADI_F64)
            values[i] = value_at(i);
        else
            ((float *)values)[i] = (float)value_at(i);
    }
    assert_int_equal(wadi_sink_fits(file_name(), info, &out, NULL), WADI_OK);
    if (pass_planes(out, type, planes, h, w, values, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* Every pixel behind the header, and zeros up to the end of the block. */
static void pixels_follow(const file *f, wadi_type type, int64_t n) {
    const int size = type == WADI_F64 ? 8 : 4;
    for (int64_t i = 0; i < n; i++) {
        const int64_t got = big_endian(f->bytes + f->head + i * size, size);
        const double d = value_at(i);
        const float s = (float)d;
        int64_t want = 0;
        int32_t half;
        memcpy(&want, &d, sizeof want);
        memcpy(&half, &s, sizeof half);
        assert_true(got == (size == 8 ? want : (int64_t)(uint32_t)half));
    }
    const size_t end = f->head + (size_t)(n * size);
    assert_true(f->n - end < BLOCK);
    for (size_t i = end; i < f->n; i++) assert_int_equal(f->bytes[i], 0);
}

/* ---- headers ---- */

static void headers_of_any_length_stand_before_their_planes(void **state) {
    (void)state;
    enum { LINES = 80 };
    static const char *history[LINES + 1];
    for (int n = 0; n <= LINES; n++) {
        for (int64_t planes = 1; planes <= 2; planes++) {
            const wadi_image_info info = {
                .pixel = 0.01, .ra = 1, .dec = 0.5, .equinox = 2000, .history = history};
            write_image(&info, WADI_F32, planes, 3, 5);
            file f = read_back();
            pixels_follow(&f, WADI_F32, planes * 15);
            is_number(&f, "NAXIS", planes == 1 ? 2 : 3);
            is_number(&f, "NAXIS1", 5);
            is_number(&f, "NAXIS2", 3);
            if (planes == 2) is_number(&f, "NAXIS3", 2);
            is_text(&f, "NAXIS3", planes == 2 ? "2" : "");
            is_text(&f, "CTYPE3", planes == 2 ? "PLANE" : "");
            int lines = 0;
            for (size_t at = 0; at < f.head; at += CARD)
                lines += strncmp(f.bytes + at, "HISTORY a line", 14) == 0;
            assert_int_equal(lines, n);
            free(f.bytes);
        }
        if (n < LINES) history[n] = "a line";
    }
}

static void everything_known_has_its_card(void **state) {
    (void)state;
    const double degrees = 57.29577951308232;
    const wadi_image_info info = {.pixel = 0.25,
                                  .ra = 2,
                                  .dec = -1,
                                  .equinox = 1950,
                                  .frequency = 1.5e9,
                                  .bandwidth = 6e6,
                                  .stokes = -5,
                                  .date = 60000.25,
                                  .unit = "Jy",
                                  .object = "a~ b\x7f\t",
                                  .telescope = "T"};
    write_image(&info, WADI_F64, 3, 4, 6);
    file f = read_back();
    pixels_follow(&f, WADI_F64, 72);
    is_text(&f, "SIMPLE", "T");
    is_text(&f, "EXTEND", "T");
    static const struct {
        const char *name;
        double value;
    } numbers[] = {{"BITPIX", -64},      {"NAXIS", 4},  {"NAXIS1", 6},     {"NAXIS2", 4},
                   {"NAXIS3", 3},        {"NAXIS4", 1}, {"CRPIX1", 4},     {"CRPIX2", 3},
                   {"CRPIX3", 2},        {"CRPIX4", 1}, {"CRVAL3", 1.5e9}, {"CDELT3", 2e6},
                   {"CRVAL4", -5},       {"CDELT4", 1}, {"EQUINOX", 1950}, {"RESTFRQ", 1.5e9},
                   {"MJD-OBS", 60000.25}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        is_number(&f, numbers[i].name, numbers[i].value);
    is_number(&f, "CRVAL1", 2 * degrees);
    is_number(&f, "CRVAL2", -degrees);
    is_number(&f, "CDELT1", -0.25 * degrees);
    is_number(&f, "CDELT2", 0.25 * degrees);
    static const char *const texts[][2] = {
        {"CTYPE1", "RA---SIN"}, {"CTYPE2", "DEC--SIN"},
        {"CTYPE3", "FREQ"},     {"CTYPE4", "STOKES"},
        {"CUNIT1", "deg"},      {"CUNIT2", "deg"},
        {"CUNIT3", "Hz"},       {"CUNIT4", ""},
        {"RADESYS", "FK4"},     {"SPECSYS", "TOPOCENT"},
        {"TIMESYS", "UTC"},     {"ORIGIN", "wadi"},
        {"BUNIT", "Jy"},        {"OBJECT", "a~ b??"},
        {"TELESCOP", "T"},      {"DATE-OBS", "2023-02-25T06:00:00.000"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) is_text(&f, texts[i][0], texts[i][1]);
    free(f.bytes);
}

static void what_is_half_known_is_told_by_half(void **state) {
    (void)state;
    static const struct {
        double ra, dec, equinox, bandwidth;
        const char *system, *first;
        double step;
    } cases[] = {{1, 0, 1983.9, 0, "FK4", "RA---SIN", 1},
                 {1, 0, 1984, -1, "FK5", "RA---SIN", 1},
                 {1, 0, (double)NAN, 8, "", "RA---SIN", 4},
                 {(double)NAN, 0, 2000, 2, "", "L", 1},
                 {1, (double)NAN, 2000, 1, "", "L", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wadi_image_info info = {.pixel = 1e-3,
                                      .ra = cases[i].ra,
                                      .dec = cases[i].dec,
                                      .equinox = cases[i].equinox,
                                      .bandwidth = cases[i].bandwidth,
                                      .frequency = 1e9};
        write_image(&info, WADI_F32, 2, 2, 2);
        file f = read_back();
        is_text(&f, "RADESYS", cases[i].system);
        is_text(&f, "CTYPE1", cases[i].first);
        is_text(&f, "DATE-OBS", "");
        is_text(&f, "OBJECT", "");
        is_text(&f, "NAXIS4", "");
        is_number(&f, "CDELT3", cases[i].step);
        is_number(&f, "CRPIX3", 1.5);
        free(f.bytes);
    }
    write_image(NULL, WADI_F32, 1, 2, 3);
    file f = read_back();
    is_text(&f, "CTYPE1", "");
    is_text(&f, "ORIGIN", "wadi");
    is_number(&f, "NAXIS", 2);
    pixels_follow(&f, WADI_F32, 6);
    free(f.bytes);
}

/* A value takes at most 68 characters of a card. */
static void long_texts_are_cut(void **state) {
    (void)state;
    char text[100], want[100];
    for (size_t n = 66; n < 72; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        snprintf(want, sizeof want, "%.68s", text);
        const wadi_image_info info = {.pixel = 1, .object = text};
        write_image(&info, WADI_F32, 1, 1, 1);
        file f = read_back();
        is_text(&f, "OBJECT", want);
        free(f.bytes);
    }
}

static void planes_of_many_pieces_are_whole(void **state) {
    (void)state;
    static const int64_t sizes[] = {8191, 8192, 8193, 16384, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_image(NULL, i % 2 == 0 ? WADI_F64 : WADI_F32, 1, 1, sizes[i]);
        file f = read_back();
        pixels_follow(&f, i % 2 == 0 ? WADI_F64 : WADI_F32, sizes[i]);
        free(f.bytes);
    }
}

/* ---- dates ---- */

static void dates_are_those_of_the_c_library(void **state) {
    (void)state;
    uint32_t chance = 9;
    for (int i = 0; i < 860; i++) {
        chance = chance * 1664525u + 1013904223u;
        /* All days around two leap days, one of them of a full century; the ends of many years; any from 1858 to 2400. */
        const int64_t day = i < 760   ? 51544 + i
                            : i < 800 ? 15078 + (i - 760) * 365 + (i - 760) / 4
                                      : (int64_t)((chance >> 4) % 198000 + 1);
        const int64_t ms = (chance >> 8) % 86400000;
        const time_t seconds = (time_t)((day - 40587) * 86400 + ms / 1000);
        struct tm t;
        char want[40];
        assert_non_null(gmtime_r(&seconds, &t));
        snprintf(want, sizeof want, "%04d-%02d-%02dT%02d:%02d:%02d.%03d", t.tm_year + 1900,
                 t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (int)(ms % 1000));
        const wadi_image_info info = {.pixel = 1, .date = (double)day + (double)ms / 86400e3};
        write_image(&info, WADI_F32, 1, 1, 1);
        file f = read_back();
        is_text(&f, "DATE-OBS", want);
        free(f.bytes);
    }
    static const double none[] = {0, -1, 1e7, (double)NAN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const wadi_image_info info = {.pixel = 1, .date = none[i]};
        write_image(&info, WADI_F32, 1, 1, 1);
        file f = read_back();
        is_text(&f, "DATE-OBS", "");
        is_text(&f, "MJD-OBS", "");
        free(f.bytes);
    }
}

/* ---- cubes ---- */

static void write_cube(int axes, const long *extent, bool has_key) {
    fitsfile *f = NULL;
    int status = 0;
    long n = axes > 0 ? 1 : 0;
    double v[120], key = 2.5;
    for (int d = 0; d < axes; d++) n *= extent[d];
    for (int i = 0; i < 120; i++) v[i] = i * 0.5 - 3;
    (void)unlink(file_name());
    fits_create_diskfile(&f, file_name(), &status);
    fits_create_img(f, -32, axes, (long *)(uintptr_t)extent, &status);
    if (has_key) fits_update_key(f, TDOUBLE, "THETA", &key, NULL, &status);
    if (n > 0) fits_write_img(f, TDOUBLE, 1, n, v, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
}

static void cubes_are_read_whole(void **state) {
    (void)state;
    static const long extent[] = {5, 4, 3, 2, 1};
    for (int axes = 0; axes <= 5; axes++) {
        wadi_fits_cube c = {0};
        wadi_error err = {.status = WADI_OK};
        char said[120];
        write_cube(axes, extent, true);
        const wadi_status st = wadi_fits_read(file_name(), "THETA", &c, &err);
        assert_int_equal(st, axes == 5 ? WADI_INVALID : WADI_OK);
        if (st != WADI_OK) {
            snprintf(said, sizeof said, "%s: an image of 5 axes, at most 4", file_name());
            assert_string_equal(err.msg, said);
            continue;
        }
        int64_t n = axes > 0 ? 1 : 0;
        assert_int_equal(c.axes, axes);
        assert_true(c.key == 2.5);
        for (int d = 0; d < 4; d++) {
            assert_int_equal(c.n[d], d < axes ? extent[d] : 1);
            n *= c.n[d];
        }
        for (int64_t i = 0; i < n; i++) assert_true(c.value[i] == (double)i * 0.5 - 3);
        free(c.value);
    }
    wadi_fits_cube c = {0};
    wadi_error err = {.status = WADI_OK};
    write_cube(2, extent, false);
    assert_int_equal(wadi_fits_read(file_name(), "THETA", &c, &err), WADI_IO);
    assert_non_null(strstr(err.msg, file_name()));
    write_cube(2, extent, true);
    assert_int_equal(truncate(file_name(), BLOCK), 0);
    assert_int_equal(wadi_fits_read(file_name(), "THETA", &c, &err), WADI_IO);
    unlink(file_name());
    assert_int_equal(wadi_fits_read(file_name(), "THETA", &c, &err), WADI_IO);
    assert_non_null(strstr(err.msg, file_name()));
    assert_null(c.value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(headers_of_any_length_stand_before_their_planes),
        cmocka_unit_test(everything_known_has_its_card),
        cmocka_unit_test(what_is_half_known_is_told_by_half),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(planes_of_many_pieces_are_whole),
        cmocka_unit_test(dates_are_those_of_the_c_library),
        cmocka_unit_test(cubes_are_read_whole),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without CFITSIO */
}

#endif
