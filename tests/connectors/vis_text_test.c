/* Visibilities in text are read with the right numbers, or refused with an error that names file, line and column. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/file.h"
#include "connectors/visibility.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static const double PI = 3.14159265358979323846;

enum { MOST = 40000 };

/* What was read, a row after another. */
static double uvw[3 * MOST], data[2 * MOST], times[MOST];
static int32_t pairs[2 * MOST];
static float weights[MOST];

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "vis_text_%d_%s", (int)getpid(), what);
    return name;
}

static char *written(const char *what, const char *text) {
    char *path = name_of(what);
    assert_int_equal(wadi_file_write(path, text, strlen(text), 0600, NULL), WADI_OK);
    return path;
}

static wadi_status read_all(wadi_vis *v, int64_t k, int64_t *out_n, wadi_error *err) {
    int64_t got = 1;
    wadi_status st = WADI_OK;
    for (*out_n = 0; st == WADI_OK && got > 0; *out_n += got) {
        const int64_t at = *out_n;
        const wadi_vis_rows to = {uvw + 3 * at, pairs + 2 * at, times + at, data + 2 * at,
                                  weights + at};
        assert_true(at + k <= MOST);
        st = v->ops->read(v, at, k, &to, &got, err);
    }
    return st;
}

static wadi_vis *opened(const char *path, const wadi_vis_options *options) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    if (wadi_vis_open(path, options, &v, &err) != WADI_OK) fail_msg("%s", err.msg);
    return v;
}

/* The file is refused, when it is opened or read, for a reason that ends thus. */
static void refused(const char *text, wadi_status status, const char *why) {
    char *path = written("bad.txt", text);
    char want[256];
    wadi_vis *v = NULL;
    wadi_error err = {0};
    int64_t n = 0;
    wadi_status st = wadi_vis_open(path, NULL, &v, &err);
    if (st == WADI_OK) st = read_all(v, 100, &n, &err);
    snprintf(want, sizeof want, "%s%s", path, why);
    assert_string_equal(err.msg, want);
    assert_int_equal(st, status);
    wadi_vis_close(v);
    unlink(path);
}

static void lines_become_rows(void **state) {
    (void)state;
    char *path = written("plain.txt", "# what a telescope saw\n"
                                      "1,2,-3.5,1e-3,-4\n"
                                      "\n"
                                      "  10\t20 , 30  5 6 # said so\r\n"
                                      "# frequency 5: too late to matter\n"
                                      "-1 -2 -3 nan inf");
    wadi_vis *v = opened(path, NULL);
    const wadi_vis_info *info = wadi_vis_about(v);
    assert_int_equal(info->rows, -1);
    assert_int_equal(info->channels, 1);
    assert_int_equal(info->pols, 1);
    assert_true(info->frequency[0] == 299792458);
    assert_int_equal(info->stokes[0], WADI_STOKES_I);
    assert_true(isnan(info->ra) && isnan(info->dec));
    assert_true(info->equinox == 2000 && info->channel_width == 0);
    assert_string_equal(info->format, "text");
    for (int64_t k = 1; k < 5; k++) { /* however many are asked for, and again from the start */
        int64_t n = 0;
        assert_int_equal(read_all(v, k, &n, NULL), WADI_OK);
        assert_int_equal(n, 3);
        const double want[9] = {1, 2, -3.5, 10, 20, 30, -1, -2, -3};
        assert_memory_equal(uvw, want, sizeof want);
        assert_true(data[0] == 1e-3 && data[1] == -4 && data[2] == 5 && data[3] == 6);
        assert_true(isnan(data[4]) && isinf(data[5]));
        for (int i = 0; i < 3; i++) {
            assert_true(weights[i] == 1 && times[i] == 0);
            assert_true(pairs[2 * i] == -1 && pairs[2 * i + 1] == -1);
        }
    }
    wadi_vis_close(v);
    unlink(path);
}

/* Lines of numbers told by their place, comments and blank ones between them. */
static void rows_are_the_same_in_any_order(void **state) {
    (void)state;
    enum { N = 500 };
    static char text[N * 80];
    size_t at = 0;
    for (int i = 0; i < N; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d %d %d %d %d %d\n",
                               i % 7 == 3 ? "# between\n\n" : "", i, i + 1, -i, 3 * i, 5 - i,
                               i % 5 - 1);
    char *path = written("order.txt", text);
    wadi_vis *v = opened(path, NULL);
    int64_t n = 0;
    assert_int_equal(read_all(v, 37, &n, NULL), WADI_OK);
    assert_int_equal(n, N);
    for (int i = 0; i < N; i++) {
        assert_true(uvw[3 * i] == i && uvw[3 * i + 1] == i + 1 && uvw[3 * i + 2] == -i);
        assert_true(data[2 * i] == 3 * i && data[2 * i + 1] == 5 - i);
        assert_true(weights[i] == (float)(i % 5 - 1));
    }
    const vis_rows all = {
        .info = &v->info, .n = n, .cells = 1, .row = {uvw, pairs, times, data, weights}};
    vis_rows_in_any_order(v, &all);
    wadi_vis_close(v);
    /* a line that is wrong is told by its number however often it is read */
    memcpy(text + at - 4, "x", 1);
    path = written("order.txt", text);
    v = opened(path, NULL);
    char first[256] = "";
    for (int i = 0; i < 3; i++) {
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(read_all(v, 100, &n, &err), WADI_IO);
        if (i == 0) strcpy(first, err.msg);
        assert_string_equal(err.msg, first);
        char place[64];
        snprintf(place, sizeof place, ":%d:", N + 2 * ((N - 4) / 7 + 1));
        assert_non_null(strstr(err.msg, place));
    }
    wadi_vis_close(v);
    unlink(path);
}

static void comments_tell_what_numbers_do_not(void **state) {
    (void)state;
    char *path = written("told.txt", "# frequency 149896229\n  # ra 90\n# dec -45\n#sign +1\n"
                                     "# stokes -5\n# rare things follow\n"
                                     "3 4 5 6 7 0.5\n1 1 1 1 1 -2\n");
    wadi_vis *v = opened(path, NULL);
    const wadi_vis_info *info = wadi_vis_about(v);
    int64_t n = 0;
    assert_true(info->frequency[0] == 149896229);
    assert_true(fabs(info->ra - PI / 2) < 1e-15 && fabs(info->dec + PI / 4) < 1e-15);
    assert_int_equal(info->stokes[0], WADI_STOKES_XX);
    assert_int_equal(read_all(v, 100, &n, NULL), WADI_OK);
    assert_int_equal(n, 2);
    /* metres: two a wavelength */
    assert_true(uvw[0] == 6 && uvw[1] == 8 && uvw[2] == 10);
    assert_true(data[0] == 6 && data[1] == -7); /* conjugated */
    assert_true(weights[0] == 0.5f && weights[1] == -2);
    wadi_vis_close(v);
    unlink(path);
}

static void the_ends_of_ranges_are_within_them(void **state) {
    (void)state;
    for (int code = -8; code <= 4; code++) {
        char text[128];
        wadi_vis *v = NULL;
        snprintf(text, sizeof text, "# stokes %d\n# sign %d\n# ra 360\n# dec %d\n1 2 3 4 5\n", code,
                 code % 2 ? 1 : -1, code % 2 ? 90 : -90);
        char *path = written("ends.txt", text);
        assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), code == 0 ? WADI_IO : WADI_OK);
        if (v != NULL) assert_true(fabs(fabs(v->info.dec) - PI / 2) < 1e-15);
        wadi_vis_close(v);
        unlink(path);
    }
}

static void what_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
    refused("1 2 3 4\n", WADI_IO, ":1:8: expected a number for im, found nothing");
    refused("1 2 3 4 5\n\n1 2 3\n", WADI_IO, ":3:6: expected a number for re, found nothing");
    refused("1 2 3 4 5\n1 2 three 4 5\n", WADI_IO,
            ":2:5: expected a number for w, found \"three\"");
    refused("1 2 3 4 5\n1 2 3 4 5x\n", WADI_IO, ":2:9: expected a number for im, found \"5x\"");
    refused("1 2 3 4 5\n1,,3 4 5\n", WADI_IO, ":2:3: expected a number for v, found nothing");
    refused("1 2 3 4 5\n1 inf 3 4 5\n", WADI_IO, ":2:3: expected a finite baseline, found \"inf\"");
    refused("1 2 3 4 5 6 7\n", WADI_IO, ":1:13: expected the end of the line, found \"7\"");
    refused("1 2 3 4 5\n1 2 3 4 5 6\n", WADI_IO, ":2: 6 columns, where the first visibility has 5");
    refused("1 2 3 4 5 6\n1 2 3 4 5\n", WADI_IO,
            ":2:10: expected a number for weight, found nothing");
    refused("# frequency 0\n1 2 3 4 5\n", WADI_IO,
            ":1:13: expected a positive frequency in Hz, found \"0\"");
    refused("# frequency fast\n1 2 3 4 5\n", WADI_IO, ":1:13: expected a number, found \"fast\"");
    refused("# sign 0\n1 2 3 4 5\n", WADI_IO, ":1:8: expected +1 or -1, found \"0\"");
    refused("# stokes 7\n1 2 3 4 5\n", WADI_IO, ":1:10: expected 1 to 4 or -1 to -8, found \"7\"");
    refused("1 nan 3 4 5\n", WADI_IO, ":1:3: expected a finite baseline, found \"nan\"");
    refused("1 2 -inf 4 5\n", WADI_IO, ":1:5: expected a finite baseline, found \"-inf\"");
    refused("# dec 91\n1 2 3 4 5\n", WADI_IO, ":1:7: expected -90 to 90 degrees, found \"91\"");
    refused("# ra 91\n1 2 3 4 5\n", WADI_IO,
            ": the phase centre needs both ra and dec, found only ra");
    refused("# frequency nan\n1 2 3 4 5\n", WADI_IO, ":1:13: expected a number, found \"nan\"");
    refused("# ra 1 x\n# dec\n1 2 3 4 5\n", WADI_IO, ":2:6: expected a number, found nothing");
    refused("# ra 1x\n1 2 3 4 5\n", WADI_IO, ":1:6: expected a number, found \"1x\"");
    refused("# dec -90.5\n1 2 3 4 5\n", WADI_IO,
            ":1:7: expected -90 to 90 degrees, found \"-90.5\"");
    refused("# dec 4\n1 2 3 4 5\n", WADI_IO,
            ": the phase centre needs both ra and dec, found only dec");
    refused("# sign -2\n1 2 3 4 5\n", WADI_IO, ":1:8: expected +1 or -1, found \"-2\"");
    static const char *const codes[] = {"-9", "5", "0", "1.5", "-0.5", "-7.5"};
    for (int i = 0; i < 6; i++) {
        char text[64], why[96];
        snprintf(text, sizeof text, "# stokes %s\n1 2 3 4 5\n", codes[i]);
        snprintf(why, sizeof why, ":1:10: expected 1 to 4 or -1 to -8, found \"%s\"", codes[i]);
        refused(text, WADI_IO, why);
    }
    /* of a long word what is enough to find it */
    refused("1 2 3 4 0123456789012345678901234567890123456x89\n", WADI_IO,
            ":1:9: expected a number for im, found \"0123456789012345678901234567890123456x89\"");
    refused("1 2 3 4 0123456789012345678901234567890123456x890\n", WADI_IO,
            ":1:9: expected a number for im, found \"0123456789012345678901234567890123456x89\"");
    refused("# nothing else\n", WADI_INVALID, ": contains no visibilities");
    refused("words\n", WADI_UNSUPPORTED,
            ": has none of the formats of visibilities that wadi knows (UVFITS, uvh5, Measurement "
            "Set, text)");
}

static void a_line_has_a_limit(void **state) {
    (void)state;
    char *text = malloc(200001);
    assert_non_null(text);
    memset(text, ' ', 200000);
    memcpy(text, "1 2 3 4 5\n", 10);
    text[200000] = '\0';
    refused(text, WADI_IO, ":2:4097: the line is longer than 4096 bytes");
    free(text);
}

/* As long as may be, so many of them that they lie across every border of what is read at once; the last without an end, or a little
 * too long. */
static void lines_of_the_greatest_length_are_read(void **state) {
    (void)state;
    enum { LINES = 40, LONG = 4096 };
    for (int over = 0; over < 2; over++) {
        char *text = malloc(LINES * (LONG + 1) + 1), *at = text;
        wadi_error err = {0};
        int64_t n = 0;
        assert_non_null(text);
        for (int i = 0; i < LINES; i++) {
            const int length = LONG - (i % 3 == 0 ? i : 0) + (i == LINES - 1 ? over + 39 : 0);
            memset(at, ' ', (size_t)length);
            at[snprintf(at, 32, "%d 2 3 4 5", i)] = ' ';
            at += length;
            if (i < LINES - 1) *at++ = '\n';
        }
        *at = '\0';
        wadi_vis *v = opened(written("long.txt", text), NULL);
        assert_int_equal(read_all(v, 7, &n, &err), over ? WADI_IO : WADI_OK);
        if (over) assert_non_null(strstr(err.msg, ":40:4097: the line is longer than 4096 bytes"));
        if (!over) assert_int_equal(n, LINES);
        for (int64_t i = 0; i < n; i++) assert_true(uvw[3 * i] == (double)i);
        wadi_vis_close(v);
        unlink(name_of("long.txt"));
        free(text);
    }
}

/* Fifteen lines of 4096 bytes with their ends, and one without fill the 65536 that are read at once: its end comes with the next. */
static void a_line_that_ends_what_is_read_at_once_is_one_line(void **state) {
    (void)state;
    enum { LONG = 4096 };
    char *text = malloc(17 * LONG), *at = text;
    assert_non_null(text);
    for (int i = 0; i < 16; i++) {
        const int length = i < 15 ? LONG - 1 : LONG;
        memset(at, ' ', (size_t)length);
        memcpy(at, "1 2 3 4 5", 9);
        at[length] = '\n';
        at += length + 1;
    }
    strcpy(at, "word\n");
    refused(text, WADI_IO, ":17:1: expected a number for u, found \"word\"");
    free(text);
}

/* Rows are found by their number, wherever was read before. */
static void rows_are_read_from_any_one_on(void **state) {
    (void)state;
    static const int from[] = {2, 2, 0, 4, 1, 5, 3};
    wadi_vis *v = opened(written("from.txt", "# head\n0 0 0 0 0\n1 0 0 0 0\n\n2 0 0 0 0\n# so\n"
                                             "3 0 0 0 0\n4 0 0 0 0\n"),
                         NULL);
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        const wadi_vis_rows to = {uvw, pairs, times, data, weights};
        int64_t n = 0;
        assert_int_equal(v->ops->read(v, from[i], 2, &to, &n, NULL), WADI_OK);
        assert_int_equal(n, from[i] < 4 ? 2 : 5 - from[i]);
        for (int64_t k = 0; k < n; k++) assert_true(uvw[3 * k] == (double)(from[i] + k));
    }
    wadi_vis_close(v);
    unlink(name_of("from.txt"));
}

/* By the first line that is no comment; prose before it tells nothing, whatever it begins like. */
static void text_is_known_by_its_first_number(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is;
    } cases[] = {{"1 2 3 4 5", true}, {"+1 2", true},       {"-1 2", true},       {".5 2", true},
                 {"\t\r\n 9", true},  {"# prose\n0", true}, {"#\r\n#\n8 ", true}, {"# prose", true},
                 {"", false},         {"\n \n", false},     {"prose", false},     {"# 1\nx", false},
                 {"1\x0b", false},    {"1 2 \x01", false},  {"\x7f", false},      {"#\x1f", false},
                 {"/1", false},       {":1", false},        {",1", false},        {"e5", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (wadi_vis_text_recognises("x", (const unsigned char *)cases[i].text,
                                     strlen(cases[i].text)) != cases[i].is)
            fail_msg("\"%s\"", cases[i].text);
    assert_false(wadi_vis_text_recognises("x", (const unsigned char *)"1 2\0 3", 6));
    assert_false(wadi_vis_text_recognises("x", NULL, 0));
    wadi_vis *v = opened(written("prose.txt", "# freq 5\n# frequency2 5\n# rather 7\n# d 9\n"
                                              "1 2 3 4 5\n"),
                         NULL);
    assert_true(v->info.frequency[0] == 299792458 && isnan(v->info.ra) && isnan(v->info.dec));
    wadi_vis_close(v);
    unlink(name_of("prose.txt"));
}

static void text_has_one_field_and_one_setup(void **state) {
    (void)state;
    char *path = written("one.txt", "1 2 3 4 5\n");
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.field = 2}, &v, NULL), WADI_INVALID);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.setup = 2}, &v, NULL), WADI_INVALID);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.column = "DATA"}, &v, NULL),
                     WADI_INVALID);
    assert_null(v);
    v = opened(path, &(wadi_vis_options){.field = 1, .setup = 1});
    wadi_vis_close(v);
    unlink(path);
}

#ifdef WADI_HAVE_ZLIB

static void a_compressed_file_is_read_and_its_damage_found(void **state) {
    (void)state;
    char *path = name_of("lines.gz");
    gzFile f = gzopen(path, "wb");
    unsigned noise = 1;
    for (int i = 0; i < 20000; i++) {
        noise = noise * 1664525u + 1013904223u;
        gzprintf(f, "%d %u 3 4 5\n", i, noise);
    }
    assert_int_equal(gzclose(f), Z_OK);
    wadi_vis *v = opened(path, NULL);
    int64_t n = 0;
    assert_int_equal(read_all(v, 1000, &n, NULL), WADI_OK);
    assert_int_equal(n, 20000);
    for (int i = 0; i < 20000; i++) assert_true(uvw[3 * i] == i);
    wadi_vis_close(v);

    char *bytes = NULL;
    size_t size = 0;
    wadi_error err = {0};
    assert_int_equal(wadi_file_read(path, &bytes, &size, NULL), WADI_OK);
    assert_int_equal(wadi_file_write(path, bytes, size - 1000, 0600, NULL), WADI_OK);
    v = opened(path, NULL);
    assert_int_equal(read_all(v, 1000, &n, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "the compressed file is cut off"));
    wadi_vis_close(v);
    bytes[size - 6] ^= 1; /* in the checksum */
    assert_int_equal(wadi_file_write(path, bytes, size, 0600, NULL), WADI_OK);
    v = opened(path, NULL);
    assert_int_equal(read_all(v, 1000, &n, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "crc") != NULL ? err.msg : strstr(err.msg, "check"));
    wadi_vis_close(v);
    free(bytes);
    unlink(path);
}

/* V = sum over an 11 x 11 grid of sources of 1 Jy of exp(+2 pi i (u l + v m + w (n - 1))). */
static void sources_seen(const double *at, double out[2]) {
    const double range = sin(1.5 * PI / 180);
    out[0] = out[1] = 0;
    for (int s = 0; s < 121; s++) {
        const double l = (s % 11 - 5) / 5.0 * range;
        const double m = (s / 11 - 5) / 5.0 * range;
        const double n1 = sqrt(1 - l * l - m * m) - 1;
        const double turn = 2 * PI * (at[0] * l + at[1] * m + at[2] * n1);
        out[0] += cos(turn);
        out[1] += sin(turn);
    }
}

static void the_golden_set_holds_the_sky_it_was_made_of(void **state) {
    (void)state;
    char path[512];
    const char *folder = getenv("WADI_TEST_DATA");
    if (folder != NULL) snprintf(path, sizeof path, "%s/vis/vla_grid_6h/test_vla.txt.gz", folder);
    if (folder == NULL || !wadi_file_exists(path)) {
        print_message("no vis/vla_grid_6h/test_vla.txt.gz: set WADI_TEST_DATA\n");
        skip();
    }
    wadi_vis *v = opened(path, NULL);
    int64_t n = 0;
    assert_int_equal(read_all(v, 4000, &n, NULL), WADI_OK);
    assert_int_equal(n, 35100);
    double worst = 0;
    for (int64_t i = 0; i < n; i += 37) {
        double want[2];
        sources_seen(uvw + 3 * i, want);
        worst = fmax(worst, fmax(fabs(data[2 * i] - want[0]), fabs(data[2 * i + 1] - want[1])));
    }
    print_message("the golden set is met to %.1e Jy\n", worst);
    assert_true(worst < 1e-8);
    wadi_vis_close(v);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(lines_become_rows),
        cmocka_unit_test(rows_are_the_same_in_any_order),
        cmocka_unit_test(comments_tell_what_numbers_do_not),
        cmocka_unit_test(the_ends_of_ranges_are_within_them),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(a_line_has_a_limit),
        cmocka_unit_test(lines_of_the_greatest_length_are_read),
        cmocka_unit_test(a_line_that_ends_what_is_read_at_once_is_one_line),
        cmocka_unit_test(rows_are_read_from_any_one_on),
        cmocka_unit_test(text_is_known_by_its_first_number),
        cmocka_unit_test(text_has_one_field_and_one_setup),
#ifdef WADI_HAVE_ZLIB
        cmocka_unit_test(a_compressed_file_is_read_and_its_damage_found),
        cmocka_unit_test(the_golden_set_holds_the_sky_it_was_made_of),
#endif
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
