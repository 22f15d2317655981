/* Every awkward input, through model, packer and writer, to the decoders: what comes back is what went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "connectors/sndfile.h"
#include "tests/apps/flac_judge.h"
#include "tests/apps/signals.h"

static int64_t round_trip(sound_fn signal, int level, const flac_format *f, int64_t frames) {
    int32_t *samples = sound_make(signal, f, frames);
    char *path = flac_scratch("model.flac");
    const int64_t size = flac_model_write(path, level, f, samples, frames);
    if (frames > 0) assert_flac_decodes_to(path, f, samples, frames);
    unlink(path);
    free(path);
    free(samples);
    return size;
}

static void need_flac(void) {
    if (!flac_tool_present()) {
        print_message("the flac tool is not installed\n");
        skip();
    }
}

/* ---- tests ---- */

static void every_signal_at_every_width_comes_back(void **state) {
    (void)state;
    need_flac();
    const int widths[] = {8, 16, 20, 24, 32};
    for (int w = 0; w < 5; w++) {
        const flac_format f = {44100, 2, widths[w], 0};
        for (int s = 0; s < sound_count; s++) (void)round_trip(sounds[s], 8, &f, 7000);
    }
}

static void every_level_comes_back(void **state) {
    (void)state;
    need_flac();
    for (int level = 0; level <= FLAC_MAX_LEVEL; level++) {
        const flac_format f = {48000, 2, 16, 0};
        (void)round_trip(sound_tone, level, &f, 9001);
        (void)round_trip(sound_noise, level, &f, 3000);
    }
}

static void one_to_eight_channels_come_back(void **state) {
    (void)state;
    need_flac();
    for (int channels = 1; channels <= 8; channels++) {
        const flac_format f = {48000, channels, 16, 0};
        (void)round_trip(sound_tone, 8, &f, 4000);
    }
}

static void any_rate_is_kept(void **state) {
    (void)state;
    need_flac();
    const int rates[] = {1, 10, 8000, 11025, 35467, 44100, 65535, 65537, 192000, 655350};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const flac_format f = {rates[i], 1, 16, 0};
        (void)round_trip(sound_tone, 5, &f, 5000);
    }
}

static void short_sounds_come_back(void **state) {
    (void)state;
    need_flac();
    const int64_t lengths[] = {1, 2, 3, 4, 5, 12, 13, 15, 16, 17, 31, 63, 64, 65, 127, 3071, 3073};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const flac_format f = {44100, 2, 16, 0};
        (void)round_trip(sound_tone, 8, &f, lengths[i]);
        (void)round_trip(sound_noise, 8, &f, lengths[i]);
        (void)round_trip(sound_silence, 8, &f, lengths[i]);
    }
}

static void empty_sound_is_a_valid_file(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    char *path = flac_scratch("empty.flac");
    (void)flac_model_write(path, 5, &f, NULL, 0);
    if (flac_tool_present()) assert_flac_decodes_to(path, &f, NULL, 0);
    unlink(path);
    free(path);
}

static void noise_costs_no_more_than_verbatim(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    int32_t *samples = sound_make(sound_noise, &f, 30000);
    char *path = flac_scratch("noise.flac");
    const int64_t size = flac_model_write(path, 8, &f, samples, 30000);
    assert_in_range(size, 30000 * 4, 30000 * 4 + 2000);
    unlink(path);
    free(path);
    free(samples);
}

static void libsndfile_decodes_the_same_samples(void **state) {
    (void)state;
    const int widths[] = {8, 16, 24};
    for (int w = 0; w < 3; w++) {
        const flac_format f = {44100, 2, widths[w], 0};
        int32_t *samples = sound_make(sound_tone, &f, 10000);
        char *path = flac_scratch("sndfile.flac");
        (void)flac_model_write(path, 8, &f, samples, 10000);
        assert_sndfile_decodes_to(path, &f, samples, 10000);
        unlink(path);
        free(path);
        free(samples);
    }
}

/* Size of what the flac tool makes of a file, with metadata and padding taken away. */
static int64_t flac_size(const char *path, int level) {
    char command[1024];
    char *out = flac_scratch("peer.flac");
    snprintf(command, sizeof command,
             "flac -s -f -%d --no-padding --no-seektable -o '%s' '%s' && wc -c < '%s'", level, out,
             path, out);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    long long size = 0;
    assert_int_equal(fscanf(p, "%lld", &size), 1);
    assert_int_equal(pclose(p), 0);
    unlink(out);
    free(out);
    return size;
}

static void recorded_speech_compresses_as_well_as_the_reference(void **state) {
    (void)state;
    need_flac();
    const char *data = getenv("WADI_TEST_DATA");
    if (data == NULL) {
        print_message("no test data\n");
        skip();
    }
    char path[512];
    snprintf(path, sizeof path, "%s/audio/Front_Center.wav", data);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    const wadi_sndfile_info *info = wadi_sndfile_about(s);
    const flac_format f = {info->rate, info->channels, info->bits, 0};
    const int64_t frames = info->frames;
    int32_t *samples = malloc((size_t)(frames * f.channels) * sizeof *samples);
    assert_non_null(samples);
    int64_t got = 0;
    assert_int_equal(wadi_sndfile_read(s, samples, frames, &got, NULL), WADI_OK);
    wadi_sndfile_close(s);
    char *out = flac_scratch("speech.flac");
    for (int level = 5; level <= 8; level += 3) {
        const int64_t size = flac_model_write(out, level, &f, samples, frames);
        assert_flac_decodes_to(out, &f, samples, frames);
        assert_true((double)size < 1.02 * (double)flac_size(path, level) + 1024);
    }
    unlink(out);
    free(out);
    free(samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signal_at_every_width_comes_back),
        cmocka_unit_test(every_level_comes_back),
        cmocka_unit_test(one_to_eight_channels_come_back),
        cmocka_unit_test(any_rate_is_kept),
        cmocka_unit_test(short_sounds_come_back),
        cmocka_unit_test(empty_sound_is_a_valid_file),
        cmocka_unit_test(noise_costs_no_more_than_verbatim),
        cmocka_unit_test(libsndfile_decodes_the_same_samples),
        cmocka_unit_test(recorded_speech_compresses_as_well_as_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
