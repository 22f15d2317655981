/* AIFF, byte by byte: formats, rates, where the samples begin, mistakes in a file, and the chunks that are kept. Also sound of
 * other formats, from a file and from a pipe. */
#include "apps/audio/input.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/audio/foreign.h"
#include "base/error.h"
#include "base/file.h"
#include "base/loadable.h"
#include "tests/open_files.h"

static const char *const path = "aiff_test_made.aiff";

/* A file to be written, wrong where it is told to be. */
typedef struct aiff {
    int channels, bits;
    double rate;
    const char *coding; /* of AIFF-C; NULL: AIFF */
    size_t data;        /* bytes of samples: 1, 2, 3, .. */
    uint32_t offset;    /* of the samples within their chunk */
    uint32_t length;    /* of the chunk, as it says; 0: the true one */
    bool odd_chunk;     /* one ahead of the others */
    bool samples_first; /* ahead of COMM */
    bool no_samples;
} aiff;

static void put(wadi_text *t, uint64_t v, int n) {
    for (int i = n - 1; i >= 0; i--) {
        const char byte = (char)(v >> (8 * i) & 0xff);
        wadi_text_add_n(t, &byte, 1);
    }
}

static void put_extended(wadi_text *t, double v) {
    int exponent = 0;
    const double mantissa = frexp(v, &exponent);
    put(t, v == 0 ? 0 : (uint64_t)(exponent + 16382), 2);
    put(t, (uint64_t)ldexp(mantissa, 64), 8);
}

static void put_comm(wadi_text *t, const aiff *a) {
    wadi_text_add(t, "COMM");
    put(t, a->coding != NULL ? 24 : 18, 4);
    put(t, (uint64_t)a->channels, 2);
    put(t, 0, 4); /* frames: not believed */
    put(t, (uint64_t)a->bits, 2);
    put_extended(t, a->rate);
    if (a->coding != NULL) wadi_text_addf(t, "%s", a->coding);
    if (a->coding != NULL) put(t, 0, 2);
}

static void put_samples(wadi_text *t, const aiff *a) {
    if (a->no_samples) return;
    wadi_text_add(t, "SSND");
    put(t, a->length != 0 ? a->length : a->data + 8 + a->offset, 4);
    put(t, a->offset, 4);
    put(t, 0, 4);
    for (uint32_t i = 0; i < a->offset; i++) put(t, 0xee, 1);
    for (size_t i = 0; i < a->data; i++) put(t, i + 1, 1);
    if ((a->data + a->offset) % 2 == 1) put(t, 0, 1);
}

static wadi_text bytes_of(const aiff *a) {
    wadi_text body = {0}, t = {0};
    wadi_text_add(&body, a->coding != NULL ? "AIFC" : "AIFF");
    if (a->odd_chunk) {
        wadi_text_add(&body, "ANNO");
        put(&body, 3, 4);
        wadi_text_add(&body, "abc");
        put(&body, 0, 1);
    }
    if (a->samples_first) put_samples(&body, a);
    put_comm(&body, a);
    if (!a->samples_first) put_samples(&body, a);
    wadi_text_add(&t, "FORM");
    put(&t, body.n, 4);
    wadi_text_add_n(&t, body.at, body.n);
    wadi_text_fini(&body);
    return t;
}

static void write_aiff(const aiff *a) {
    wadi_text t = bytes_of(a);
    assert_int_equal(wadi_file_write(path, t.at, t.n, 0644, NULL), WADI_OK);
    wadi_text_fini(&t);
}

enum { MOST = 64 };
static int32_t samples[MOST];

/* The frames read; the sound and the status of opening or reading it. */
static int64_t read_it(const char *from, const flac_wish *wish, flac_sound_info *about,
                       wadi_status *st, wadi_error *err) {
    flac_input *in = NULL;
    int64_t n = -1;
    memset(samples, 0x55, sizeof samples);
    *st = flac_input_open(from, wish, &in, err);
    if (*st != WADI_OK) return -1;
    *about = *flac_input_about(in);
    *st = flac_input_read(in, samples, MOST / about->channels, &n, err);
    flac_input_close(in);
    return n;
}

static flac_sound_info reads(const aiff *a, int64_t frames, const int32_t *want) {
    static const flac_wish plain;
    flac_sound_info about = {0};
    wadi_status st;
    wadi_error err = {0};
    write_aiff(a);
    const int64_t n = read_it(path, &plain, &about, &st, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(n, frames);
    for (int64_t i = 0; i < frames * a->channels; i++) assert_int_equal(samples[i], want[i]);
    assert_int_equal(about.channels, a->channels);
    assert_int_equal(about.bits, a->bits);
    assert_int_equal(about.frames, frames);
    assert_int_equal(about.rate, (int)a->rate);
    assert_string_equal(about.format, a->coding != NULL ? "AIFF-C" : "AIFF");
    return about;
}

static void samples_are_read_in_their_order_of_bytes(void **state) {
    (void)state;
    reads(&(aiff){1, 8, 8000, .data = 3}, 3, (int32_t[]){1, 2, 3});
    reads(&(aiff){2, 16, 44100, .data = 8}, 2, (int32_t[]){0x0102, 0x0304, 0x0506, 0x0708});
    reads(&(aiff){1, 24, 96000, .data = 6}, 2, (int32_t[]){0x010203, 0x040506});
    reads(&(aiff){1, 32, 48000, .data = 8}, 2, (int32_t[]){0x01020304, 0x05060708});
    reads(&(aiff){1, 16, 48000, "NONE", .data = 4}, 2, (int32_t[]){0x0102, 0x0304});
    reads(&(aiff){1, 16, 48000, "twos", .data = 4}, 2, (int32_t[]){0x0102, 0x0304});
    reads(&(aiff){1, 16, 48000, "sowt", .data = 4}, 2, (int32_t[]){0x0201, 0x0403});
    reads(&(aiff){1, 24, 48000, "sowt", .data = 3}, 1, (int32_t[]){0x030201});
    reads(&(aiff){2, 16, 48000, .data = 0}, 0, NULL);
}

static void rates_are_numbers_of_80_bits(void **state) {
    (void)state;
    static const double rates[] = {1,     2,     3,      8000,   11025,  22050,  44100,
                                   48000, 88200, 192000, 655350, 705600, 1048575};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        reads(&(aiff){1, 8, rates[i], .data = 1}, 1, (int32_t[]){1});
}

static void samples_begin_where_their_chunk_says(void **state) {
    (void)state;
    for (uint32_t offset = 0; offset < 5; offset++)
        reads(&(aiff){1, 16, 48000, .data = 4, .offset = offset}, 2, (int32_t[]){0x0102, 0x0304});
    reads(&(aiff){1, 16, 48000, .data = 4, .odd_chunk = true}, 2, (int32_t[]){0x0102, 0x0304});
    reads(&(aiff){1, 8, 48000, .data = 3, .offset = 2, .odd_chunk = true}, 3, (int32_t[]){1, 2, 3});
}

static void refuses(const aiff *a, wadi_status want, const char *words) {
    static const flac_wish plain;
    flac_sound_info about;
    wadi_status st;
    wadi_error err = {0};
    write_aiff(a);
    (void)read_it(path, &plain, &about, &st, &err);
    assert_int_equal(st, want);
    if (strstr(err.msg, words) == NULL) fail_msg("no \"%s\" in: %s", words, err.msg);
    assert_non_null(strstr(err.msg, path));
}

static void what_is_wrong_is_told(void **state) {
    (void)state;
    refuses(&(aiff){1, 16, 48000, .data = 4, .length = 40}, WADI_IO, "truncated");
    refuses(&(aiff){1, 16, 48000, .data = 4, .offset = 9, .length = 16}, WADI_IO,
            "chunk of 16 bytes begins at 17");
    refuses(&(aiff){2, 16, 48000, .data = 6}, WADI_IO, "whole number of frames of 4 bytes");
    refuses(&(aiff){1, 16, 48000, .no_samples = true}, WADI_IO, "without samples");
    for (int bits = 1; bits < 4; bits++)
        refuses(&(aiff){1, bits, 48000, .data = 4}, WADI_UNSUPPORTED, "4 to 32");
    const flac_wish rescue = {.iff = {.ignore_sizes = true}};
    flac_sound_info about;
    wadi_status st;
    write_aiff(&(aiff){1, 16, 48000, .data = 4, .length = 40});
    assert_int_equal(read_it(path, &rescue, &about, &st, NULL), 2);
}

/* Of 4 bits the lowest of a byte are not used. */
static void few_bits_stand_at_the_top(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        int bits;
        int32_t want[2];
    } cases[] = {{"\x70\x80", 4, {7, -8}}, {"\xf8\x08", 5, {-1, 1}}, {"\x7f\x80", 8, {127, -128}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const flac_wish plain;
        flac_sound_info about;
        wadi_status st;
        wadi_error err = {0};
        wadi_text t = bytes_of(&(aiff){1, cases[i].bits, 48000, .data = 2});
        memcpy(t.at + t.n - 2, cases[i].bytes, 2);
        assert_int_equal(wadi_file_write(path, t.at, t.n, 0644, NULL), WADI_OK);
        wadi_text_fini(&t);
        if (read_it(path, &plain, &about, &st, &err) != 2) fail_msg("%s", err.msg);
        assert_memory_equal(samples, cases[i].want, sizeof cases[i].want);
        assert_int_equal(about.bits, cases[i].bits);
    }
    refuses(&(aiff){1, 4, 48000, .data = 2}, WADI_IO, "frame 0 uses more than the 4 bits");
}

/* Pieced together they are the file without its samples. */
static void kept_chunks_are_all_but_the_samples(void **state) {
    (void)state;
    static const aiff files[] = {
        {1, 16, 48000, .data = 4, .odd_chunk = true},
        {1, 8, 48000, .data = 3, .offset = 5},
        {2, 16, 48000, "sowt", .data = 8, .offset = 1, .odd_chunk = true},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        wadi_text want = bytes_of(&files[i]), got = {0};
        flac_blocks blocks = {0};
        const size_t pad = (files[i].data + files[i].offset) % 2;
        write_aiff(&files[i]);
        assert_int_equal(flac_foreign_keep(path, &blocks, NULL), WADI_OK);
        assert_int_equal(blocks.list.n, files[i].odd_chunk ? 4 : 3);
        for (size_t k = 0; k < blocks.list.n; k++) {
            const flac_block *b = &blocks.list.at[k];
            assert_int_equal(b->type, FLAC_BLOCK_APPLICATION);
            assert_memory_equal(b->body.at, "aiff", 4);
            wadi_text_add_n(&got, b->body.at + 4, b->body.n - 4);
        }
        assert_int_equal(got.n, want.n - files[i].data - pad);
        assert_memory_equal(got.at, want.at, got.n);
        flac_blocks_fini(&blocks);
        wadi_text_fini(&got);
        for (size_t cut = 1; cut < want.n - files[i].data - pad; cut++) { /* no crash, no loop */
            assert_int_equal(wadi_file_write(path, want.at, cut, 0644, NULL), WADI_OK);
            if (flac_foreign_keep(path, &blocks, NULL) == WADI_OK)
                assert_true(cut == 12 || cut == 24 || cut == 38 || cut == 50 || cut == 44 ||
                            cut == 56);
            flac_blocks_fini(&blocks);
            blocks = (flac_blocks){0};
        }
        wadi_text_fini(&want);
    }
}

/* ---- sound of another kind ---- */

static bool has_library(void) {
    const wadi_loadable *m = NULL;
    return wadi_loadable_open("sndfile", &m, NULL) == WADI_OK;
}

/* Sun's: 3 frames of 2 channels of 16 bits. */
static wadi_text sun(void) {
    static const int16_t values[] = {1, -2, 300, -400, 32767, -32768};
    wadi_text t = {0};
    wadi_text_add(&t, ".snd");
    put(&t, 24, 4);
    put(&t, sizeof values, 4);
    put(&t, 3, 4);
    put(&t, 22050, 4);
    put(&t, 2, 4);
    for (int i = 0; i < 6; i++) put(&t, (uint16_t)values[i], 2);
    return t;
}

static void is_sun(int64_t n, const flac_sound_info *about, const wadi_error *err) {
    static const int32_t want[] = {1, -2, 300, -400, 32767, -32768};
    if (n != 3) fail_msg("%lld frames: %s", (long long)n, err->msg);
    assert_memory_equal(samples, want, sizeof want);
    assert_true(about->rate == 22050 && about->channels == 2 && about->bits == 16);
    assert_false(about->is_flac);
}

static void other_kinds_are_read_from_files_and_pipes(void **state) {
    (void)state;
    static const flac_wish plain;
    flac_sound_info about = {0};
    wadi_status st;
    wadi_error err = {0};
    int ends[2];
    if (!has_library()) skip();
    wadi_text t = sun();
    assert_int_equal(wadi_file_write(path, t.at, t.n, 0644, NULL), WADI_OK);
    is_sun(read_it(path, &plain, &about, &st, &err), &about, &err);
    assert_int_equal(about.frames, 3);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], t.at, t.n), t.n);
    assert_int_equal(close(ends[1]), 0);
    const int before = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(ends[0]), 0);
    const int64_t n = read_it("-", &plain, &about, &st, &err);
    assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(before), 0);
    is_sun(n, &about, &err);
    t.at[15] = 6; /* as real numbers of 4 bytes */
    assert_int_equal(wadi_file_write(path, t.at, t.n, 0644, NULL), WADI_OK);
    (void)read_it(path, &plain, &about, &st, &err);
    assert_int_equal(st, WADI_UNSUPPORTED);
    wadi_text_fini(&t);
    assert_int_equal(wadi_file_write(path, "no sound at all, but words", 26, 0644, NULL), WADI_OK);
    (void)read_it(path, &plain, &about, &st, &err);
    assert_int_equal(st, WADI_INVALID);
    assert_non_null(strstr(err.msg, path));
}

static int remove_made(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(samples_are_read_in_their_order_of_bytes),
        cmocka_unit_test(rates_are_numbers_of_80_bits),
        cmocka_unit_test(samples_begin_where_their_chunk_says),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(few_bits_stand_at_the_top),
        cmocka_unit_test(kept_chunks_are_all_but_the_samples),
        cmocka_unit_test(other_kinds_are_read_from_files_and_pipes),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, remove_made);
}
