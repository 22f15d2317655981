/* PICTURE blocks from the command line: what is read from PNG, JPEG and GIF files, what the user may say instead, and what is
 * refused. */
#include "apps/audio/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "tests/open_files.h"

#define FILE_NAME "picture_test_made"

typedef struct shown {
    uint32_t type, width, height, depth, colours;
    char mime[32], text[32];
    uint32_t n; /* bytes of the picture */
} shown;

static uint32_t number(const wadi_text *t, size_t *at) {
    uint32_t v = 0;
    assert_true(t->n - *at >= 4);
    for (int i = 0; i < 4; i++) v = v << 8 | (uint8_t)t->at[(*at)++];
    return v;
}

static void words(const wadi_text *t, size_t *at, char out[32]) {
    const uint32_t n = number(t, at);
    assert_true(n < 32 && n <= t->n - *at);
    memcpy(out, t->at + *at, n);
    out[n] = '\0';
    *at += n;
}

/* Takes the body apart, as RFC 9639, section 8.8 has it. */
static shown take_apart(const wadi_text *t, const char *data, size_t n) {
    shown s = {0};
    size_t at = 0;
    s.type = number(t, &at);
    words(t, &at, s.mime);
    words(t, &at, s.text);
    s.width = number(t, &at);
    s.height = number(t, &at);
    s.depth = number(t, &at);
    s.colours = number(t, &at);
    s.n = number(t, &at);
    assert_int_equal(s.n, n);
    assert_int_equal(t->n - at, n);
    assert_memory_equal(t->at + at, data, n);
    return s;
}

static shown make(const char *specification, const char *data, size_t n) {
    wadi_text t = {0};
    wadi_error err = {0};
    assert_int_equal(wadi_file_write(FILE_NAME, data, n, 0644, NULL), WADI_OK);
    if (flac_picture_make(specification, &t, &err) != WADI_OK) fail_msg("%s", err.msg);
    const shown s = take_apart(&t, data, n);
    wadi_text_fini(&t);
    return s;
}

static void is(const shown *s, const char *mime, uint32_t width, uint32_t height, uint32_t depth,
               uint32_t colours) {
    assert_string_equal(s->mime, mime);
    assert_int_equal(s->width, width);
    assert_int_equal(s->height, height);
    assert_int_equal(s->depth, depth);
    assert_int_equal(s->colours, colours);
}

/* Its head, of 300 x 515 pixels; then a palette of 5 colours behind another chunk. */
static size_t png(char out[128], int bits, int kind) {
    static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x2c\0\0\x02\x03";
    static const char rest[] = "\0\0\0\x02gAMA..abcd\0\0\0\x0fPLTE123456789012345abcd";
    size_t n = sizeof head - 1;
    memcpy(out, head, n);
    out[n++] = (char)bits;
    out[n++] = (char)kind;
    memcpy(out + n, "\0\0\0abcd", 7);
    memcpy(out + n + 7, rest, sizeof rest - 1);
    return n + 7 + sizeof rest - 1;
}

static void png_tells_size_and_depth(void **state) {
    (void)state;
    static const int cases[][3] = {{8, 0, 8},  {1, 0, 1},  {8, 2, 24}, {16, 2, 48},
                                   {8, 4, 16}, {8, 6, 32}, {16, 6, 64}};
    char data[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const shown s = make(FILE_NAME, data, png(data, cases[i][0], cases[i][1]));
        is(&s, "image/png", 300, 515, (uint32_t)cases[i][2], 0);
        assert_int_equal(s.type, 3);
        assert_string_equal(s.text, "");
    }
    const size_t n = png(data, 8, 3);
    shown s = make(FILE_NAME, data, n);
    is(&s, "image/png", 300, 515, 24, 5);
    for (size_t cut = 33; cut < n; cut++) (void)make(FILE_NAME, data, cut); /* cut off: no crash */
    s = make(FILE_NAME, data, 50);
    is(&s, "image/png", 300, 515, 24, 0);
}

static void jpeg_tells_size_and_depth(void **state) {
    (void)state;
    char data[] = "\xff\xd8\xff\xe0\0\x06"
                  "abcd\xff\xff\xc4\0\x04zz\xff\xc2\0\x11\x08\x02\x03\x01\x2c\x03\xff\xd9";
    const size_t n = sizeof data - 1, marker = n - 11;
    shown s = make(FILE_NAME, data, n);
    is(&s, "image/jpeg", 300, 515, 24, 0);
    for (int m = 0xc0; m <= 0xcf; m++) {
        data[marker] = (char)m;
        s = make(FILE_NAME, data, n);
        const bool frame = m != 0xc4 && m != 0xc8 && m != 0xcc;
        is(&s, "image/jpeg", frame ? 300 : 0, frame ? 515 : 0, frame ? 24 : 0, 0);
    }
    for (size_t cut = 4; cut < n; cut++) (void)make(FILE_NAME, data, cut);
}

static void gif_tells_size_and_colours(void **state) {
    (void)state;
    char data[] = "GIF89a\x2c\x01\x03\x02\x92..;";
    shown s = make(FILE_NAME, data, sizeof data - 1);
    is(&s, "image/gif", 300, 515, 24, 8);
    data[10] = (char)0xf7;
    s = make("|||"
             "|" FILE_NAME,
             data, sizeof data - 1);
    is(&s, "image/gif", 300, 515, 24, 256);
}

static void what_is_said_counts_more_than_what_is_found(void **state) {
    (void)state;
    char data[128];
    const size_t n = png(data, 8, 2);
    shown s = make("17|image/x-mine|a text|5x6x7/8|" FILE_NAME, data, n);
    is(&s, "image/x-mine", 5, 6, 7, 8);
    assert_int_equal(s.type, 17);
    assert_string_equal(s.text, "a text");
    s = make("0|||9x8x7|" FILE_NAME, data, n);
    is(&s, "image/png", 9, 8, 7, 0);
    assert_int_equal(s.type, 0);
    s = make("|image/x-mine||1x2x3|" FILE_NAME, "unknown", 7);
    is(&s, "image/x-mine", 1, 2, 3, 0);
    memcpy(data + 16, "\0\0\0\x20\0\0\0\x20", 8);
    s = make("1||||" FILE_NAME, data, n);
    is(&s, "image/png", 32, 32, 24, 0);
    wadi_text link = {0};
    assert_int_equal(flac_picture_make("4|-->|far||http://x/y", &link, NULL), WADI_OK);
    s = take_apart(&link, "http://x/y", 10);
    is(&s, "-->", 0, 0, 0, 0);
    assert_true(s.type == 4 && strcmp(s.text, "far") == 0);
    wadi_text_fini(&link);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *specification;
        wadi_status status;
        const char *says;
    } cases[] = {
        {"", WADI_INVALID, "name of a file"},
        {"3||||", WADI_INVALID, "name of a file"},
        {"3|||" FILE_NAME, WADI_INVALID, "name of a file"},
        {"21||||" FILE_NAME, WADI_INVALID, "0 to 20"},
        {"-1||||" FILE_NAME, WADI_INVALID, "0 to 20"},
        {"x||||" FILE_NAME, WADI_INVALID, "0 to 20"},
        {"|||5x6|" FILE_NAME, WADI_INVALID, "WIDTHxHEIGHT"},
        {"|||5x6x7/|" FILE_NAME, WADI_INVALID, "WIDTHxHEIGHT"},
        {"|||5x6x7/8x|" FILE_NAME, WADI_INVALID, "WIDTHxHEIGHT"},
        {"|||5x6x7 |" FILE_NAME, WADI_INVALID, "WIDTHxHEIGHT"},
        {"||\xff||" FILE_NAME, WADI_INVALID, "UTF-8"},
        {"1||||" FILE_NAME, WADI_INVALID, "32x32"},
        {"picture_test_none", WADI_IO, "picture_test_none"},
    };
    char data[128];
    const size_t n = png(data, 8, 2);
    wadi_text t = {0};
    wadi_error err = {0};
    assert_int_equal(wadi_file_write(FILE_NAME, data, n, 0644, NULL), WADI_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(flac_picture_make(cases[i].specification, &t, &err), cases[i].status);
        if (strstr(err.msg, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].specification, err.msg);
        assert_int_equal(t.n, 0);
    }
    assert_int_equal(wadi_file_write(FILE_NAME, "unknown", 7, 0644, NULL), WADI_OK);
    assert_int_equal(flac_picture_make(FILE_NAME, &t, &err), WADI_UNSUPPORTED);
    assert_int_equal(flac_picture_make("|image/x|||" FILE_NAME, &t, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, FILE_NAME));
    wadi_text_fini(&t);
}

static int remove_made(void **state) {
    (void)state;
    unlink(FILE_NAME);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(png_tells_size_and_depth),
        cmocka_unit_test(jpeg_tells_size_and_depth),
        cmocka_unit_test(gif_tells_size_and_colours),
        cmocka_unit_test(what_is_said_counts_more_than_what_is_found),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, remove_made);
}
