/* Frames come out as RFC 9639 prints them in appendix D, and broken descriptions are refused. */
#include "apps/audio/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/audio/crc.h"

typedef int32_t sub_row[FLAC_SUB_SIZE];

static const flac_format cd = {44100, 2, 16, 16};

static void assert_packs_to(const flac_frame *f, const flac_format *format, int64_t index,
                            const uint8_t *want, size_t n) {
    flac_bits w = {0};
    wadi_error err = {0};
    assert_int_equal(flac_pack_frame(f, format, index, 0, &w, &err), WADI_OK);
    assert_int_equal(w.n, n);
    assert_memory_equal(w.at, want, n);
    flac_bits_fini(&w);
}

static void example_1_verbatim_with_wasted_bits(void **state) {
    (void)state;
    const int32_t head[FLAC_HEAD_SIZE] = {FLAC_INDEPENDENT};
    const sub_row sub[2] = {{FLAC_VERBATIM, 0, 2, 14}, {FLAC_VERBATIM, 0, 4, 12}};
    const int32_t samples[2] = {6397, 651};
    const flac_frame f = {2, 1, head, sub[0], NULL, 0, samples, NULL};
    const uint8_t want[] = {0xff, 0xf8, 0x69, 0x18, 0x00, 0x00, 0xbf, 0x03,
                            0x58, 0xfd, 0x03, 0x12, 0x8b, 0xaa, 0x9a};
    assert_packs_to(&f, &cd, 0, want, sizeof want);
}

static const int32_t side_right[FLAC_HEAD_SIZE] = {FLAC_SIDE_RIGHT};
static const sub_row fixed_1[2] = {{FLAC_FIXED, 1, 0, 17}, {FLAC_FIXED, 1, 0, 16}};
static const int32_t fixed_rice[2] = {11, 12};
static const int32_t fixed_resid[32] = {4302, 3194, -1297, 1228,   -943,  952,  -696, 768,
                                        -524, 599,  -401,  -13172, -316,  274,  -267, 134,
                                        6070, 4475, -1802, 1706,   -1306, 1320, -961, 1067,
                                        -729, 840,  -567,  -18541, -467,  419,  -420, 243};
static const uint8_t fixed_bytes[] = {
    0xff, 0xf8, 0x69, 0x98, 0x00, 0x0f, 0x99, 0x12, 0x08, 0x67, 0x01, 0x62, 0x3d, 0x14,
    0x42, 0x99, 0x8f, 0x5d, 0xf7, 0x0d, 0x6f, 0xe0, 0x0c, 0x17, 0xca, 0xeb, 0x21, 0x00,
    0x0e, 0xe7, 0xa7, 0x7a, 0x24, 0xa1, 0x59, 0x0c, 0x12, 0x17, 0xb6, 0x03, 0x09, 0x7b,
    0x78, 0x4f, 0xaa, 0x9a, 0x33, 0xd2, 0x85, 0xe0, 0x70, 0xad, 0x5b, 0x1b, 0x48, 0x51,
    0xb4, 0x01, 0x0d, 0x99, 0xd2, 0xcd, 0x1a, 0x68, 0xf1, 0xe6, 0xb8, 0x10};

static void example_2_fixed_prediction_of_side_and_right(void **state) {
    (void)state;
    const flac_frame f = {2, 16, side_right, fixed_1[0], fixed_rice, 2, fixed_resid, NULL};
    assert_packs_to(&f, &cd, 0, fixed_bytes, sizeof fixed_bytes);
}

static void columns_of_64_bits_give_the_same_bytes(void **state) {
    (void)state;
    int64_t wide[32];
    for (int i = 0; i < 32; i++) wide[i] = fixed_resid[i];
    const flac_frame f = {2, 16, side_right, fixed_1[0], fixed_rice, 2, NULL, wide};
    assert_packs_to(&f, &cd, 0, fixed_bytes, sizeof fixed_bytes);
}

static void example_2_second_frame(void **state) {
    (void)state;
    const int32_t head[FLAC_HEAD_SIZE] = {FLAC_INDEPENDENT};
    const sub_row sub[2] = {{FLAC_VERBATIM, 0, 0, 16}, {FLAC_VERBATIM, 0, 1, 15}};
    const int32_t samples[6] = {-15486, -15349, -16054, -4536, -4479, -4705};
    const flac_frame f = {2, 3, head, sub[0], NULL, 0, samples, NULL};
    const uint8_t want[] = {0xff, 0xf8, 0x69, 0x18, 0x01, 0x02, 0xa4, 0x02, 0xc3, 0x82, 0xc4, 0x0b,
                            0xc1, 0x4a, 0x03, 0xee, 0x48, 0xdd, 0x03, 0xb6, 0x7c, 0x13, 0x30};
    assert_packs_to(&f, &cd, 1, want, sizeof want);
}

/* A frame of silence shows the header alone: block, rate and number. */
static void header_of(const flac_format *format, int64_t n, int64_t index, int64_t first,
                      const char *hex) {
    const int bits = format->bits;
    const int32_t head[FLAC_HEAD_SIZE] = {0};
    const sub_row sub[1] = {{FLAC_CONSTANT, 0, 0, bits}};
    int32_t *zeros = calloc((size_t)n, sizeof *zeros);
    assert_non_null(zeros);
    const flac_frame f = {1, n, head, sub[0], NULL, 0, zeros, NULL};
    flac_bits w = {0};
    assert_int_equal(flac_pack_frame(&f, format, index, first, &w, NULL), WADI_OK);
    char got[64] = "";
    const size_t header = strlen(hex) / 2;
    for (size_t i = 0; i < header; i++) {
        const char digits[] = "0123456789abcdef";
        got[2 * i] = digits[w.at[i] >> 4];
        got[2 * i + 1] = digits[w.at[i] & 15];
    }
    assert_string_equal(got, hex);
    assert_int_equal(w.at[header], flac_crc8(0, w.at, header));
    flac_bits_fini(&w);
    free(zeros);
}

static void header_is(int rate, int bits, int64_t n, int64_t index, const char *hex) {
    const flac_format format = {rate, 1, bits, 4096, 0};
    header_of(&format, n, index, 0, hex);
}

static void headers_name_the_first_sample_where_blocks_vary(void **state) {
    (void)state;
    const flac_format varying = {44100, 1, 16, 4096, 1024};
    header_of(&varying, 4096, 1, 0x10000, "fff9c908f0908080");
    header_of(&varying, 1024, 2, 0xfffffffff, "fff9a908febfbfbfbfbfbf");
}

static void headers_name_blocks_rates_and_numbers(void **state) {
    (void)state;
    header_is(44100, 16, 4096, 0, "fff8c90800");
    header_is(48000, 24, 192, 0x7f, "fff81a0c7f");
    header_is(96000, 8, 3072, 0x80, "fff87b02c2800bff");
    header_is(1, 16, 5, 0x7ff, "fff86d08dfbf040001");
    header_is(11000, 20, 256, 0x800, "fff88c0ae0a0800b");
    header_is(655350, 12, 1152, 0x10000, "fff83e04f0908080ffff");
    header_is(35467, 32, 4608, 0x7fffffff, "fff85d0efdbfbfbfbfbf8a8b");
    header_is(134561, 17, 257, 1, "fff87000010100");
}

static void assert_refused(int channels, int64_t n, const int32_t *head, const int32_t *sub,
                           const int32_t *rice, int64_t rice_n, const int32_t *resid) {
    const flac_frame f = {channels, n, head, sub, rice, rice_n, resid, NULL};
    flac_bits w = {0};
    wadi_error err = {0};
    assert_int_equal(flac_pack_frame(&f, &cd, 0, 0, &w, &err), WADI_INTERNAL);
    assert_true(strlen(err.msg) > 0);
    flac_bits_fini(&w);
}

static void broken_descriptions_are_refused(void **state) {
    (void)state;
    sub_row sub[2];
    int32_t head[FLAC_HEAD_SIZE] = {FLAC_SIDE_RIGHT};
    const int changes[][2] = {{FLAC_SUB_KIND, 4},
                              {FLAC_SUB_KIND, -1},
                              {FLAC_SUB_ORDER, 5},
                              {FLAC_SUB_ORDER, -1},
                              {FLAC_SUB_WASTED, 1},
                              {FLAC_SUB_BITS, 16},
                              {FLAC_SUB_PARTITION_ORDER, 5},
                              {FLAC_SUB_RICE_METHOD, 2}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        memcpy(sub, fixed_1, sizeof sub);
        sub[0][changes[i][0]] = changes[i][1];
        assert_refused(2, 16, head, sub[0], fixed_rice, 2, fixed_resid);
    }
    const int32_t escape[2] = {15, 12};
    assert_refused(2, 16, head, fixed_1[0], escape, 2, fixed_resid);
    assert_refused(2, 16, head, fixed_1[0], fixed_rice, 1, fixed_resid);
    assert_refused(1, 16, head, fixed_1[0], fixed_rice, 2, fixed_resid);
    assert_refused(2, 0, head, fixed_1[0], fixed_rice, 2, fixed_resid);
    int32_t loud[32];
    memcpy(loud, fixed_resid, sizeof loud);
    loud[0] = 1 << 17;
    assert_refused(2, 16, head, fixed_1[0], fixed_rice, 2, loud);
    int64_t wide[32];
    for (int i = 0; i < 32; i++) wide[i] = fixed_resid[i];
    wide[5] += INT64_C(1) << 32; /* no residual of FLAC has more than 32 bits */
    const flac_frame f = {2, 16, head, fixed_1[0], fixed_rice, 2, NULL, wide};
    flac_bits w = {0};
    assert_int_equal(flac_pack_frame(&f, &cd, 0, 0, &w, NULL), WADI_INTERNAL);
    flac_bits_fini(&w);
    head[0] = 4;
    assert_refused(2, 16, head, fixed_1[0], fixed_rice, 2, fixed_resid);
}

static void quotients_of_any_length_are_written(void **state) {
    (void)state;
    enum { N = 16 };
    const flac_format mono = {44100, 1, 24, 16};
    const int32_t head[FLAC_HEAD_SIZE] = {0};
    for (int32_t k = 0; k <= 14; k += 7) {
        const sub_row sub[1] = {{FLAC_FIXED, 0, 0, 24}};
        int32_t resid[N];
        uint64_t bits = 0;
        for (int i = 0; i < N; i++) {
            resid[i] = i < 10 ? 1 << i : -(1 << i);
            const uint32_t u = resid[i] < 0 ? 2 * (uint32_t)-resid[i] - 1 : 2 * (uint32_t)resid[i];
            bits += (u >> k) + 1 + (uint32_t)k;
        }
        const flac_frame f = {1, N, head, sub[0], &k, 1, resid, NULL};
        flac_bits w = {0};
        assert_int_equal(flac_pack_frame(&f, &mono, 0, 0, &w, NULL), WADI_OK);
        const uint64_t header = 7 * 8 + 8 + 2 + 4 + 4;
        assert_int_equal(w.n, (header + bits + 7) / 8 + 2);
        assert_int_equal(flac_crc16(0, w.at, w.n), 0);
        flac_bits_fini(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_verbatim_with_wasted_bits),
        cmocka_unit_test(example_2_fixed_prediction_of_side_and_right),
        cmocka_unit_test(columns_of_64_bits_give_the_same_bytes),
        cmocka_unit_test(example_2_second_frame),
        cmocka_unit_test(headers_name_blocks_rates_and_numbers),
        cmocka_unit_test(headers_name_the_first_sample_where_blocks_vary),
        cmocka_unit_test(broken_descriptions_are_refused),
        cmocka_unit_test(quotients_of_any_length_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
