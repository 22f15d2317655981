/* Files appear complete or not at all, and their metadata is completed at the end. */
#include "apps/audio/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/open_files.h"

static const uint8_t md5[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static flac_stream stream_of(int64_t total) {
    return (flac_stream){.format = {44100, 2, 16, 4096}, .total = total};
}

/* A name in the working directory that this process alone uses. */
static const char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "writer_%d_%s", (int)getpid(), what);
    return name;
}

static uint64_t big_endian(const uint8_t *p, int n) {
    uint64_t v = 0;
    for (int i = 0; i < n; i++) v = v << 8 | p[i];
    return v;
}

static void append(flac_writer *w, size_t n, int64_t samples) {
    uint8_t bytes[5000] = {0};
    assert_int_equal(flac_writer_append(w, bytes, n, samples, NULL), WADI_OK);
}

static void streaminfo_is_completed(void **state) {
    (void)state;
    const char *path = name_of("info.flac");
    const flac_stream stream = stream_of(9000);
    flac_writer *w = NULL;
    assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
    assert_true(flac_writer_can_seek(w));
    append(w, 700, 4096);
    append(w, 900, 4096);
    append(w, 50, 808);
    assert_false(wadi_file_exists(path));
    assert_int_equal(flac_writer_close(w, md5, NULL), WADI_OK);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    const uint8_t *p = (const uint8_t *)text;
    assert_memory_equal(p, "fLaC", 4);
    assert_int_equal(big_endian(p + 8, 2), 4096);
    assert_int_equal(big_endian(p + 10, 2), 4096);
    assert_int_equal(big_endian(p + 12, 3), 50);
    assert_int_equal(big_endian(p + 15, 3), 900);
    assert_int_equal(big_endian(p + 18, 8) & 0xfffffffff, 9000);
    assert_memory_equal(p + 26, md5, 16);
    assert_int_equal(p[42] & 0x7f, 3); /* seek table, one point */
    assert_int_equal(big_endian(p + 46, 8), 0);
    assert_int_equal(big_endian(p + 62, 2), 4096);
    free(text);
    unlink(path);
}

static void seek_points_name_the_frames_that_hold_them(void **state) {
    (void)state;
    const char *path = name_of("seek.flac");
    flac_stream stream = stream_of(4000000);
    stream.format.rate = 48000; /* a point every 480000 samples: 9 of them */
    flac_writer *w = NULL;
    assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
    for (int64_t at = 0; at < 1000000; at += 4096) append(w, 10, 4096); /* fewer than announced */
    assert_int_equal(flac_writer_close(w, md5, NULL), WADI_OK);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    const uint8_t *p = (const uint8_t *)text + 42;
    assert_int_equal(big_endian(p + 1, 3), 9 * 18);
    const uint64_t frame[3] = {0, 480000 / 4096, 960000 / 4096};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(big_endian(p + 4 + 18 * i, 8), frame[i] * 4096);
        assert_int_equal(big_endian(p + 12 + 18 * i, 8), frame[i] * 10);
        assert_int_equal(big_endian(p + 20 + 18 * i, 2), 4096);
    }
    for (int i = 3; i < 9; i++) assert_true(big_endian(p + 4 + 18 * i, 8) == UINT64_MAX);
    free(text);
    unlink(path);
}

/* Ten seconds may be less than a block, and days more points than fit. */
static void seek_points_are_in_order_and_few(void **state) {
    (void)state;
    static const struct {
        int rate;
        int64_t blocks, most; /* of 4096 samples; points */
    } sounds[] = {{1, 200, 200}, {100, 200, 200}, {409, 300, 300}, {1000, 40000, 4096}};
    for (size_t i = 0; i < sizeof sounds / sizeof sounds[0]; i++) {
        const char *path = name_of("slow.flac");
        flac_stream stream = stream_of(sounds[i].blocks * 4096);
        stream.format.rate = sounds[i].rate;
        flac_writer *w = NULL;
        assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
        for (int64_t k = 0; k < sounds[i].blocks; k++) append(w, 10, 4096);
        assert_int_equal(flac_writer_close(w, md5, NULL), WADI_OK);
        char *text = NULL;
        size_t n = 0;
        assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
        const uint8_t *p = (const uint8_t *)text + 42;
        const int64_t points = (int64_t)big_endian(p + 1, 3) / 18;
        assert_true(points > 0 && points <= sounds[i].most);
        for (int64_t k = 1; k < points; k++)
            assert_true(big_endian(p + 4 + 18 * k, 8) > big_endian(p + 4 + 18 * (k - 1), 8));
        free(text);
        unlink(path);
    }
}

static void existing_file_is_refused_without_force(void **state) {
    (void)state;
    const char *path = name_of("exists.flac");
    const flac_stream stream = stream_of(-1);
    flac_writer *w = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_file_write(path, "x", 1, 0644, NULL), WADI_OK);
    assert_int_equal(flac_writer_open(path, false, &stream, &w, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, path));
    assert_int_equal(flac_writer_open(path, true, &stream, &w, NULL), WADI_OK);
    flac_writer_discard(w);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_int_equal(n, 1); /* the old file stands until the new one is complete */
    free(text);
    unlink(path);
}

static void discarded_file_leaves_nothing(void **state) {
    (void)state;
    char pattern[64];
    snprintf(pattern, sizeof pattern, "writer_dir_%d", (int)getpid());
    char path[80];
    snprintf(path, sizeof path, "%s/out.flac", pattern);
    assert_int_equal(mkdir(pattern, 0755), 0);
    const flac_stream stream = stream_of(100);
    flac_writer *w = NULL;
    assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
    append(w, 100, 100);
    flac_writer_discard(w);
    assert_int_equal(rmdir(pattern), 0);
}

static void full_disk_is_an_error_with_the_position(void **state) {
    (void)state;
    if (!wadi_file_exists("/dev/full")) {
        print_message("no /dev/full here\n");
        skip();
    }
    const flac_stream stream = stream_of(-1);
    flac_writer *w = NULL;
    wadi_error err = {0};
    wadi_status st = flac_writer_open("/dev/full", true, &stream, &w, &err);
    if (st == WADI_OK) {
        assert_false(flac_writer_can_seek(w));
        uint8_t bytes[5000] = {0};
        for (int i = 0; st == WADI_OK && i < 100; i++) {
            st = flac_writer_append(w, bytes, sizeof bytes, 4096, &err);
        }
        if (st == WADI_OK) {
            st = flac_writer_close(w, md5, &err);
        } else {
            flac_writer_discard(w);
        }
    }
    assert_int_equal(st, WADI_IO);
    assert_non_null(strstr(err.msg, "/dev/full"));
    assert_non_null(strstr(err.msg, "byte"));
}

static void missing_directory_is_an_error(void **state) {
    (void)state;
    const flac_stream stream = stream_of(-1);
    flac_writer *w = NULL;
    wadi_error err = {0};
    assert_int_equal(flac_writer_open("no/such/dir/x.flac", false, &stream, &w, &err), WADI_IO);
    assert_int_equal(flac_writer_open(".", true, &stream, &w, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "directory"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(streaminfo_is_completed),
        cmocka_unit_test(seek_points_name_the_frames_that_hold_them),
        cmocka_unit_test(seek_points_are_in_order_and_few),
        cmocka_unit_test(existing_file_is_refused_without_force),
        cmocka_unit_test(discarded_file_leaves_nothing),
        cmocka_unit_test(full_disk_is_an_error_with_the_position),
        cmocka_unit_test(missing_directory_is_an_error),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
