/* Sound files are read with the right samples, or refused with an error that names file and place. */
#include "connectors/sndfile.h"

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
#include "wadi/stream.h"
#include "tests/open_files.h"

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "sndfile_%d_%s", (int)getpid(), what);
    return name;
}

/* Writes left-aligned integers, as libsndfile wants them. */
static void write_ints(const char *path, int format, int rate, int channels, const int *left,
                       sf_count_t frames) {
    SF_INFO about = {.samplerate = rate, .channels = channels, .format = format};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    if (frames > 0) assert_int_equal(sf_writef_int(f, left, frames), frames);
    assert_int_equal(sf_close(f), 0);
}

static void integers_keep_their_width(void **state) {
    (void)state;
    static const struct {
        int format, bits;
    } cases[] = {{SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 8},   {SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16},
                 {SF_FORMAT_WAV | SF_FORMAT_PCM_24, 24},  {SF_FORMAT_WAV | SF_FORMAT_PCM_32, 32},
                 {SF_FORMAT_AIFF | SF_FORMAT_PCM_S8, 8},  {SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 16},
                 {SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 24}, {SF_FORMAT_CAF | SF_FORMAT_ALAC_16, 16}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const int unused = 32 - cases[c].bits;
        int left[600];
        for (int i = 0; i < 600; i++) left[i] = (i * 37 % 256 - 128) * (1 << 24);
        char *path = name_of("int");
        write_ints(path, cases[c].format, 44100, 2, left, 300);
        wadi_sndfile *s = NULL;
        assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
        const wadi_sndfile_info *info = wadi_sndfile_about(s);
        assert_int_equal(info->rate, 44100);
        assert_int_equal(info->channels, 2);
        assert_int_equal(info->bits, cases[c].bits);
        assert_int_equal(info->frames, 300);
        assert_false(info->is_float || info->is_lossy);
        int32_t got[600];
        int64_t n = 0;
        assert_int_equal(wadi_sndfile_read(s, got, 200, &n, NULL), WADI_OK);
        assert_int_equal(n, 200);
        assert_int_equal(wadi_sndfile_read(s, got + 400, 200, &n, NULL), WADI_OK);
        assert_int_equal(n, 100);
        for (int i = 0; i < 600; i++) assert_int_equal(got[i], left[i] >> unused);
        assert_int_equal(wadi_sndfile_read(s, got, 200, &n, NULL), WADI_OK);
        assert_int_equal(n, 0);
        wadi_sndfile_close(s);
        unlink(path);
    }
}

static void floats_are_refused_unless_converted(void **state) {
    (void)state;
    const float samples[] = {0, 0.5f, -0.5f, 1, -1, 2, -2, 1.4f / 32768, -1.6f / 32768};
    const int32_t want[] = {0, 16384, -16384, 32767, -32768, 32767, -32768, 1, -2};
    char *path = name_of("float.wav");
    SF_INFO about = {.samplerate = 8000, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    assert_int_equal(sf_writef_float(f, samples, 9), 9);
    assert_int_equal(sf_close(f), 0);
    wadi_sndfile *s = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_sndfile_open(path, 0, &s, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, path));
    assert_int_equal(wadi_sndfile_open(path, 33, &s, &err), WADI_INVALID);
    assert_int_equal(wadi_sndfile_open(path, 16, &s, &err), WADI_OK);
    assert_true(wadi_sndfile_about(s)->is_float);
    int32_t got[16];
    int64_t n = 0;
    assert_int_equal(wadi_sndfile_read(s, got, 16, &n, NULL), WADI_OK);
    assert_int_equal(n, 9);
    for (int i = 0; i < 9; i++) assert_int_equal(got[i], want[i]);
    wadi_sndfile_close(s);
    unlink(path);
}

/* More than one piece of a conversion, read in portions that are no part of it: nothing more comes than was asked for. */
static void converted_sound_comes_in_portions_of_any_size(void **state) {
    (void)state;
    enum { FRAMES = 10000, CHANNELS = 2, MOST = 6000 };
    static float samples[FRAMES * CHANNELS];
    static int32_t got[(MOST + 1) * CHANNELS];
    static const int64_t portions[] = {1, 100, 4095, 4096, 4097, MOST};
    for (int i = 0; i < FRAMES * CHANNELS; i++) samples[i] = (float)(i % 60000 - 30000) / 32768;
    char *path = name_of("long.wav");
    SF_INFO about = {
        .samplerate = 8000, .channels = CHANNELS, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    assert_int_equal(sf_writef_float(f, samples, FRAMES), FRAMES);
    assert_int_equal(sf_close(f), 0);
    for (size_t p = 0; p < sizeof portions / sizeof portions[0]; p++) {
        const int64_t most = portions[p];
        wadi_sndfile *s = NULL;
        assert_int_equal(wadi_sndfile_open(path, 16, &s, NULL), WADI_OK);
        for (int64_t at = 0, n = 0; at < FRAMES; at += n) {
            const int64_t due = most < FRAMES - at ? most : FRAMES - at;
            got[most * CHANNELS] = 77777;
            assert_int_equal(wadi_sndfile_read(s, got, most, &n, NULL), WADI_OK);
            assert_int_equal(n, due);
            assert_int_equal(got[most * CHANNELS], 77777);
            for (int64_t i = 0; i < n * CHANNELS; i++)
                assert_int_equal(got[i], (at * CHANNELS + i) % 60000 - 30000);
        }
        wadi_sndfile_close(s);
    }
    unlink(path);
}

static void integers_are_not_converted(void **state) {
    (void)state;
    const int left[4] = {0};
    char *path = name_of("16.wav");
    write_ints(path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, left, 4);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 24, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_sndfile_open(path, 16, &s, NULL), WADI_OK);
    wadi_sndfile_close(s);
    unlink(path);
}

static void lossy_sound_is_refused_unless_converted(void **state) {
    (void)state;
    const int left[100] = {0};
    char *path = name_of("ulaw.wav");
    write_ints(path, SF_FORMAT_WAV | SF_FORMAT_ULAW, 8000, 1, left, 100);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_UNSUPPORTED);
    assert_int_equal(wadi_sndfile_open(path, 16, &s, NULL), WADI_OK);
    assert_true(wadi_sndfile_about(s)->is_lossy);
    wadi_sndfile_close(s);
    unlink(path);
}

static void cut_off(const char *path, size_t keep) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_true(keep < n);
    assert_int_equal(wadi_file_write(path, text, keep, 0644, NULL), WADI_OK);
    free(text);
}

static void truncated_files_are_errors_that_name_the_place(void **state) {
    (void)state;
    const int formats[] = {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
                           SF_FORMAT_FLAC | SF_FORMAT_PCM_16};
    static int left[20000];
    for (int i = 0; i < 20000; i++) left[i] = (int)((unsigned)i * 2654435761u);
    for (int f = 0; f < 3; f++) {
        char *path = name_of("cut");
        write_ints(path, formats[f], 44100, 1, left, 20000);
        cut_off(path, 20000);
        wadi_sndfile *s = NULL;
        wadi_error err = {0};
        wadi_status st = wadi_sndfile_open(path, 0, &s, &err);
        if (st == WADI_OK) {
            static int32_t got[20000];
            int64_t n = 0;
            st = wadi_sndfile_read(s, got, 20000, &n, &err);
            wadi_sndfile_close(s);
        }
        assert_int_equal(st, WADI_IO);
        assert_non_null(strstr(err.msg, path));
        assert_non_null(strstr(err.msg, "frame"));
        unlink(path);
    }
}

/* A header as a recorder leaves it that died: no length of the samples that follow, and perhaps none of the whole. */
static void headers_never_completed_are_errors(void **state) {
    (void)state;
    static const char head[] =
        "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
        "data\0\0\0\0";
    static const struct {
        char whole;
        size_t behind;
        wadi_status want;
    } cases[] = {{36, 0, WADI_OK}, {36, 400, WADI_IO}, {0, 0, WADI_IO}, {0, 400, WADI_IO}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[sizeof head - 1 + 400] = {0};
        char *path = name_of("never.wav");
        wadi_sndfile *s = NULL;
        wadi_error err = {0};
        memcpy(text, head, sizeof head - 1);
        text[4] = cases[i].whole;
        assert_int_equal(wadi_file_write(path, text, sizeof head - 1 + cases[i].behind, 0644, NULL),
                         WADI_OK);
        assert_int_equal(wadi_sndfile_open(path, 0, &s, &err), cases[i].want);
        if (cases[i].want != WADI_OK) assert_non_null(strstr(err.msg, "never completed"));
        if (s != NULL) wadi_sndfile_close(s);
        unlink(path);
    }
}

static void a_source_of_sound_wants_files_with_names(void **state) {
    (void)state;
    const char *const none[] = {NULL, NULL}, *const second[] = {"-", NULL};
    wadi_source *s = NULL;
    assert_int_equal(wadi_source_sound(none, 0, NULL, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(none, -1, NULL, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(NULL, 1, NULL, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(none, 1, NULL, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(second, 2, NULL, &s, NULL), WADI_INVALID);
    assert_null(s);
}

static void tags_without_a_value_are_none(void **state) {
    (void)state;
    static const char text[] =
        "RIFF\x50\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
        "LIST\x1e\0\0\0INFOINAM\2\0\0\0\0\0IART\4\0\0\0abc\0ICMT\0\0\0\0data\2\0\0\0\1\0";
    char *path = name_of("empty_tags.wav");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, f), sizeof text - 1);
    assert_int_equal(fclose(f), 0);
    wadi_sndfile *s = NULL;
    const char *name = NULL, *value = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_tag_count(s), 1);
    wadi_sndfile_tag(s, 0, &name, &value);
    assert_string_equal(name, "ARTIST");
    assert_string_equal(value, "abc");
    wadi_sndfile_close(s);
    unlink(path);
}

static void what_is_no_sound_is_an_error(void **state) {
    (void)state;
    char *path = name_of("text");
    wadi_sndfile *s = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_file_write(path, "not sound at all", 16, 0644, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_open(path, 0, &s, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, path));
    unlink(path);
    assert_int_equal(wadi_sndfile_open(path, 0, &s, &err), WADI_IO);
    assert_non_null(strstr(err.msg, path));
    assert_int_equal(wadi_sndfile_open(".", 0, &s, &err), WADI_INVALID);
}

static void empty_sound_has_no_frames(void **state) {
    (void)state;
    char *path = name_of("empty.wav");
    write_ints(path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, NULL, 0);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_about(s)->frames, 0);
    int32_t got[1];
    int64_t n = -1;
    assert_int_equal(wadi_sndfile_read(s, got, 1, &n, NULL), WADI_OK);
    assert_int_equal(n, 0);
    wadi_sndfile_close(s);
    unlink(path);
}

static void tags_come_in_utf8(void **state) {
    (void)state;
    char *path = name_of("tags.wav");
    SF_INFO about = {.samplerate = 8000, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    assert_int_equal(sf_set_string(f, SF_STR_TITLE, "Caf\xe9"), 0);
    assert_int_equal(sf_set_string(f, SF_STR_ARTIST, "Z\xc3\xbcrich"), 0);
    const short samples[4] = {0};
    assert_int_equal(sf_writef_short(f, samples, 4), 4);
    assert_int_equal(sf_close(f), 0);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    int found = 0;
    for (int i = 0; i < wadi_sndfile_tag_count(s); i++) {
        const char *name = NULL;
        const char *value = NULL;
        wadi_sndfile_tag(s, i, &name, &value);
        if (strcmp(name, "TITLE") == 0) found += strcmp(value, "Caf\xc3\xa9") == 0;
        if (strcmp(name, "ARTIST") == 0) found += strcmp(value, "Z\xc3\xbcrich") == 0;
    }
    assert_int_equal(found, 2);
    wadi_sndfile_close(s);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(integers_keep_their_width),
        cmocka_unit_test(floats_are_refused_unless_converted),
        cmocka_unit_test(converted_sound_comes_in_portions_of_any_size),
        cmocka_unit_test(integers_are_not_converted),
        cmocka_unit_test(lossy_sound_is_refused_unless_converted),
        cmocka_unit_test(truncated_files_are_errors_that_name_the_place),
        cmocka_unit_test(headers_never_completed_are_errors),
        cmocka_unit_test(a_source_of_sound_wants_files_with_names),
        cmocka_unit_test(what_is_no_sound_is_an_error),
        cmocka_unit_test(empty_sound_has_no_frames),
        cmocka_unit_test(tags_come_in_utf8),
        cmocka_unit_test(tags_without_a_value_are_none),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without libsndfile */
}

#endif
