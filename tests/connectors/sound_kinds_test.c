/* Edge cases of sound of every width and format: how many bits may be asked for, when the length in a header can be trusted, what
 * clips, every tag by its name, input from a pipe, and the ways to cut files into elements. */
#include "connectors/sndfile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_SNDFILE
#include <sndfile.h>

#include "base/file.h"
#include "sched/stream.h"
#include "tests/open_files.h"
#include "wadi/stream.h"

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "sound_kinds_%d_%s", (int)getpid(), what);
    return name;
}

static void write_doubles(const char *path, int format, int channels, const double *samples,
                          sf_count_t frames) {
    SF_INFO about = {.samplerate = 8000, .channels = channels, .format = format};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    assert_int_equal(sf_writef_double(f, samples, frames), frames);
    assert_int_equal(sf_close(f), 0);
}

/* Shorts as they are, as WAV. */
static void write_shorts(const char *path, int channels, const short *samples, sf_count_t frames) {
    SF_INFO about = {
        .samplerate = 8000, .channels = channels, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    assert_non_null(f);
    assert_int_equal(sf_writef_short(f, samples, frames), frames);
    assert_int_equal(sf_close(f), 0);
}

/* ---- bits ---- */

/* stored: bits of integers, 0 for others. */
static const struct {
    int format, stored;
    bool is_float, is_lossy;
    const char *words;
} kinds[] = {
    {SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16, false, false, "WAV (Microsoft), Signed 16 bit PCM"},
    {SF_FORMAT_AIFF | SF_FORMAT_PCM_S8, 8, false, false, "AIFF (Apple/SGI), Signed 8 bit PCM"},
    {SF_FORMAT_WAV | SF_FORMAT_PCM_32, 32, false, false, "WAV (Microsoft), Signed 32 bit PCM"},
    {SF_FORMAT_WAV | SF_FORMAT_FLOAT, 0, true, false, "WAV (Microsoft), 32 bit float"},
    {SF_FORMAT_AU | SF_FORMAT_DOUBLE, 0, true, false, "AU (Sun/NeXT), 64 bit float"},
    {SF_FORMAT_AU | SF_FORMAT_ALAW, 0, false, true, "AU (Sun/NeXT), A-Law"},
    {SF_FORMAT_CAF | SF_FORMAT_ALAC_24, 0, false, true, "CAF (Apple Core Audio File), 24 bit ALAC"},
};

static void bits_are_those_stored_or_asked_for(void **state) {
    (void)state;
    static const int asked[] = {-1, 0, 7, 8, 9, 16, 24, 31, 32, 33};
    double samples[400];
    for (int i = 0; i < 400; i++) samples[i] = (i % 9 - 4) / 8.0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char *path = name_of("bits");
        write_doubles(path, kinds[k].format, 2, samples, 200);
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++)
            for (int real = 0; real < 2; real++) {
                const int n = asked[a], stored = kinds[k].stored;
                const wadi_sndfile_how how = {.bits = n, .real = real == 1};
                const bool in_range = n == 0 || (n >= 8 && n <= 32);
                wadi_status want = WADI_OK;
                if (!in_range || (real && n != 0) || (!real && stored && n != 0 && n != stored))
                    want = WADI_INVALID;
                else if (!real && n == 0 && stored == 0)
                    want = WADI_UNSUPPORTED;
                wadi_sndfile *s = NULL;
                wadi_error err = {.status = WADI_OK};
                const wadi_status st = wadi_sndfile_open_as(path, &how, &s, &err);
                if (st != want)
                    fail_msg("%s as %d bits%s: %s", kinds[k].words, n, real ? ", real" : "",
                             err.msg);
                if (s == NULL) continue;
                const wadi_sndfile_info *about = wadi_sndfile_about(s);
                assert_int_equal(about->bits, stored != 0 ? stored : n);
                assert_int_equal(about->is_float, kinds[k].is_float);
                assert_int_equal(about->is_lossy, kinds[k].is_lossy);
                assert_int_equal(about->frames, 200);
                assert_int_equal(about->channels, 2);
                assert_string_equal(about->format, kinds[k].words);
                wadi_sndfile_close(s);
            }
        unlink(path);
    }
}

/* Rounded to nearest, ties to even; what is beyond full scale is counted, full scale itself is not. */
static void what_is_too_loud_is_counted(void **state) {
    (void)state;
    static const struct {
        double sample;
        int32_t as_8;
        int clips, is_nan;
    } cases[] = {{1, 127, 0, 0},           {-1, -128, 0, 0},       {1.0001, 127, 1, 0},
                 {-1.0001, -128, 1, 0},    {0, 0, 0, 0},           {0.5 / 128, 0, 0, 0},
                 {1.5 / 128, 2, 0, 0},     {-1.5 / 128, -2, 0, 0}, {127.0 / 128, 127, 0, 0},
                 {127.6 / 128, 127, 0, 0}, {40, 127, 1, 0},        {-1e30, -128, 1, 0}};
    enum { N = sizeof cases / sizeof *cases };
    double samples[N + 2];
    char *path = name_of("loud.au");
    for (int i = 0; i < N; i++) samples[i] = cases[i].sample;
    samples[N] = (double)NAN;
    samples[N + 1] = -(double)INFINITY;
    write_doubles(path, SF_FORMAT_AU | SF_FORMAT_DOUBLE, 1, samples, N + 2);
    wadi_sndfile *s = NULL;
    int32_t got[N + 2];
    int64_t n = 0, clipped = 1;
    assert_int_equal(wadi_sndfile_open(path, 8, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_read(s, got, N + 2, &n, NULL), WADI_OK);
    assert_int_equal(n, N + 2);
    for (int i = 0; i < N; i++) {
        if (got[i] != cases[i].as_8) fail_msg("%g is %d", cases[i].sample, got[i]);
        clipped += cases[i].clips;
    }
    assert_int_equal(got[N], 0);
    assert_int_equal(got[N + 1], -128);
    assert_int_equal(wadi_sndfile_about(s)->clipped, clipped);
    assert_int_equal(wadi_sndfile_about(s)->nans, 1);
    wadi_sndfile_close(s);
    const wadi_sndfile_how how = {.real = true};
    double real[N + 2];
    assert_int_equal(wadi_sndfile_open_as(path, &how, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_read_real(s, real, N + 2, &n, NULL), WADI_OK);
    for (int i = 0; i < N; i++) assert_true(real[i] == cases[i].sample);
    wadi_sndfile_close(s);
    unlink(path);
}

/* ---- length ---- */

static void put32(char *at, uint32_t v, bool big) {
    for (int i = 0; i < 4; i++) at[big ? 3 - i : i] = (char)(v >> 8 * i);
}

/* A header of 16-bit mono at 8 kHz whose last 4 bytes are the length of the samples. */
static const char wav[] = "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10"
                          "\0data\0\0\0\0";
static const char aiff[] = "FORM\0\0\0\x2e"
                           "AIFFCOMM\0\0\0\x12\0\1\0\0\0\0\0\x10\x40\x0b\xfa\0\0\0\0\0\0\0SSND\0\0"
                           "\0\0";

enum { BEHIND = 20 };

static const char *promising(bool big, uint32_t promised) {
    static char text[200];
    const size_t n = big ? sizeof aiff - 1 : sizeof wav - 1;
    memset(text, 0, sizeof text);
    memcpy(text, big ? aiff : wav, n);
    put32(text + n - 4, promised, big);
    put32(text + 4, (uint32_t)(n - 8) + promised, big);
    if (big) put32(text + 22, (promised - 8) / 2, big);
    char *path = name_of(big ? "promise.aiff" : "promise.wav");
    assert_int_equal(wadi_file_write(path, text, n + BEHIND, 0644, NULL), WADI_OK);
    return path;
}

/* What a writer to a pipe puts where it cannot know the length is no promise; one byte less is. */
static void a_promise_is_kept_or_told(void **state) {
    (void)state;
    static const struct {
        uint32_t promised;
        bool is_kept;
    } cases[] = {{BEHIND, true},      {BEHIND - 2, true}, {BEHIND + 2, false}, {100000, false},
                 {0x7feffffe, false}, {0x7ff00000, true}, {0x7fffffdb, true},  {0xfffffffe, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int big = 0; big < 2; big++) {
            if (big == 1 && cases[i].promised > INT32_MAX) continue; /* AIFF has no such */
            const char *path = promising(big == 1, cases[i].promised);
            wadi_sndfile *s = NULL;
            wadi_error err = {.status = WADI_OK};
            const wadi_status st = wadi_sndfile_open(path, 0, &s, &err);
            if ((st == WADI_OK) != cases[i].is_kept)
                fail_msg("%s of %u bytes: %s", path, cases[i].promised, err.msg);
            if (st != WADI_OK) {
                char want[60];
                snprintf(want, sizeof want, "the header promises %u bytes of samples",
                         cases[i].promised);
                assert_int_equal(st, WADI_IO);
                assert_non_null(strstr(err.msg, path));
                assert_non_null(strstr(err.msg, want));
            }
            wadi_sndfile_close(s);
            unlink(path);
        }
}

/* Through a pipe: a length that is told is expected, one that could not be known is none. */
static void sound_comes_from_a_pipe(void **state) {
    (void)state;
    static const struct {
        uint32_t promised;
        int64_t frames;
        wadi_status want;
        char channels;
    } cases[] = {{BEHIND, BEHIND / 2, WADI_OK, 1},
                 {BEHIND + 10, BEHIND / 2 + 5, WADI_IO, 1},
                 {0x7ffffffe, -1, WADI_OK, 1},
                 {0x7ffffffc, -1, WADI_OK, 2},
                 {0x7feffffc, 0x7feffffc / 4, WADI_IO, 2},
                 {0xfffffffe, -1, WADI_OK, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[sizeof wav - 1 + BEHIND] = {0};
        int ends[2];
        memcpy(text, wav, sizeof wav - 1);
        text[22] = cases[i].channels;
        text[32] = (char)(2 * cases[i].channels);
        put32(text + sizeof wav - 5, cases[i].promised, false);
        put32(text + 4, cases[i].promised + 36 > 36 ? cases[i].promised + 36 : UINT32_MAX, false);
        for (size_t k = 0; k < BEHIND / 2; k++) text[sizeof wav - 1 + 2 * k] = (char)(k + 1);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], text, sizeof text), sizeof text);
        close(ends[1]);
        const int before = dup(STDIN_FILENO);
        assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
        close(ends[0]);
        wadi_sndfile *s = NULL;
        wadi_error err = {.status = WADI_OK};
        wadi_status st = wadi_sndfile_open("-", 0, &s, &err);
        if (st == WADI_OK) {
            int32_t got[100];
            int64_t n = 0;
            assert_int_equal(wadi_sndfile_about(s)->frames, cases[i].frames);
            st = wadi_sndfile_read(s, got, 100, &n, &err);
            if (st == WADI_OK) assert_int_equal(n * cases[i].channels, BEHIND / 2);
            for (int k = 0; k < BEHIND / 2; k++) assert_int_equal(got[k], k + 1);
            wadi_sndfile_close(s);
        }
        if (before >= 0) {
            assert_true(dup2(before, STDIN_FILENO) >= 0);
            close(before);
        }
        if (st != cases[i].want) fail_msg("case %d: %s", (int)i, err.msg);
    }
}

/* ---- tags ---- */

static void every_tag_has_its_name(void **state) {
    (void)state;
    static const struct {
        int type;
        const char *name, *value, *wanted;
    } tags[] = {{SF_STR_TITLE, "TITLE", "one", "one"},
                {SF_STR_COPYRIGHT, "COPYRIGHT", "two", "two"},
                {SF_STR_ARTIST, "ARTIST", "Bj\xc3\xb6rk", "Bj\xc3\xb6rk"},
                {SF_STR_COMMENT, "COMMENT", "\xe2\x82\xac", "\xe2\x82\xac"},
                {SF_STR_DATE, "DATE", "2001-02-03", "2001-02-03"},
                {SF_STR_ALBUM, "ALBUM", "six", "six"},
                {SF_STR_LICENSE, "LICENSE", "seven", "seven"},
                {SF_STR_TRACKNUMBER, "TRACKNUMBER", "8", "8"},
                {SF_STR_GENRE, "GENRE", "nine", "nine"},
                {SF_STR_SOFTWARE, "ENCODER", "ten", "ten"}};
    enum { TAGS = sizeof tags / sizeof *tags };
    char *path = name_of("tags.flac");
    SF_INFO about = {
        .samplerate = 8000, .channels = 1, .format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    const short samples[4] = {0};
    assert_non_null(f);
    for (int i = 0; i < TAGS; i++)
        assert_int_equal(sf_set_string(f, tags[i].type, tags[i].value), 0);
    assert_int_equal(sf_writef_short(f, samples, 4), 4);
    assert_int_equal(sf_close(f), 0);
    wadi_sndfile *s = NULL;
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_tag_count(s), TAGS);
    for (int i = 0; i < TAGS; i++) {
        int found = 0;
        for (int k = 0; k < TAGS; k++) {
            const char *name = NULL, *value = NULL;
            wadi_sndfile_tag(s, k, &name, &value);
            if (strcmp(name, tags[i].name) != 0) continue;
            found++;
            assert_int_equal(strncmp(value, tags[i].wanted, strlen(tags[i].wanted)), 0);
        }
        if (found != 1) fail_msg("%d times %s", found, tags[i].name);
    }
    wadi_sndfile_close(s);
    unlink(path);
}

/* Every character of Latin-1 beyond ASCII, the first and the last among them. */
static void old_tags_are_latin_1(void **state) {
    (void)state;
    static const char text[] =
        "RIFF\x3e\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
        "LIST\x12\0\0\0INFOINAM\6\0\0\0\x80\xbf\xc0\xffy\0data\0\0\0\0";
    char *path = name_of("latin.wav");
    wadi_sndfile *s = NULL;
    const char *name = NULL, *value = NULL;
    assert_int_equal(wadi_file_write(path, text, sizeof text - 1, 0644, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_open(path, 0, &s, NULL), WADI_OK);
    assert_int_equal(wadi_sndfile_tag_count(s), 1);
    wadi_sndfile_tag(s, 0, &name, &value);
    assert_string_equal(name, "TITLE");
    assert_string_equal(value, "\xc2\x80\xc2\xbf\xc3\x80\xc3\xbfy");
    wadi_sndfile_close(s);
    unlink(path);
}

/* ---- elements ---- */

enum { CHUNK = 64 };

/* The next elements of a source: their lengths in frames, and all values behind each other. */
static int64_t take(wadi_source *s, int64_t k, int64_t *length, double *values, int64_t *out_n) {
    wadi_buffers *pool = NULL;
    wadi_builder b;
    wadi_chunk *c = NULL;
    *out_n = 0;
    assert_int_equal(wadi_buffers_create(NULL, 0, &pool, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, pool, s->parts, s->part, 1 << 24, NULL), WADI_OK);
    assert_int_equal(s->ops->next(s, k, &b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(pool, s->parts, &c, NULL), WADI_OK);
    c->count = b.count;
    wadi_builder_finish(&b, c, 0, b.count);
    wadi_builder_fini(&b);
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array a = wadi_chunk_array(c, 0, i);
        length[i] = a.shape[0];
        for (int64_t v = 0; v < a.shape[0] * a.shape[1]; v++)
            values[(*out_n)++] = a.type[0] == WADI_I32   ? ((const int32_t *)a.column[0])[v]
                                 : a.type[0] == WADI_F32 ? (double)((const float *)a.column[0])[v]
                                                         : ((const double *)a.column[0])[v];
    }
    const int64_t count = c->count;
    wadi_chunk_release(c);
    wadi_buffers_release(pool);
    return count;
}

/* Three files, the second empty: as blocks they run on, an empty one being none; as elements each is one. */
static void files_become_elements(void **state) {
    (void)state;
    enum { LONG = 40000, CHANNELS = 2 };
    static const int64_t frames[3] = {LONG, 0, 5};
    static const wadi_type types[] = {WADI_I32, WADI_F32, WADI_F64};
    static short samples[LONG * CHANNELS];
    static double got[2 * LONG * CHANNELS];
    char path[3][80];
    const char *paths[3];
    for (int i = 0; i < LONG * CHANNELS; i++) samples[i] = (short)(i % 65000 - 32500);
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s%d.wav", name_of("element"), i);
        paths[i] = path[i];
        write_shorts(path[i], CHANNELS, samples, frames[i]);
    }
    for (int t = 0; t < 3; t++)
        for (int whole = 0; whole < 2; whole++) {
            const wadi_sound_options options = {
                .type = types[t], .block = whole ? WADI_SOUND_WHOLE : 16384, .channels = CHANNELS};
            static const int64_t blocks[] = {16384, 16384, 7232, 5}, files[] = {LONG, 0, 5};
            const int64_t *want = whole ? files : blocks;
            wadi_source *s = NULL;
            int64_t length[CHUNK], n = 0;
            assert_int_equal(wadi_source_sound(paths, 3, &options, &s, NULL), WADI_OK);
            assert_int_equal(take(s, CHUNK, length, got, &n), whole ? 3 : 4);
            for (int i = 0; i < (whole ? 3 : 4); i++) assert_int_equal(length[i], want[i]);
            assert_int_equal(n, (LONG + 5) * CHANNELS);
            for (int64_t i = 0; i < n; i++) {
                const double v = samples[i % (LONG * CHANNELS)];
                assert_true(got[i] == (types[t] == WADI_I32 ? v : v / 32768));
            }
            assert_int_equal(take(s, CHUNK, length, got, &n), 0);
            wadi_source_destroy(s);
        }
    wadi_source *s = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_sound_options three = {.channels = 3}, negative = {.channels = -1},
                             block = {.block = WADI_SOUND_WHOLE - 1}, type = {.type = WADI_I16};
    assert_int_equal(wadi_source_sound(paths, 1, &three, &s, &err), WADI_SHAPE);
    assert_non_null(strstr(err.msg, "2 channels, expected 3"));
    assert_int_equal(wadi_source_sound(paths, 1, &negative, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(paths, 1, &block, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_sound(paths, 1, &type, &s, NULL), WADI_INVALID);
    assert_null(s);
    int64_t length[CHUNK], n = 0; /* as many frames as a block has when nobody says */
    assert_int_equal(wadi_source_sound(paths, 1, NULL, &s, NULL), WADI_OK);
    assert_int_equal(take(s, 2, length, got, &n), 2);
    assert_true(length[0] == 4096 && length[1] == 4096);
    wadi_source_destroy(s);
    for (int i = 0; i < 3; i++) unlink(path[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(bits_are_those_stored_or_asked_for),
        cmocka_unit_test(what_is_too_loud_is_counted),
        cmocka_unit_test(a_promise_is_kept_or_told),
        cmocka_unit_test(sound_comes_from_a_pipe),
        cmocka_unit_test(every_tag_has_its_name),
        cmocka_unit_test(old_tags_are_latin_1),
        cmocka_unit_test(files_become_elements),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without libsndfile */
}

#endif
