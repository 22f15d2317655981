/* The whole program except its command line: sound files go through the compiled pipeline, and independent decoders check the
 * result. */
#include "apps/audio/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_SNDFILE
#include <sndfile.h>

#include "base/file.h"
#include "tests/apps/flac_judge.h"
#include "tests/apps/signals.h"
#include "tests/open_files.h"

static int need_flac(void **state) {
    (void)state;
    if (flac_tool_present()) return 0;
    print_message("the flac tool is not installed\n");
    exit(77);
}

static void write_wav(const char *path, const flac_format *f, const int32_t *samples,
                      int64_t frames) {
    const int sub = f->bits == 8    ? SF_FORMAT_PCM_U8
                    : f->bits == 16 ? SF_FORMAT_PCM_16
                    : f->bits == 24 ? SF_FORMAT_PCM_24
                                    : SF_FORMAT_PCM_32;
    SF_INFO about = {.samplerate = f->rate, .channels = f->channels, .format = SF_FORMAT_WAV | sub};
    SNDFILE *file = sf_open(path, SFM_WRITE, &about);
    assert_non_null(file);
    const int64_t n = frames * f->channels;
    int *left = malloc((size_t)n * sizeof *left + 1);
    assert_non_null(left);
    for (int64_t i = 0; i < n; i++) left[i] = (int)((uint32_t)samples[i] << (32 - f->bits));
    if (frames > 0) assert_int_equal(sf_writef_int(file, left, frames), frames);
    free(left);
    assert_int_equal(sf_close(file), 0);
}

static void assert_encodes(const flac_options *options) {
    flac_progress end = {0};
    wadi_error err = {0};
    const wadi_status st = flac_encode(options, NULL, NULL, &end, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    assert_true(end.can_seek);
}

/* Compresses, has the result decoded, and compares its size with the model's. */
static void round_trip(sound_fn sound, int level, const flac_format *f, int64_t frames) {
    int32_t *samples = sound_make(sound, f, frames);
    char *in = flac_scratch("encode.wav");
    char *out = flac_scratch("encode.flac");
    char *model = flac_scratch("encode_model.flac");
    write_wav(in, f, samples, frames);
    const flac_options options = {
        .in = in, .out = out, .level = level, .force = true, .threads = 2};
    assert_encodes(&options);
    assert_flac_decodes_to(out, f, samples, frames);
    const double want = (double)flac_model_write(model, level, f, samples, frames);
    char *text = NULL;
    size_t got = 0;
    assert_int_equal(wadi_file_read(out, &text, &got, NULL), WADI_OK);
    if ((double)got > 1.002 * want + 8) {
        fail_msg("level %d, %d bits, %d channels, %lld frames: %zu bytes, the model needs %.0f",
                 level, f->bits, f->channels, (long long)frames, got, want);
    }
    free(text);
    unlink(in);
    unlink(out);
    unlink(model);
    free(in);
    free(out);
    free(model);
    free(samples);
}

/* What becomes of a sound is nothing that threads decide: the last tests look at those. A setup may not skip. */
static void leave_to_other_suites(void) {
    const char *with = getenv("WADI_SANITIZE");
    if (with == NULL || strcmp(with, "thread") != 0) return;
    print_message("left out under the thread sanitizer\n");
    skip();
}

static void every_sound_at_every_width_comes_back(void **state) {
    (void)state;
    leave_to_other_suites();
    const int widths[] = {8, 16, 24, 32};
    for (int w = 0; w < 4; w++) {
        const flac_format f = {44100, 2, widths[w], 0};
        for (int s = 0; s < sound_count; s++) round_trip(sounds[s], 8, &f, 7000);
    }
}

static void every_level_comes_back(void **state) {
    (void)state;
    leave_to_other_suites();
    for (int level = 0; level <= 8; level++) {
        const flac_format f = {44100, 2, 16, 0};
        round_trip(sound_tone, level, &f, 7001);
    }
}

/* Level 8 cuts blocks where the sound wants it; not those whose length was asked for. */
static void blocks_of_a_wished_length_are_not_cut(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    int32_t *samples = sound_make(sound_tone, &f, 7000);
    char *in = flac_scratch("block.wav"), *out = flac_scratch("block.flac"), *text = NULL;
    write_wav(in, &f, samples, 7000);
    for (int block = 0; block <= 1152; block += 1152) {
        const flac_options options = {
            .in = in, .out = out, .level = 8, .block = block, .force = true, .threads = 2};
        size_t n = 0;
        assert_encodes(&options);
        assert_flac_decodes_to(out, &f, samples, 7000);
        assert_int_equal(wadi_file_read(out, &text, &n, NULL), WADI_OK);
        const uint8_t *p = (const uint8_t *)text; /* STREAMINFO: the shortest block, the longest */
        assert_int_equal(p[8] << 8 | p[9], block != 0 ? 1152 : 1024);
        assert_int_equal(p[10] << 8 | p[11], block != 0 ? 1152 : 4096);
        free(text);
    }
    unlink(in);
    unlink(out);
    free(in);
    free(out);
    free(samples);
}

static void mono_and_surround_come_back(void **state) {
    (void)state;
    leave_to_other_suites();
    const int channels[] = {1, 3, 6, 8};
    for (int c = 0; c < 4; c++) {
        const flac_format f = {48000, channels[c], 16, 0};
        round_trip(sound_tone, 8, &f, 5000);
    }
}

static void any_rate_comes_back(void **state) {
    (void)state;
    leave_to_other_suites();
    const int rates[] = {1, 35467, 96000, 655350};
    for (int r = 0; r < 4; r++) {
        const flac_format f = {rates[r], 1, 16, 0};
        round_trip(sound_tone, 8, &f, 5000);
    }
}

static void short_sounds_come_back(void **state) {
    (void)state;
    leave_to_other_suites();
    const int64_t lengths[] = {0, 1, 2, 5, 12, 15, 16, 17, 63, 64, 65, 97, 3071, 3072, 3073};
    const flac_format f = {44100, 2, 16, 0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        round_trip(sound_tone, 8, &f, lengths[i]);
        if (lengths[i] < 20) round_trip(sound_noise, 8, &f, lengths[i]);
    }
}

static char *encoded(const flac_options *options, size_t *out_n) {
    assert_encodes(options);
    char *text = NULL;
    assert_int_equal(wadi_file_read(options->out, &text, out_n, NULL), WADI_OK);
    return text;
}

static void chunks_threads_and_schedules_give_the_same_bytes(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    const int64_t frames = 40000;
    int32_t *samples = sound_make(sound_tone, &f, frames);
    for (int64_t i = 9000; i < 14000; i++) samples[2 * i] = sound_noise(i, 0, 12);
    char *in = flac_scratch("same.wav");
    char *out = flac_scratch("same.flac");
    write_wav(in, &f, samples, frames);
    flac_options options = {.in = in, .out = out, .level = 8, .force = true};
    size_t want_n = 0;
    char *want = encoded(&options, &want_n);
    for (int64_t chunk = 0; chunk <= 5; chunk++) {
        for (int threads = 1; threads <= 2; threads++) {
            options.chunk = chunk;
            options.threads = threads;
            options.schedule =
                chunk % 2 != 0 ? WADI_SCHEDULE_FORCE_FLAT : WADI_SCHEDULE_FORCE_INSIDE;
            size_t got_n = 0;
            char *got = encoded(&options, &got_n);
            assert_int_equal(got_n, want_n);
            assert_memory_equal(got, want, got_n);
            free(got);
        }
    }
    free(want);
    unlink(in);
    unlink(out);
    free(in);
    free(out);
    free(samples);
}

static void failures_leave_no_file(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    int32_t *samples = sound_make(sound_noise, &f, 20000);
    char *in = flac_scratch("bad.wav");
    char *out = flac_scratch("bad.flac");
    write_wav(in, &f, samples, 20000);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(in, &text, &n, NULL), WADI_OK);
    assert_int_equal(wadi_file_write(in, text, 30000, 0644, NULL), WADI_OK);
    const flac_options options = {.in = in, .out = out, .level = 0};
    flac_progress end = {0};
    wadi_error err = {0};
    assert_int_equal(flac_encode(&options, NULL, NULL, &end, &err), WADI_IO);
    assert_non_null(strstr(err.msg, in));
    assert_false(wadi_file_exists(out));
    free(text);
    unlink(in);
    free(in);
    free(out);
    free(samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_level_comes_back),
        cmocka_unit_test(every_sound_at_every_width_comes_back),
        cmocka_unit_test(blocks_of_a_wished_length_are_not_cut),
        cmocka_unit_test(mono_and_surround_come_back),
        cmocka_unit_test(any_rate_comes_back),
        cmocka_unit_test(short_sounds_come_back),
        cmocka_unit_test(chunks_threads_and_schedules_give_the_same_bytes),
        cmocka_unit_test(failures_leave_no_file),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, need_flac, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without libsndfile */
}

#endif
