/* --verify lets through what decodes to what went in, and nothing else. */
#include "apps/audio/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/audio/md5_tap.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(what_went_in_comes_out),
        cmocka_unit_test(every_byte_of_the_digest_counts),
        cmocka_unit_test(every_byte_of_a_frame_counts),
        cmocka_unit_test(frames_in_another_order_are_noticed),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, make_frames, free_frames);
}
