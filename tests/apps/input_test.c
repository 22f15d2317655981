/* Headers of WAV and AIFF: every field is read, impossible headers are refused, and samples are never lost without a message. */
#include "apps/audio/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/open_files.h"

/* A WAV file to be written, wrong where it is told to be. */
typedef struct wav {
    int channels, container, valid;
    bool extended;
    uint32_t mask;
    uint32_t riff, data;      /* lengths in the header */
    int64_t ds64;             /* RF64 with this length of the data; 0: RIFF */
    size_t samples, trailing; /* bytes; what trails is a chunk, of 8 at least */
} wav;

static const char *const path = "input_test_made.wav";

static void put(wadi_text *t, uint64_t v, int n) {
    for (int i = 0; i < n; i++) {
        const char byte = (char)(i < 8 ? v >> (8 * i) & 0xff : 0);
        wadi_text_add_n(t, &byte, 1);
    }
}

static void write_wav(const wav *w) {
    static const uint8_t pcm[16] = {1,   0, 0, 0,    0, 0,    0x10, 0,
                                    128, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    const int frame = w->channels * ((w->container + 7) / 8);
    wadi_text t = {0};
    wadi_text_add(&t, w->ds64 != 0 ? "RF64" : "RIFF");
    put(&t, w->riff, 4);
    wadi_text_add(&t, "WAVE");
    if (w->ds64 != 0) {
        wadi_text_add(&t, "ds64");
        put(&t, 28, 4);
        put(&t, (uint64_t)w->ds64 + 72, 8);
        put(&t, (uint64_t)w->ds64, 8);
        put(&t, 0, 12);
    }
    wadi_text_add(&t, "fmt ");
    put(&t, w->extended ? 40 : 16, 4);
    put(&t, w->extended ? 0xfffe : 1, 2);
    put(&t, (uint64_t)w->channels, 2);
    put(&t, 44100, 4);
    put(&t, (uint64_t)(44100 * frame), 4);
    put(&t, (uint64_t)frame, 2);
    put(&t, (uint64_t)w->container, 2);
    if (w->extended) {
        put(&t, 22, 2);
        put(&t, (uint64_t)w->valid, 2);
        put(&t, w->mask, 4);
        wadi_text_add_n(&t, (const char *)pcm, sizeof pcm);
    }
    wadi_text_add(&t, "data");
    put(&t, w->data, 4);
    for (size_t i = 0; i < w->samples; i++) put(&t, i % 251, 1);
    if (w->trailing > 0) {
        wadi_text_add(&t, "LIST");
        put(&t, w->trailing - 8, 4);
        put(&t, 0, (int)w->trailing - 8);
    }
    assert_int_equal(wadi_file_write(path, t.at, t.n, 0644, NULL), WADI_OK);
    wadi_text_fini(&t);
}

/* Opens and reads all; the frames read, or -1 and the status. */
static int64_t read_all(const flac_wish *wish, flac_sound_info *out_about, wadi_status *out_status,
                        wadi_error *err) {
    static int32_t samples[8 * 5000];
    flac_input *in = NULL;
    int64_t frames = -1;
    *out_status = flac_input_open(path, wish, &in, err);
    if (*out_status == WADI_OK) {
        *out_about = *flac_input_about(in);
        assert_in_range(out_about->channels, 1, 8);
        *out_status = flac_input_read(in, samples, 5000, &frames, err);
        if (*out_status != WADI_OK) frames = -1;
    }
    flac_input_close(in);
    return frames;
}

static void assert_reads(const wav *w, const flac_wish *wish, int64_t frames) {
    flac_sound_info about;
    wadi_status st;
    wadi_error err = {0};
    write_wav(w);
    const int64_t got = read_all(wish, &about, &st, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(got, frames);
    assert_int_equal(about.bits, w->extended && w->valid != 0 ? w->valid : w->container);
    assert_int_equal(about.mask, wish->iff.ignore_mask ? 0 : w->mask);
}

static void assert_refuses(const wav *w, wadi_status want, const char *word) {
    flac_sound_info about;
    wadi_status st;
    wadi_error err = {0};
    write_wav(w);
    (void)read_all(&(flac_wish){0}, &about, &st, &err);
    assert_int_equal(st, want);
    if (strstr(err.msg, word) == NULL) fail_msg("no \"%s\" in: %s", word, err.msg);
    assert_non_null(strstr(err.msg, path));
}

static const flac_wish plain;
static const flac_wish all_that_follows = {.iff = {.ignore_sizes = true}};

static void usual_headers_are_read(void **state) {
    (void)state;
    assert_reads(&(wav){1, 8, 8, .riff = 136, .data = 100, .samples = 100}, &plain, 100);
    assert_reads(&(wav){2, 16, 16, .riff = 436, .data = 400, .samples = 400}, &plain, 100);
    assert_reads(&(wav){2, 24, 24, .riff = 636, .data = 600, .samples = 600}, &plain, 100);
    assert_reads(&(wav){2, 32, 32, .riff = 836, .data = 800, .samples = 800, .trailing = 9}, &plain,
                 100);
    assert_reads(
        &(wav){2, 16, 16, .riff = 0xffffffff, .data = 0xffffffff, .ds64 = 400, .samples = 400},
        &plain, 100);
}

/* Masks whose order is FLAC's are kept, the others refused, unless the channels are taken as they are. */
static void speakers_are_kept_or_refused(void **state) {
    (void)state;
    static const uint32_t good[][2] = {{1, 4},     {2, 3},    {4, 0x603}, {5, 0x607},
                                       {6, 0x60f}, {6, 0x3f}, {8, 0x63f}, {6, 0}};
    static const uint32_t bad[][2] = {{4, 0x107}, {6, 0x5f3}, {2, 4}, {2, 0xf}, {3, 3}, {2, 0xc}};
    wav w = {0, 16, 16, .extended = true, .riff = 1000, .data = 960, .samples = 960};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        w.channels = (int)good[i][0];
        w.mask = good[i][1];
        assert_reads(&w, &plain, 480 / w.channels);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        w.channels = (int)bad[i][0];
        w.mask = bad[i][1];
        assert_refuses(&w, WADI_UNSUPPORTED, "mask");
        assert_reads(&w, &(flac_wish){.iff = {.ignore_mask = true}}, 480 / w.channels);
    }
}

/* Valid bits stand at the top. Samples that use the others too would be changed. */
static void valid_bits_are_kept(void **state) {
    (void)state;
    wav w = {1, 24, 20, .extended = true, .riff = 1000, .data = 3, .samples = 3};
    assert_reads(&w, &plain, 1); /* 0x020100 */
    w.samples = w.data = 51;     /* .. 0x111213 .. */
    assert_refuses(&w, WADI_IO, "20 bits");
    w.valid = 25;
    assert_refuses(&w, WADI_IO, "valid");
    w.valid = 0;
    assert_reads(&w, &plain, 17);
}

static void headers_never_completed_are_refused_and_rescued(void **state) {
    (void)state;
    const wav never[] = {{2, 16, 16, .riff = 36, .data = 0, .samples = 400},
                         {2, 16, 16, .riff = 0, .data = 0, .samples = 400},
                         {2, 16, 16, .riff = 0, .data = 0}};
    for (size_t i = 0; i < 3; i++) {
        assert_refuses(&never[i], WADI_IO, "never completed");
        assert_reads(&never[i], &all_that_follows, (int64_t)never[i].samples / 4);
    }
    const wav cut = {2, 16, 16, .riff = 836, .data = 800, .samples = 400};
    assert_refuses(&cut, WADI_IO, "truncated");
    assert_reads(&cut, &all_that_follows, 100);
    const wav empty = {2, 16, 16, .riff = 36, .data = 0};
    assert_reads(&empty, &plain, 0);
    const wav chunk_behind = {2, 16, 16, .riff = 46, .data = 0, .trailing = 10};
    assert_reads(&chunk_behind, &plain, 0);
}

static void lengths_that_nobody_knew_mean_the_rest(void **state) {
    (void)state;
    const uint32_t unknown[] = {0xffffffff, 0xffffffd0, 0x7fffffff, 0x80000000, 0x7fffffc4};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_reads(&(wav){2, 16, 16, .riff = 0xffffffff, .data = unknown[i], .samples = 400},
                     &plain, 100);
    }
    assert_refuses(&(wav){2, 16, 16, .riff = 0x70000000, .data = 0x70000000, .samples = 400},
                   WADI_IO, "truncated");
    assert_refuses(&(wav){2, 16, 16, .riff = 0xffffffff, .data = 0xffffffff, .samples = 402},
                   WADI_IO, "within frame 100");
    assert_refuses(&(wav){2, 16, 16, .riff = 438, .data = 402, .samples = 402}, WADI_IO,
                   "whole number");
}

static int remove_made(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(usual_headers_are_read),
        cmocka_unit_test(speakers_are_kept_or_refused),
        cmocka_unit_test(valid_bits_are_kept),
        cmocka_unit_test(headers_never_completed_are_refused_and_rescued),
        cmocka_unit_test(lengths_that_nobody_knew_mean_the_rest),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, remove_made);
}
