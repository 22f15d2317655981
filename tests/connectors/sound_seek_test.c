/* Sound that is read from a position on has the same samples as sound that is read from the beginning, in every format. A file that
 * cannot be read from the middle is refused with a message, and so is a wrong position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_SNDFILE
#include <sndfile.h>

#include "base/file.h"
#include "base/text.h"
#include "connectors/sndfile.h"
#include "sched/builder.h"
#include "sched/stream.h"

enum { BLOCK = 640, LONG = 9 * BLOCK + 17, SHORT = 2 * BLOCK, MOST = 16 };

static char folder[] = "/tmp/wadi-sound-seek-XXXXXX";
static char name[3][96]; /* of the files; the middle one has no frames */
static wadi_buffers *buffers;

static void write_file(const char *path, int format, int rate, sf_count_t frames) {
    SF_INFO about = {.samplerate = rate, .channels = 1, .format = format};
    SNDFILE *f = sf_open(path, SFM_WRITE, &about);
    if (f == NULL) fail_msg("%s", sf_strerror(NULL));
    uint32_t chance = 7;
    for (sf_count_t i = 0; i < frames; i++) {
        chance = chance * 1664525u + 1013904223u;
        const double sample = ((chance >> 8) % 2001 - 1000.0) / 1500 * (double)(i % 300) / 300;
        assert_int_equal(sf_writef_double(f, &sample, 1), 1);
    }
    assert_int_equal(sf_close(f), 0);
}

static void write_files(int format, int rate, bool with_empty) {
    for (int i = 0; i < 3; i++) (void)snprintf(name[i], sizeof name[i], "%s/%d", folder, i);
    write_file(name[0], format, rate, LONG);
    write_file(name[1], format, rate, with_empty ? 0 : BLOCK + 1);
    write_file(name[2], format, rate, SHORT);
}

static wadi_source *open_files(const wadi_sound_options *o) {
    const char *const paths[] = {name[0], name[1], name[2]};
    wadi_source *s = NULL;
    wadi_error err = {0};
    if (wadi_source_sound(paths, 3, o, &s, &err) != WADI_OK) fail_msg("%s", err.msg);
    return s;
}

/* The next element, in memory of the caller's; false: there is none. */
static bool read_one(wadi_source *s, int64_t *out_bytes, char **out) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_builder_init(&b, buffers, 1, s->part, INT64_MAX, NULL), WADI_OK);
    if (s->ops->next(s, 1, &b, &err) != WADI_OK) fail_msg("%s", err.msg);
    const bool found = b.count == 1;
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = b.count;
    wadi_builder_finish(&b, c, 0, b.count);
    wadi_builder_fini(&b);
    if (found) {
        const wadi_array a = wadi_chunk_array(c, 0, 0);
        *out_bytes = wadi_shape_values(a.rank, a.shape) * wadi_type_size(a.type[0]);
        *out = malloc((size_t)*out_bytes + 1);
        if (*out_bytes > 0) memcpy(*out, a.column[0], (size_t)*out_bytes);
    }
    wadi_chunk_release(c);
    return found;
}

/* Whether what comes is element i and those behind it of the n there are. */
static void assert_rest(wadi_source *s, int i, int n, char *const *element, const int64_t *bytes) {
    char *got = NULL;
    int64_t size = 0;
    for (; i < n; i++) {
        assert_true(read_one(s, &size, &got));
        assert_int_equal(size, bytes[i]);
        assert_memory_equal(got, element[i], (size_t)size);
        free(got);
    }
    assert_false(read_one(s, &size, &got));
}

/* What `s` tells leads `again` to the same elements. Both are read from their beginning. */
static void assert_goes_on(wadi_source *s, wadi_source *(*again)(const wadi_sound_options *o),
                           const wadi_sound_options *o) {
    static const wadi_position no[] = {{-1, 0},    {0, -1}, {1, 1},
                                       {2, BLOCK}, {1, 0},  {99, BLOCK * 99}};
    char *element[MOST];
    int64_t bytes[MOST];
    wadi_position at[MOST + 1], now;
    int n = 0;
    assert_int_equal(wadi_source_tell(s, &at[0], NULL), WADI_OK);
    for (; read_one(s, &bytes[n], &element[n]); n++) {
        assert_true(n < MOST - 1);
        assert_int_equal(wadi_source_tell(s, &at[n + 1], NULL), WADI_OK);
        assert_int_equal(at[n + 1].element, n + 1);
    }
    for (int i = n; i >= 0; i--) { /* backwards in one, from the beginning in others */
        assert_int_equal(wadi_source_seek(s, at[i], NULL), WADI_OK);
        assert_rest(s, i, n, element, bytes);
        wadi_source *other = again(o);
        wadi_error err = {0};
        if (wadi_source_seek(other, at[i], &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(wadi_source_tell(other, &now, NULL), WADI_OK);
        assert_int_equal(now.element, at[i].element);
        assert_int_equal(now.mark, at[i].mark);
        assert_rest(other, i, n, element, bytes);
        wadi_source_destroy(other);
    }
    assert_int_equal(wadi_source_seek(s, at[1], NULL), WADI_OK);
    for (size_t i = 0; o != NULL && o->block > 0 && i < sizeof no / sizeof no[0]; i++) {
        wadi_error err = {0};
        assert_int_equal(wadi_source_seek(s, no[i], &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "sound source: no position ("));
    }
    assert_rest(s, 1, n, element, bytes); /* those have changed nothing */
    for (int i = 0; i < n; i++) free(element[i]);
}

/* ---- formats: stored as they are, and by coders that remember what was before ---- */

static const struct {
    int format, rate, bits; /* 0: integers */
} formats[] = {
    {SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 0},     {SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 8000, 0},
    {SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 8000, 0},    {SF_FORMAT_CAF | SF_FORMAT_ALAC_16, 44100, 0},
    {SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 16},     {SF_FORMAT_AU | SF_FORMAT_ULAW, 8000, 16},
    {SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 8000, 16}, {SF_FORMAT_WAV | SF_FORMAT_GSM610, 8000, 16},
    {SF_FORMAT_AU | SF_FORMAT_G721_32, 8000, 16},    {SF_FORMAT_OGG | SF_FORMAT_VORBIS, 8000, 16},
    {SF_FORMAT_OGG | SF_FORMAT_OPUS, 48000, 16},
};

static void every_format_goes_on_from_every_block(void **state) {
    (void)state;
    int tried = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        SF_INFO about = {.samplerate = formats[k].rate, .channels = 1, .format = formats[k].format};
        if (!sf_format_check(&about)) continue; /* libsndfile without that coder */
        tried++;
        write_files(formats[k].format, formats[k].rate, k == 0);
        for (int real = 0; real < 2; real++) {
            const wadi_sound_options o = {.type = real ? WADI_F64 : WADI_I32,
                                          .bits = real ? 0 : formats[k].bits,
                                          .block = BLOCK};
            wadi_source *s = open_files(&o);
            assert_goes_on(s, open_files, &o);
            wadi_source_destroy(s);
        }
    }
    assert_true(tried >= 6);
}

static void whole_files_are_elements_of_their_own(void **state) {
    (void)state;
    write_files(SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, true);
    const wadi_sound_options o = {.type = WADI_F32, .block = WADI_SOUND_WHOLE};
    wadi_source *s = open_files(&o);
    assert_goes_on(s, open_files, &o);
    assert_int_equal(wadi_source_seek(s, (wadi_position){4, 0}, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_seek(s, (wadi_position){1, 1}, NULL), WADI_INVALID);
    wadi_source_destroy(s);
}

/* ---- what has no such position ---- */

static void a_file_that_has_changed_is_refused(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_position at;
    int64_t bytes = 0;
    char *element = NULL;
    const wadi_sound_options o = {.type = WADI_I32, .block = BLOCK};
    write_files(SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, true);
    wadi_source *s = open_files(&o);
    for (int i = 0; i < 11; i++) {
        assert_true(read_one(s, &bytes, &element));
        free(element);
    }
    assert_int_equal(wadi_source_tell(s, &at, NULL), WADI_OK);
    wadi_source_destroy(s);
    write_file(name[0], SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, LONG - 1);
    s = open_files(&o);
    assert_int_equal(wadi_source_seek(s, at, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "it is not where a block of 640 frames begins"));
    wadi_source_destroy(s);
    s = open_files(&o);
    assert_int_equal(unlink(name[0]), 0);
    assert_int_equal(wadi_source_seek(s, at, &err), WADI_IO);
    assert_non_null(strstr(err.msg, name[0]));
    wadi_source_destroy(s);
}

static void a_pipe_says_that_it_cannot(void **state) {
    (void)state;
    char pipe_name[96], *text = NULL;
    size_t n = 0;
    write_files(SF_FORMAT_AU | SF_FORMAT_PCM_16, 8000, true);
    (void)snprintf(pipe_name, sizeof pipe_name, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    assert_int_equal(wadi_file_read(name[0], &text, &n, NULL), WADI_OK);
    for (int whole = 0; whole < 2; whole++) {
        const pid_t writer = fork();
        if (writer == 0) {
            FILE *f = fopen(pipe_name, "w");
            const bool sent = f != NULL && fwrite(text, 1, n, f) == n && fclose(f) == 0;
            _exit(sent ? 0 : 1);
        }
        const wadi_sound_options o = {.block = whole ? WADI_SOUND_WHOLE : BLOCK};
        const char *const path = pipe_name;
        wadi_source *s = NULL;
        wadi_error err = {0};
        int64_t bytes = 0;
        char *element = NULL;
        assert_int_equal(wadi_source_sound(&path, 1, &o, &s, &err), WADI_OK);
        assert_int_equal(wadi_source_seek(s, (wadi_position){0}, &err), WADI_UNSUPPORTED);
        assert_non_null(strstr(err.msg, "is no file that can be read from the middle"));
        while (read_one(s, &bytes, &element)) free(element);
        wadi_source_destroy(s);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
    }
    free(text);
    (void)unlink(pipe_name);
}

/* Whether a stream with other options has the same description. */
static bool is_described_alike(const wadi_sound_options *a, const wadi_sound_options *b) {
    wadi_text text[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        wadi_source *s = open_files(i == 0 ? a : b);
        assert_int_equal(s->ops->describe(s, &text[i], NULL), WADI_OK);
        wadi_source_destroy(s);
    }
    const bool alike = strcmp(wadi_text_str(&text[0]), wadi_text_str(&text[1])) == 0;
    wadi_text_fini(&text[0]);
    wadi_text_fini(&text[1]);
    return alike;
}

static void other_options_are_other_data(void **state) {
    (void)state;
    const wadi_sound_options coarse = {.block = BLOCK, .bits = 16},
                             fine = {.block = BLOCK, .bits = 24},
                             longer = {.block = 2 * BLOCK, .bits = 24};
    write_files(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, false);
    assert_true(is_described_alike(&fine, &fine));
    assert_false(is_described_alike(&coarse, &fine));
    assert_false(is_described_alike(&fine, &longer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_options_are_other_data),
        cmocka_unit_test(every_format_goes_on_from_every_block),
        cmocka_unit_test(whole_files_are_elements_of_their_own),
        cmocka_unit_test(a_file_that_has_changed_is_refused),
        cmocka_unit_test(a_pipe_says_that_it_cannot),
    };
    if (mkdtemp(folder) == NULL) return 1;
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) return 1;
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    wadi_buffers_release(buffers);
    for (int i = 0; i < 3; i++) (void)unlink(name[i]);
    (void)rmdir(folder);
    return rc;
}

#else

int main(void) {
    return 77; /* skipped */
}

#endif
