/* Dictionaries as bytes: a packed file is recognised by its first bytes, and a file that only looks packed is read as it is. Reading
 * can go on from any byte, and waits for more input if it should. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/md5/input.h"
#include "apps/md5/unpack.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/md5/support.h"
#include "tests/open_files.h"

static md5_input *open_files(int n, const char *const *paths, bool as_is) {
    md5_input *in = NULL;
    wadi_error err = {0};
    if (md5_input_open(n, paths, as_is, &in, &err) != WADI_OK) fail_msg("%s", err.msg);
    return in;
}

/* All that comes, by pieces of so many bytes; a string's end behind it. */
static wadi_status read_all(md5_input *in, size_t piece, wadi_text *out, wadi_error *err) {
    char bytes[100];
    wadi_text_clear(out);
    for (bool done = false; !done;) {
        size_t n = 0;
        const wadi_status status = md5_input_read(in, bytes, piece, &n, &done, err);
        if (status != WADI_OK) return status;
        assert_true(n <= piece);
        wadi_text_add_n(out, bytes, n);
    }
    return WADI_OK;
}

/* ---- formats ---- */

/* From the specifications of the formats: RFC 1952, RFC 8878, and those of xz, bzip2, LZ4 frames, lzip, compress, zip, 7z and rar. */
static const struct {
    const char *name, *magic;
    size_t n;
} formats[] = {{"gzip", "\x1f\x8b\x08", 3},
               {"xz", "\xfd\x37zXZ\0", 6},
               {"zstd", "\x28\xb5\x2f\xfd", 4},
               {"zstd", "\x50\x2a\x4d\x18", 4},
               {"zstd", "\x57\x2a\x4d\x18", 4},
               {"zstd", "\x5f\x2a\x4d\x18", 4},
               {"bzip2", "BZh1\x31\x41\x59\x26\x53\x59", 10},
               {"bzip2", "BZh9\x31\x41\x59\x26\x53\x59", 10},
               {"bzip2", "BZh5\x17\x72\x45\x38\x50\x90", 10},
               {"lz4", "\x04\x22\x4d\x18", 4},
               {"lzip", "LZIP\x01", 5},
               {"compress", "\x1f\x9d", 2},
               {"zip", "PK\x03\x04", 4},
               {"7-Zip", "7z\xbc\xaf\x27\x1c", 6},
               {"rar", "Rar!\x1a\x07", 6}};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool is_read_as_it_is(const char *data, size_t n, bool as_is) {
    char *path = support_file(data, n);
    const char *const paths[] = {path};
    md5_input *in = open_files(1, paths, as_is);
    wadi_text got = {0};
    const bool same = read_all(in, 7, &got, NULL) == WADI_OK && got.n == n &&
                      memcmp(wadi_text_str(&got), data, n) == 0;
    wadi_text_fini(&got);
    md5_input_close(in);
    support_remove(path);
    return same;
}

static void the_first_bytes_tell_what_is_packed(void **state) {
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        char data[32];
        wadi_text got = {0};
        wadi_error err = {0};
        memcpy(data, formats[i].magic, formats[i].n);
        memset(data + formats[i].n, 0xee, sizeof data - formats[i].n);
        char *path = support_file(data, sizeof data);
        const char *const paths[] = {path};
        md5_input *in = open_files(1, paths, false);
        if (read_all(in, 7, &got, &err) == WADI_OK) fail_msg("%s is words", formats[i].name);
        if (strncmp(err.msg, path, strlen(path)) != 0) fail_msg("%s: %s", path, err.msg);
        if (i >= 9 && (strstr(err.msg, formats[i].name) == NULL || !strstr(err.msg, "--no-unpack")))
            fail_msg("%s: %s", formats[i].name, err.msg);
        md5_input_close(in);
        wadi_text_fini(&got);
        support_remove(path);
        assert_true(is_read_as_it_is(data, sizeof data, true));
    }
}

/* A part of those bytes is none, and neither are they with another byte anywhere; nor is what lies beside a range. */
static void what_only_begins_like_it_is_words(void **state) {
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        char data[32];
        for (size_t n = 0; n < formats[i].n; n++) {
            if (!is_read_as_it_is(formats[i].magic, n, false))
                fail_msg("%zu bytes of %s are not read as they are", n, formats[i].name);
            memset(data, '\n', sizeof data);
            memcpy(data, formats[i].magic, formats[i].n);
            data[n] = 'x';
            if (!is_read_as_it_is(data, sizeof data, false))
                fail_msg("%s with another byte %zu", formats[i].name, n);
        }
    }
    static const char *const others[] = {"BZh0\x31\x41\x59\x26\x53\x59",
                                         "BZh:\x31\x41\x59\x26\x53\x59", "\x4f\x2a\x4d\x18",
                                         "\x60\x2a\x4d\x18"};
    for (int i = 0; i < 4; i++) assert_true(is_read_as_it_is(others[i], strlen(others[i]), false));
}

/* ---- going on ---- */

/* A file of these words packed by gzip; NULL: there is none to pack with. */
static char *packed_words(const char *words) {
    char command[256], *bytes = NULL;
    size_t n = 0;
    char *plain = support_file(words, strlen(words)), *path = support_file("", 0);
    (void)snprintf(command, sizeof command, "gzip -c %s >%s 2>/dev/null", plain, path);
    const bool packed = system(command) == 0;
    support_remove(plain);
    assert_int_equal(wadi_file_read(path, &bytes, &n, NULL), WADI_OK);
    free(bytes);
    if (packed && n > 0) return path;
    support_remove(path);
    return NULL;
}

static void reading_goes_on_from_any_byte(void **state) {
    (void)state;
    static const char first[] = "one\ntwo\n", second[] = "three\nfour\nfive\n";
    wadi_text got = {0};
    wadi_error err = {0};
    char *plain = support_file(first, strlen(first)), *path[2] = {packed_words(second), NULL};
    path[1] = support_file(second, strlen(second));
    for (int k = path[0] == NULL; k < 2; k++) {
        const char *const paths[] = {plain, path[k]};
        for (int file = 0; file < 2; file++) {
            const char *const text = file == 0 ? first : second;
            for (size_t at = 0; at <= strlen(text); at++) {
                char want[64];
                (void)snprintf(want, sizeof want, "%s%s", text + at, file == 0 ? second : "");
                md5_input *in = open_files(2, paths, false);
                assert_int_equal(md5_input_seek(in, file, (int64_t)at, NULL), WADI_OK);
                assert_int_equal(md5_input_file(in), file);
                assert_int_equal(read_all(in, 1 + at % 9, &got, NULL), WADI_OK);
                assert_string_equal(wadi_text_str(&got), want);
                md5_input_close(in);
            }
            md5_input *in = open_files(2, paths, false);
            char want[200];
            (void)snprintf(want, sizeof want,
                           "%s ends at byte %zu, before the place to go on, byte %zu", paths[file],
                           strlen(text), strlen(text) + 1);
            assert_int_equal(md5_input_seek(in, file, (int64_t)strlen(text) + 1, &err), WADI_IO);
            assert_string_equal(err.msg, want);
            md5_input_close(in);
        }
        md5_input *in = open_files(2, paths, false); /* behind the last */
        assert_int_equal(md5_input_seek(in, 2, 0, NULL), WADI_OK);
        assert_int_equal(read_all(in, 9, &got, NULL), WADI_OK);
        assert_string_equal(wadi_text_str(&got), "");
        md5_input_close(in);
    }
    for (int k = 0; k < 2; k++)
        if (path[k] != NULL) support_remove(path[k]);
    support_remove(plain);
    wadi_text_fini(&got);
}

static void what_comes_by_a_pipe_is_read_up_to_the_place(void **state) {
    (void)state;
    int end[2];
    char path[32];
    wadi_text got = {0};
    for (size_t at = 0; at <= 8; at += 4) {
        assert_int_equal(pipe(end), 0);
        (void)snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
        const char *const paths[] = {path};
        assert_int_equal(write(end[1], "one\ntwo\n", 8), 8);
        md5_input *in = open_files(1, paths, false);
        assert_int_equal(md5_input_size(in, 0), -1);
        assert_true(md5_input_progress(in) == -1);
        assert_int_equal(md5_input_seek(in, 0, (int64_t)at, NULL), WADI_OK);
        assert_int_equal(close(end[1]), 0);
        assert_int_equal(read_all(in, 3, &got, NULL), WADI_OK);
        assert_string_equal(wadi_text_str(&got), &"one\ntwo\n"[at]);
        md5_input_close(in);
        assert_int_equal(close(end[0]), 0);
    }
    wadi_text_fini(&got);
}

/* It could not be said what has been skipped. */
static void standard_input_is_not_skipped_over(void **state) {
    (void)state;
    char *path = support_file("word\n", 5);
    const char *const paths[] = {path, "-", path};
    wadi_error err = {0};
    md5_input *in = open_files(3, paths, false);
    assert_int_equal(md5_input_seek(in, 1, 0, NULL), WADI_OK);
    assert_int_equal(md5_input_file(in), 1);
    assert_int_equal(md5_input_seek(in, 2, 0, &err), WADI_IO);
    assert_string_equal(err.msg, "standard input cannot be skipped over");
    md5_input_close(in);
    support_remove(path);
}

/* ---- waiting, and how far ---- */

static void only_what_may_still_come_is_waited_for(void **state) {
    (void)state;
    int end[2];
    char path[32], byte[4];
    size_t n = 0;
    bool done = false;
    assert_int_equal(pipe(end), 0);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    const char *const paths[] = {path};
    md5_input *in = open_files(1, paths, true);
    assert_false(md5_input_waits(in)); /* not opened yet */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(end[1], "ab", 2), 2);
        if (i > 0) assert_false(md5_input_waits(in));
        assert_int_equal(md5_input_read(in, byte, 1, &n, &done, NULL), WADI_OK);
        assert_int_equal(n, 1);
        assert_false(md5_input_waits(in));
        assert_int_equal(md5_input_read(in, byte, 4, &n, &done, NULL), WADI_OK);
        assert_int_equal(n, 1);
        assert_int_equal(byte[0], 'b');
        assert_true(md5_input_waits(in));
    }
    assert_int_equal(close(end[1]), 0);
    assert_false(md5_input_waits(in)); /* the end has come */
    assert_int_equal(md5_input_read(in, byte, 4, &n, &done, NULL), WADI_OK);
    assert_true(n == 0 && done);
    assert_false(md5_input_waits(in));
    md5_input_close(in);
    assert_int_equal(close(end[0]), 0);
}

/* By bytes of the disk, which for packed files are not those that are given. */
static void the_share_of_packed_files_ends_with_all(void **state) {
    (void)state;
    wadi_text words = {0};
    char piece[100];
    for (int i = 0; i < 5000; i++) wadi_text_addf(&words, "word %d\n", i * i);
    char *packed = packed_words(wadi_text_str(&words)),
         *plain = support_file(wadi_text_str(&words), words.n);
    if (packed == NULL) {
        support_remove(plain);
        wadi_text_fini(&words);
        skip();
    }
    const char *const paths[] = {packed, plain};
    md5_input *in = open_files(2, paths, false);
    const double first = (double)md5_input_size(in, 0), all = first + (double)md5_input_size(in, 1);
    double last = 0;
    size_t given = 0;
    for (bool done = false; !done;) {
        size_t n = 0;
        assert_int_equal(md5_input_read(in, piece, sizeof piece, &n, &done, NULL), WADI_OK);
        given += n;
        const double share = md5_input_progress(in);
        assert_true(share >= last);
        if (given <= words.n) assert_true(share <= first / all);
        if (given > words.n) assert_true(share == (first + (double)(given - words.n)) / all);
        last = share;
    }
    assert_int_equal(given, 2 * words.n);
    assert_true(last == 1);
    md5_input_close(in);
    support_remove(packed);
    support_remove(plain);
    wadi_text_fini(&words);
}

/* Digests of words that are gone meanwhile would be "not found". */
static void a_file_that_becomes_shorter_is_told(void **state) {
    (void)state;
    wadi_text out = {0};
    wadi_error err = {0};
    char expected[200];
    char *shorter = support_file("one\ntwo\nthree\n", 14), *whole = support_file("four\n", 5);
    const char *const paths[] = {shorter, whole};
    for (int longer = 0; longer < 2; longer++) {
        md5_input *in = open_files(2, paths, false);
        assert_int_equal(truncate(shorter, longer ? 20 : 8), 0);
        const wadi_status status = read_all(in, 5, &out, &err);
        assert_int_equal(status, longer ? WADI_OK : WADI_IO);
        md5_input_close(in);
    }
    (void)snprintf(expected, sizeof expected, "%s: had 14 bytes, and 8 when it was read to its end",
                   shorter);
    assert_string_equal(err.msg, expected);
    support_remove(shorter);
    support_remove(whole);
    wadi_text_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(the_first_bytes_tell_what_is_packed),
        cmocka_unit_test(what_only_begins_like_it_is_words),
        cmocka_unit_test(reading_goes_on_from_any_byte),
        cmocka_unit_test(what_comes_by_a_pipe_is_read_up_to_the_place),
        cmocka_unit_test(standard_input_is_not_skipped_over),
        cmocka_unit_test(only_what_may_still_come_is_waited_for),
        cmocka_unit_test(the_share_of_packed_files_ends_with_all),
        cmocka_unit_test(a_file_that_becomes_shorter_is_told),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
