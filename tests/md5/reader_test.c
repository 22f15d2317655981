/* Words out of files: line ends, spelled-out bytes, file ends, buffers that end inside a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/reader.h"
#include "base/error.h"
#include "tests/md5/support.h"
#include "tests/open_files.h"

typedef struct reading {
    md5_input *in;
    md5_reader reader;
    char *path[2];
    int files;
} reading;

static void open_files(reading *r, int files, const void *const *data, const size_t *n,
                       bool keep_cr) {
    r->files = files;
    for (int i = 0; i < files; i++) r->path[i] = support_file(data[i], n[i]);
    assert_int_equal(md5_input_open(files, (const char *const *)r->path, false, &r->in, NULL),
                     WADI_OK);
    assert_int_equal(md5_reader_init(&r->reader, r->in, keep_cr, NULL), WADI_OK);
}

static void open_text(reading *r, const char *text, bool keep_cr) {
    const size_t n = strlen(text);
    open_files(r, 1, (const void *const[]){text}, &n, keep_cr);
}

static const uint8_t *next(reading *r, size_t *out_n) {
    bool done = false;
    if (r->reader.at == r->reader.stop)
        assert_int_equal(md5_reader_refill(&r->reader, &done, NULL), WADI_OK);
    return done ? NULL : md5_reader_next(&r->reader, out_n);
}

static void expect(reading *r, const char *word, size_t n) {
    size_t got = 0;
    const uint8_t *at = next(r, &got);
    assert_non_null(at);
    assert_int_equal(got, n);
    assert_memory_equal(at, word, n);
}

static void expect_word(reading *r, const char *word) {
    expect(r, word, strlen(word));
}

static void expect_end(reading *r) {
    size_t n;
    assert_null(next(r, &n));
    assert_null(next(r, &n));
    md5_reader_fini(&r->reader);
    md5_input_close(r->in);
    for (int i = 0; i < r->files; i++) support_remove(r->path[i]);
}

static void lines_are_words_whatever_ends_them(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    open_text(&r, "one\ntwo\r\n\n three \r\n\rfour\r\r\nlast", false);
    expect_word(&r, "one");
    expect_word(&r, "two");
    expect_word(&r, "");
    expect_word(&r, " three ");
    expect_word(&r, "\rfour\r");
    expect_word(&r, "last");
    assert_int_equal(r.reader.words, 6);
    expect_end(&r);
}

static void carriage_returns_are_kept_when_asked_for(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    open_text(&r, "one\r\n\r\n", true);
    expect_word(&r, "one\r");
    expect_word(&r, "\r");
    expect_end(&r);
}

static void words_may_hold_any_bytes(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    const char data[] = "a\0b\n\xff\xfe\n\n";
    const size_t n = sizeof data - 1;
    open_files(&r, 1, (const void *const[]){data}, &n, false);
    expect(&r, "a\0b", 3);
    expect(&r, "\xff\xfe", 2);
    expect(&r, "", 0);
    expect_end(&r);
}

static void hexadecimal_words_are_spelled_out(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    open_text(&r, "$HEX[616263]\n$HEX[]\r\n$HEX[0a00]\n$HEX[6]\n$HEX[6g]\n$HEX[61\nx$HEX[61]\n$",
              false);
    expect_word(&r, "abc");
    expect_word(&r, "");
    expect(&r, "\n\0", 2);
    expect_word(&r, "$HEX[6]");
    expect_word(&r, "$HEX[6g]");
    expect_word(&r, "$HEX[61");
    expect_word(&r, "x$HEX[61]");
    expect_word(&r, "$");
    expect_end(&r);
}

static void a_byte_order_mark_is_no_part_of_the_first_word(void **state) {
    static const char text[] = "\xef\xbb\xbf"
                               "abc\n\xef\xbb\xbfxyz\n$HEX[efbbbf61]\n";
    const void *const data[] = {text, text};
    const size_t n[] = {sizeof text - 1, sizeof text - 1};
    reading r;
    (void)state;
    open_files(&r, 2, data, n, false);
    for (int i = 0; i < 2; i++) {
        expect_word(&r, "abc");
        if (i == 0) assert_int_equal(md5_reader_place(&r.reader).offset, 7);
        expect_word(&r, "\xef\xbb\xbfxyz");
        expect_word(&r, "\xef\xbb\xbf"
                        "a");
    }
    expect_end(&r);
}

static void a_word_ends_with_its_file(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    const size_t n[] = {3, 4};
    open_files(&r, 2, (const void *const[]){"one", "two\n"}, n, false);
    expect_word(&r, "one");
    md5_place place = md5_reader_place(&r.reader);
    assert_int_equal(place.file, 0);
    expect_word(&r, "two");
    place = md5_reader_place(&r.reader);
    assert_int_equal(place.file, 1);
    assert_int_equal(place.offset, 4);
    expect_end(&r);
}

static void empty_files_hold_no_words(void **state) {
    WADI_UNUSED(state);
    reading r = {0};
    const size_t n[] = {0, 0};
    open_files(&r, 2, (const void *const[]){"", ""}, n, false);
    expect_end(&r);
}

/* More than one buffer of words of all lengths: none is lost at the seams, and reading may begin again at any of them. */
static void every_place_between_words_is_one_to_go_on_from(void **state) {
    WADI_UNUSED(state);
    enum { BYTES = 5 << 20 };
    char *data = malloc(BYTES);
    uint32_t seed = 7;
    assert_non_null(data);
    for (size_t i = 0; i < BYTES; i++) {
        const uint32_t x = support_random(&seed);
        data[i] = (char)(x % 300 == 0 || (x % 10 == 0 && i > BYTES / 2) ? '\n' : 'a' + x % 26);
    }
    reading r = {0};
    const size_t bytes = BYTES;
    open_files(&r, 1, (const void *const[]){data}, &bytes, false);
    const char *at = data, *end = data + BYTES;
    md5_place middle = {0};
    const char *there = NULL;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)((newline ? newline : end) - at);
        expect(&r, at, n);
        at += n + 1;
        if (there == NULL && r.reader.words == 30000) {
            middle = md5_reader_place(&r.reader);
            there = at;
        }
    }
    assert_non_null(there);
    assert_int_equal(middle.offset, there - data);
    md5_reader_fini(&r.reader);
    md5_input_close(r.in);
    assert_int_equal(md5_input_open(1, (const char *const *)r.path, false, &r.in, NULL), WADI_OK);
    assert_int_equal(md5_reader_init(&r.reader, r.in, false, NULL), WADI_OK);
    assert_int_equal(md5_reader_go_to(&r.reader, middle, NULL), WADI_OK);
    expect(&r, there, (size_t)((const char *)memchr(there, '\n', (size_t)(end - there)) - there));
    assert_int_equal(r.reader.words, 30001);
    while (next(&r, &(size_t){0}) != NULL) {
    }
    expect_end(&r);
    free(data);
}

static void words_longer_than_the_limit_are_passed_over_and_counted(void **state) {
    WADI_UNUSED(state);
    const size_t n = (size_t)MD5_LONGEST * 2 + 100;
    char *data = malloc(n);
    assert_non_null(data);
    memset(data, 'x', n);
    memcpy(data, "first\n", 6);
    memcpy(data + n - 10, "\nlast\nlong", 10);
    reading r = {0};
    open_files(&r, 1, (const void *const[]){data}, &n, false);
    expect_word(&r, "first");
    expect_word(&r, "last");
    assert_int_equal(r.reader.too_long, 1);
    assert_int_equal(md5_reader_place(&r.reader).offset, n - 4);
    assert_int_equal(md5_reader_place(&r.reader).words, 2);
    expect_word(&r, "long");
    assert_int_equal(r.reader.too_long, 1);
    expect_end(&r);
    free(data);
}

/* The share of all files, also when the first are leapt over. */
static void progress_is_that_of_all_files(void **state) {
    WADI_UNUSED(state);
    static const size_t sizes[4] = {100, 60, 0, 240};
    static const double behind[4] = {0.25, 0.4, 0.4, 1};
    const char text[240] = {'x'};
    char *path[4], piece[40];
    for (int i = 0; i < 4; i++) path[i] = support_file(text, sizes[i]);
    for (int from = 0; from < 4; from++) {
        md5_input *in = NULL;
        double last = 0;
        bool done = false;
        assert_int_equal(md5_input_open(4, (const char *const *)path, false, &in, NULL), WADI_OK);
        assert_true(md5_input_progress(in) == 0);
        assert_int_equal(md5_input_seek(in, from, 0, NULL), WADI_OK);
        while (!done) {
            const int file = md5_input_file(in);
            size_t n = 0;
            assert_int_equal(md5_input_read(in, piece, sizeof piece, &n, &done, NULL), WADI_OK);
            const double share = md5_input_progress(in);
            assert_true(share >= last && share >= (file > 0 ? behind[file - 1] : 0));
            assert_true(share <= behind[file]);
            last = share;
        }
        assert_true(last == 1);
        md5_input_close(in);
    }
    for (int i = 0; i < 4; i++) support_remove(path[i]);
}

static void a_missing_file_is_named_before_anything_is_read(void **state) {
    WADI_UNUSED(state);
    md5_input *in = NULL;
    wadi_error err = {0};
    const char *const paths[] = {"-", "no-such-dictionary"};
    assert_int_equal(md5_input_open(2, paths, false, &in, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no-such-dictionary"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(lines_are_words_whatever_ends_them),
        cmocka_unit_test(carriage_returns_are_kept_when_asked_for),
        cmocka_unit_test(words_may_hold_any_bytes),
        cmocka_unit_test(hexadecimal_words_are_spelled_out),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_first_word),
        cmocka_unit_test(a_word_ends_with_its_file),
        cmocka_unit_test(empty_files_hold_no_words),
        cmocka_unit_test(every_place_between_words_is_one_to_go_on_from),
        cmocka_unit_test(words_longer_than_the_limit_are_passed_over_and_counted),
        cmocka_unit_test(progress_is_that_of_all_files),
        cmocka_unit_test(a_missing_file_is_named_before_anything_is_read),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
