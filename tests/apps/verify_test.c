/* --verify accepts a file only if it decodes to the input; the decoder returns every frame. */
#include "apps/audio/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/audio/libflac.h"
#include "apps/audio/md5_tap.h"
#include "apps/audio/metadata.h"
#include "base/error.h"
#include "tests/open_files.h"

enum { CHANNELS = 2, N = 16, FRAMES = 2 };

static const flac_format format = {44100, CHANNELS, 16, N};

static flac_bits frame[FRAMES];
static uint8_t md5[16];

/* Samples as they are, without any prediction. */
static int make_frames(void **state) {
    (void)state;
    const int32_t head[FLAC_HEAD_SIZE] = {FLAC_INDEPENDENT};
    const int32_t sub[CHANNELS][FLAC_SUB_SIZE] = {{FLAC_VERBATIM, 0, 0, 16},
                                                  {FLAC_VERBATIM, 0, 0, 16}};
    flac_md5_tap tap;
    flac_md5_tap_init(&tap, CHANNELS, 16);
    for (int k = 0; k < FRAMES; k++) {
        int32_t rows[CHANNELS * N], mixed[CHANNELS * N];
        for (int i = 0; i < CHANNELS * N; i++) {
            rows[i] = (i * 7919 + k * 104729) % 65536 - 32768;
            mixed[i % N * CHANNELS + i / N] = rows[i];
        }
        const flac_frame f = {CHANNELS, N, head, sub[0], NULL, 0, rows, NULL};
        if (flac_pack_frame(&f, &format, k, 0, &frame[k], NULL) != WADI_OK) return -1;
        flac_md5_tap_hear(&tap, mixed, N);
    }
    flac_md5_tap_final(&tap, md5);
    return 0;
}

static int free_frames(void **state) {
    (void)state;
    for (int k = 0; k < FRAMES; k++) flac_bits_fini(&frame[k]);
    return 0;
}

static flac_verifier *verifier(void) {
    flac_verifier *v = NULL;
    const wadi_status st = flac_verifier_create("x.flac", &format, &v, NULL);
    if (st == WADI_UNSUPPORTED) skip();
    assert_int_equal(st, WADI_OK);
    return v;
}

/* Status of all frames, of which number `other` is these bytes. */
static wadi_status heard(int other, const uint8_t *bytes, size_t n, int64_t samples,
                         const uint8_t *digest) {
    flac_verifier *v = verifier();
    wadi_error err = {.status = WADI_OK};
    wadi_status st = WADI_OK;
    for (int k = 0; k < FRAMES && st == WADI_OK; k++) {
        st = k == other ? flac_verifier_hear(v, bytes, n, samples, &err)
                        : flac_verifier_hear(v, frame[k].at, frame[k].n, N, &err);
    }
    if (st == WADI_OK) st = flac_verifier_end(v, digest, &err);
    if (st != WADI_OK) assert_non_null(strstr(err.msg, "x.flac: verification failed"));
    flac_verifier_destroy(v);
    return st;
}

static void what_went_in_comes_out(void **state) {
    (void)state;
    assert_int_equal(heard(-1, NULL, 0, 0, md5), WADI_OK);
    for (int k = 0; k < FRAMES; k++)
        assert_int_equal(heard(k, frame[k].at, frame[k].n, N, md5), WADI_OK);
}

static void every_byte_of_the_digest_counts(void **state) {
    (void)state;
    for (int i = 0; i < 16; i++) {
        uint8_t other[16];
        memcpy(other, md5, sizeof other);
        other[i] ^= 1;
        assert_int_equal(heard(-1, NULL, 0, 0, other), WADI_INTERNAL);
    }
}

static void every_byte_of_a_frame_counts(void **state) {
    (void)state;
    for (int k = 0; k < FRAMES; k++) {
        uint8_t *other = malloc(frame[k].n);
        assert_non_null(other);
        for (size_t i = 0; i < frame[k].n; i++) {
            memcpy(other, frame[k].at, frame[k].n);
            other[i] ^= (uint8_t)(1 << i % 8);
            assert_int_equal(heard(k, other, frame[k].n, N, md5), WADI_INTERNAL);
        }
        memcpy(other, frame[k].at, frame[k].n);
        assert_int_equal(heard(k, other, frame[k].n - 1, N, md5), WADI_INTERNAL);
        assert_int_equal(heard(k, other, frame[k].n, N - 1, md5), WADI_INTERNAL);
        free(other);
    }
}

static void frames_in_another_order_are_noticed(void **state) {
    (void)state;
    assert_int_equal(heard(1, frame[0].at, frame[0].n, N, md5), WADI_INTERNAL);
}

/* ---- the decoder ---- */

typedef struct feed {
    uint8_t bytes[512];
    size_t n, at, piece;
} feed;

static wadi_status give(void *env, uint8_t *to, size_t n, size_t *out_n, wadi_error *err) {
    feed *f = env;
    const size_t left = f->n - f->at, most = n < f->piece ? n : f->piece;
    (void)err;
    *out_n = left < most ? left : most;
    memcpy(to, f->bytes + f->at, *out_n);
    f->at += *out_n;
    return WADI_OK;
}

static feed both_frames(size_t piece) {
    feed f = {.piece = piece};
    for (int k = 0; k < FRAMES; k++) {
        assert_true(f.n + frame[k].n < sizeof f.bytes - 32);
        memcpy(f.bytes + f.n, frame[k].at, frame[k].n);
        f.n += frame[k].n;
    }
    return f;
}

/* How many samples come, each the right one; and the status behind them. */
static int64_t decoded(feed *f, const flac_format *says, int64_t total, wadi_status *st,
                       wadi_error *err) {
    const flac_streaminfo info = {*says, 0, 0, total, {0}};
    const int32_t *got = NULL;
    flac_decoder *d = NULL;
    flac_bits w = {0};
    int64_t done = 0, n = 0;
    flac_put_streaminfo(&w, &info, true);
    *st = flac_decoder_create("x.flac", w.at + FLAC_BLOCK_HEADER_BYTES, give, f, &d, err);
    flac_bits_fini(&w);
    if (*st == WADI_UNSUPPORTED) skip();
    assert_int_equal(*st, WADI_OK);
    while ((*st = flac_decoder_next(d, &got, &n, err)) == WADI_OK && n > 0) {
        assert_int_equal(n, N);
        for (int64_t i = 0; i < n * CHANNELS; i++) {
            const int64_t row = i % CHANNELS * N + i / CHANNELS;
            assert_int_equal(got[i], (row * 7919 + done / N * 104729) % 65536 - 32768);
        }
        done += n;
    }
    flac_decoder_destroy(d);
    return done;
}

static void the_total_that_is_promised_is_not_believed(void **state) {
    (void)state;
    static const int64_t totals[] = {
        0, 1, N - 1, N, N + 1, 2 * N, 255, 1 << 20, (INT64_C(1) << 36) - 1};
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        wadi_status st;
        wadi_error err = {0};
        feed f = both_frames(1 + 40 * i);
        assert_int_equal(decoded(&f, &format, totals[i], &st, &err), FRAMES * N);
        if (st != WADI_OK) fail_msg("%s", err.msg);
    }
}

static void what_stands_behind_the_last_frame_is_no_frame(void **state) {
    (void)state;
    wadi_status st;
    wadi_error err = {0};
    feed f = both_frames(64);
    memcpy(f.bytes + f.n, "TAG and more", 12);
    f.n += 12;
    feed again = f;
    assert_int_equal(decoded(&f, &format, FRAMES * N, &st, &err), FRAMES * N);
    assert_int_equal(st, WADI_OK); /* all that was promised has come */
    assert_int_equal(decoded(&again, &format, 0, &st, &err), FRAMES * N);
    assert_int_equal(st, WADI_IO);
    assert_non_null(strstr(err.msg, "behind sample 32"));
}

static void a_frame_that_is_cut_off_is_told(void **state) {
    (void)state;
    for (size_t cut = 1; cut < frame[1].n; cut++) {
        wadi_status st;
        wadi_error err = {0};
        feed f = both_frames(1000);
        f.n -= cut;
        assert_int_equal(decoded(&f, &format, FRAMES * N, &st, &err), N);
        assert_int_equal(st, WADI_IO);
        assert_non_null(strstr(err.msg, "sample 16"));
    }
    wadi_status st;
    feed f = both_frames(1000);
    f.n = 0;
    assert_int_equal(decoded(&f, &format, 0, &st, NULL), 0);
    assert_int_equal(st, WADI_OK);
}

static void another_format_than_promised_is_refused(void **state) {
    (void)state;
    static const flac_format others[] = {
        {44100, 1, 16, N}, {44100, CHANNELS, 24, N}, {48000, CHANNELS, 16, N}};
    for (size_t i = 0; i < 3; i++) {
        wadi_status st;
        wadi_error err = {0};
        feed f = both_frames(1000);
        assert_int_equal(decoded(&f, &others[i], 0, &st, &err), 0);
        assert_int_equal(st, WADI_UNSUPPORTED);
        assert_non_null(strstr(err.msg, "format changes at sample 0: 2 channels of 16 bits"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(what_went_in_comes_out),
        cmocka_unit_test(every_byte_of_the_digest_counts),
        cmocka_unit_test(every_byte_of_a_frame_counts),
        cmocka_unit_test(frames_in_another_order_are_noticed),
        cmocka_unit_test(the_total_that_is_promised_is_not_believed),
        cmocka_unit_test(what_stands_behind_the_last_frame_is_no_frame),
        cmocka_unit_test(a_frame_that_is_cut_off_is_told),
        cmocka_unit_test(another_format_than_promised_is_refused),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, make_frames, free_frames);
}
