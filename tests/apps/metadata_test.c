/* Metadata blocks against the bytes RFC 9639 prints in appendix D. */
#include "apps/audio/metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_bytes(flac_bits *w, const uint8_t *want, size_t n) {
    assert_false(w->failed);
    assert_int_equal(w->n, n);
    assert_memory_equal(w->at, want, n);
    flac_bits_fini(w);
}

static void streaminfo_of_example_1(void **state) {
    (void)state;
    const uint8_t want[] = {0x80, 0x00, 0x00, 0x22, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00,
                            0x0f, 0x00, 0x00, 0x0f, 0x0a, 0xc4, 0x42, 0xf0, 0x00, 0x00,
                            0x00, 0x01, 0x3e, 0x84, 0xb4, 0x18, 0x07, 0xdc, 0x69, 0x03,
                            0x07, 0x58, 0x6a, 0x3d, 0xad, 0x1a, 0x2e, 0x0f};
    flac_streaminfo info = {{44100, 2, 16, 4096}, 15, 15, 1, {0}};
    for (int i = 0; i < 16; i++) info.md5[i] = want[22 + i];
    flac_bits w = {0};
    flac_put_streaminfo(&w, &info, true);
    assert_bytes(&w, want, sizeof want);
}

static void seektable_of_example_2(void **state) {
    (void)state;
    const uint8_t want[22] = {0x03, 0, 0, 0x12, [21] = 0x10};
    const flac_seekpoint point = {0, 0, 16};
    flac_bits w = {0};
    flac_put_seektable(&w, &point, 1, false);
    assert_bytes(&w, want, sizeof want);
}

static void placeholder_points_at_the_last_sample_number(void **state) {
    (void)state;
    uint8_t want[22] = {0x03, 0, 0, 0x12};
    for (int i = 4; i < 12; i++) want[i] = 0xff;
    const flac_seekpoint point = {-1, 7, 7};
    flac_bits w = {0};
    flac_put_seektable(&w, &point, 1, false);
    assert_bytes(&w, want, sizeof want);
}

static void comments_of_example_2(void **state) {
    (void)state;
    const uint8_t want[] = {0x04, 0x00, 0x00, 0x3a, 0x20, 0x00, 0x00, 0x00, 'r',  'e',  'f',
                            'e',  'r',  'e',  'n',  'c',  'e',  ' ',  'l',  'i',  'b',  'F',
                            'L',  'A',  'C',  ' ',  '1',  '.',  '3',  '.',  '3',  ' ',  '2',
                            '0',  '1',  '9',  '0',  '8',  '0',  '4',  0x01, 0x00, 0x00, 0x00,
                            0x0e, 0x00, 0x00, 0x00, 'T',  'I',  'T',  'L',  'E',  '=',  0xd7,
                            0xa9, 0xd7, 0x9c, 0xd7, 0x95, 0xd7, 0x9d};
    const flac_tag tag = {"TITLE", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"};
    flac_bits w = {0};
    assert_true(flac_put_comments(&w, "reference libFLAC 1.3.3 20190804", &tag, 1, false));
    assert_bytes(&w, want, sizeof want);
}

static void padding_is_zeros(void **state) {
    (void)state;
    const uint8_t want[10] = {0x81, 0, 0, 6};
    flac_bits w = {0};
    flac_put_padding(&w, 6, true);
    assert_bytes(&w, want, sizeof want);
}

static void comments_longer_than_a_block_are_refused(void **state) {
    (void)state;
    char *value = malloc(FLAC_MAX_BLOCK_BYTES + 1);
    assert_non_null(value);
    for (int i = 0; i < FLAC_MAX_BLOCK_BYTES; i++) value[i] = 'x';
    value[FLAC_MAX_BLOCK_BYTES] = '\0';
    const flac_tag tag = {"TITLE", value};
    flac_bits w = {0};
    assert_false(flac_put_comments(&w, "v", &tag, 1, false));
    assert_int_equal(w.n, 0);
    flac_bits_fini(&w);
    free(value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streaminfo_of_example_1),
        cmocka_unit_test(seektable_of_example_2),
        cmocka_unit_test(placeholder_points_at_the_last_sample_number),
        cmocka_unit_test(comments_of_example_2),
        cmocka_unit_test(padding_is_zeros),
        cmocka_unit_test(comments_longer_than_a_block_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
