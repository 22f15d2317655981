/* WAV files that are written read back: headers byte by byte, files of unknown and of great length, and chunks that are kept. */
#include "apps/audio/wav_writer.h"

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

#include "apps/audio/foreign.h"
#include "apps/audio/input.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/open_files.h"

static const char *const path = "wav_writer_test_made.wav";

enum { FRAMES = 9001 }; /* more than the writer turns at once */

static void write_to(const char *to, const wav_about *about, const int32_t *samples,
                     int64_t frames) {
    wav_writer *w = NULL;
    wadi_error err = {0};
    if (wav_writer_open(to, true, about, &w, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int64_t at = 0, n = 1; at < frames; at += n, n = 3 * n + 1) {
        if (n > frames - at) n = frames - at;
        assert_int_equal(wav_writer_append(w, samples + at * about->channels, n, NULL), WADI_OK);
    }
    assert_int_equal(wav_writer_close(w, NULL), WADI_OK);
}

/* Of any value that so many bits hold, the ends among them. */
static void fill(int32_t *samples, int n, int bits) {
    uint32_t random = (uint32_t)bits;
    for (int i = 0; i < n; i++) {
        random = random * 1664525 + 1013904223;
        samples[i] = (int32_t)random >> (32 - bits);
    }
    samples[0] = INT32_MIN >> (32 - bits);
    samples[1] = INT32_MAX >> (32 - bits);
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    static const int cases[][3] = {{1, 4, 0},  {1, 8, 0},  {2, 8, 0x3}, {2, 12, 0},    {2, 16, 0},
                                   {1, 16, 4}, {2, 20, 3}, {3, 24, 7},  {6, 32, 0x3f}, {1, 17, 0}};
    static int32_t samples[6 * FRAMES], got[6 * FRAMES];
    for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; i++) {
        const int *c = cases[i / 4];
        const int64_t frames = i % 2 == 0 ? FRAMES : 1;
        const wav_about about = {.rate = 48000 + c[1],
                                 .channels = c[0],
                                 .bits = c[1],
                                 .mask = (uint32_t)c[2],
                                 .frames = i / 2 % 2 == 0 ? frames : -1};
        fill(samples, c[0] * FRAMES, c[1]);
        write_to(path, &about, samples, frames);
        flac_input *in = NULL;
        int64_t n = 0;
        wadi_error err = {0};
        if (flac_input_open(path, &(flac_wish){0}, &in, &err) != WADI_OK) fail_msg("%s", err.msg);
        const flac_sound_info *read = flac_input_about(in);
        assert_int_equal(read->channels, c[0]);
        assert_int_equal(read->bits, c[1]);
        assert_int_equal(read->rate, 48000 + c[1]);
        assert_int_equal(read->frames, frames);
        assert_string_equal(read->format, "WAV");
        const bool usual = c[2] == (c[0] == 1 ? 4 : 3) && (c[1] == 8 || c[1] == 16);
        assert_int_equal(read->mask, usual ? 0 : c[2]);
        assert_int_equal(flac_input_read(in, got, FRAMES, &n, NULL), WADI_OK);
        assert_int_equal(n, frames);
        assert_memory_equal(got, samples, (size_t)(frames * c[0]) * sizeof *got);
        flac_input_close(in);
    }
}

/* ---- headers ---- */

/* What arrives in a pipe that cannot go back. */
static size_t piped(const wav_about *about, const int32_t *samples, int64_t frames, char *got,
                    size_t room) {
    int ends[2];
    char own[32];
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", ends[1]);
    write_to(own, about, samples, frames);
    assert_int_equal(close(ends[1]), 0);
    const ssize_t n = read(ends[0], got, room);
    assert_true(n >= 0);
    assert_int_equal(close(ends[0]), 0);
    return (size_t)n;
}

#define IS(got, n, want)                       \
    do {                                       \
        assert_int_equal(n, sizeof(want) - 1); \
        assert_memory_equal(got, want, n);     \
    } while (0)

static void headers_are_those_of_the_format(void **state) {
    (void)state;
    static const int32_t samples[] = {1, -2, 3};
    char got[256];
    size_t n = piped(&(wav_about){.rate = 44100, .channels = 1, .bits = 16, .frames = 3}, samples,
                     3, got, sizeof got);
    IS(got, n,
       "RIFF\x2a\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\6\0\0\0"
       "\1\0\xfe\xff\3\0");
    n = piped(&(wav_about){.rate = 8000, .channels = 1, .bits = 8, .frames = 3}, samples, 3, got,
              sizeof got);
    IS(got, n, /* an odd chunk is padded, and 8 bits are not signed */
       "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\3\0\0\0"
       "\x81\x7e\x83\0");
    n = piped(&(wav_about){.rate = 8000, .channels = 1, .bits = 12, .mask = 4, .frames = 1},
              samples, 1, got, sizeof got);
    IS(got, n,
       "RIFF\x3e\0\0\0WAVEfmt \x28\0\0\0\xfe\xff\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0\x16\0\x0c\0"
       "\4\0\0\0\1\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
       "data\2\0\0\0\x10\0");
    n = piped(&(wav_about){.rate = 44100, .channels = 1, .bits = 16, .frames = -1}, samples, 1, got,
              sizeof got);
    IS(got, n, /* nobody knew */
       "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0"
       "data\xff\xff\xff\xff\1\0");
}

/* 2^31 frames of 2 bytes. */
static void four_gigabytes_have_long_lengths(void **state) {
    (void)state;
    static const int32_t samples[] = {1};
    char got[256];
    const wav_about about = {.rate = 44100, .channels = 1, .bits = 16, .frames = INT64_C(1) << 31};
    const size_t n = piped(&about, samples, 1, got, sizeof got);
    IS(got, n,
       "RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0\x48\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\x80\0\0\0\0"
       "\0\0\0\0"
       "fmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\xff\xff\xff\xff\1\0");
}

static void raw_samples_are_bare(void **state) {
    (void)state;
    static const int32_t samples[] = {1, -2};
    static const struct {
        int bits;
        bool big, is_unsigned;
        const char *want;
        size_t n;
    } cases[] = {
        {16, false, false, "\1\0\xfe\xff", 4},      {16, true, false, "\0\1\xff\xfe", 4},
        {16, true, true, "\x80\1\x7f\xfe", 4},      {8, false, true, "\x81\x7e", 2},
        {24, true, false, "\0\0\1\xff\xff\xfe", 6}, {12, false, false, "\1\0\xfe\xff", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[16];
        const wav_about about = {.rate = 1,
                                 .channels = 1,
                                 .bits = cases[i].bits,
                                 .frames = 2,
                                 .raw = true,
                                 .big_endian = cases[i].big,
                                 .is_unsigned = cases[i].is_unsigned};
        assert_int_equal(piped(&about, samples, 2, got, sizeof got), cases[i].n);
        assert_memory_equal(got, cases[i].want, cases[i].n);
    }
}

/* ---- chunks that were kept ---- */

static void chunks_are_put_back_around_the_samples(void **state) {
    (void)state;
#define TEXT(t) t, sizeof(t) - 1
    static const struct {
        const char *text;
        size_t n;
    } files[] = {
        {TEXT("RIFF\x32\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0"
              "data\2\0\0\0\7\1note\3\0\0\0abc\0")},
        {TEXT("RIFF\x32\0\0\0WAVEnote\2\0\0\0abfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0"
              "\x08\0data\3\0\0\0\x81\x7e\x83\0")},
        {TEXT("FORM\0\0\0\x44"
              "AIFFCOMM\0\0\0\x12\0\1\0\0\0\2\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0SSND\0\0\0\x0c"
              "\0\0\0\0\0\0\0\0\1\2\3\4ANNO\0\0\0\3abc\0")},
        {TEXT("FORM\0\0\0\x3a"
              "AIFFCOMM\0\0\0\x12\0\1\0\0\0\3\0\x08\x40\x0e\xac\x44\0\0\0\0\0\0SSND\0\0\0\x0b"
              "\0\0\0\0\0\0\0\0\1\x80\x7f\0")}, /* padded */
        {TEXT("FORM\0\0\0\x48"
              "AIFFCOMM\0\0\0\x12\0\1\0\0\0\3\0\x08\x40\x0e\xac\x44\0\0\0\0\0\0SSND\0\0\0\x0e"
              "\0\0\0\3\0\0\0\0xyz\1\x80\x7f"
              "ANNO\0\0\0\2ab")}, /* even with what the samples stand behind: not padded */
        {TEXT("FORM\0\0\0\x3e"
              "AIFCCOMM\0\0\0\x18\0\1\0\0\0\1\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0sowt\0\0"
              "SSND\0\0\0\x0a\0\0\0\0\0\0\0\0\1\2")},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        int32_t samples[16];
        char *got = NULL;
        size_t got_n = 0;
        int64_t n = 0;
        flac_input *in = NULL;
        wadi_error err = {0};
        assert_int_equal(wadi_file_write(path, files[i].text, files[i].n, 0644, NULL), WADI_OK);
        if (flac_input_open(path, &(flac_wish){.keep_all = true}, &in, &err) != WADI_OK)
            fail_msg("%zu: %s", i, err.msg);
        assert_int_equal(flac_input_read(in, samples, 16, &n, NULL), WADI_OK);
        const flac_sound_info *read = flac_input_about(in);
        const wav_about about = {.rate = read->rate,
                                 .channels = 1,
                                 .bits = read->bits,
                                 .frames = n,
                                 .chunks = flac_input_blocks(in)};
        write_to(path, &about, samples, n);
        flac_input_close(in);
        assert_int_equal(wadi_file_read(path, &got, &got_n, NULL), WADI_OK);
        if (got_n != files[i].n || memcmp(got, files[i].text, got_n) != 0)
            fail_msg("file %zu is another one, of %zu bytes", i, got_n);
        free(got);
    }
    const flac_blocks none = {0};
    wav_writer *w = NULL;
    wadi_error err = {0};
    const wav_about about = {.rate = 1, .channels = 1, .bits = 16, .frames = 1, .chunks = &none};
    assert_int_equal(wav_writer_open(path, true, &about, &w, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, path));
}

static void a_file_that_exists_stays_unless_forced(void **state) {
    (void)state;
    const wav_about about = {.rate = 8000, .channels = 1, .bits = 8, .frames = 1};
    wav_writer *w = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_file_write(path, "old", 3, 0644, NULL), WADI_OK);
    assert_int_equal(wav_writer_open(path, false, &about, &w, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "--force"));
    assert_int_equal(wav_writer_open(path, true, &about, &w, NULL), WADI_OK);
    wav_writer_discard(w);
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &got, &n, NULL), WADI_OK);
    assert_true(n == 3 && memcmp(got, "old", 3) == 0);
    free(got);
    wav_writer_discard(NULL);
}

static int remove_made(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(headers_are_those_of_the_format),
        cmocka_unit_test(four_gigabytes_have_long_lengths),
        cmocka_unit_test(raw_samples_are_bare),
        cmocka_unit_test(chunks_are_put_back_around_the_samples),
        cmocka_unit_test(a_file_that_exists_stays_unless_forced),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, remove_made);
}
