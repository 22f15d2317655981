/* Metadata blocks against the bytes RFC 9639 prints in appendix D. */
#include "apps/audio/metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/audio/blocks.h"
#include "tests/open_files.h"

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
    flac_blocks blocks = {0};
    static const char tag[] = "TITLE=\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d";
    assert_int_equal(flac_tags_add(&blocks, tag, sizeof tag - 1, NULL), WADI_OK);
    assert_int_equal(flac_tags_finish(&blocks, "reference libFLAC 1.3.3 20190804", NULL), WADI_OK);
    flac_bits w = {0};
    flac_put_block(&w, blocks.list.at[0].type, blocks.list.at[0].body.at, blocks.list.at[0].body.n,
                   false);
    flac_blocks_fini(&blocks);
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
    wadi_text tag = {0};
    wadi_text_add(&tag, "TITLE=");
    for (int i = 0; i < FLAC_MAX_BLOCK_BYTES / 10; i++) wadi_text_add(&tag, "0123456789");
    flac_blocks blocks = {0};
    assert_int_equal(flac_tags_add(&blocks, tag.at, tag.n, NULL), WADI_UNSUPPORTED);
    flac_blocks_fini(&blocks);
    wadi_text_add(&tag, "0123456789");
    assert_int_equal(flac_blocks_add(&blocks, FLAC_BLOCK_APPLICATION, &tag, NULL),
                     WADI_UNSUPPORTED);
    flac_blocks_fini(&blocks);
}

static void what_is_no_tag_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "", "=x", "no", "N\x7f=1", "N\n=1", "N=\xff", "N=\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        flac_blocks blocks = {0};
        assert_int_equal(flac_tags_add(&blocks, bad[i], strlen(bad[i]), NULL), WADI_INVALID);
        assert_int_equal(blocks.list.n, 0);
    }
}

/* Lengths and counts that lie: of the vendor, of the tags, of one tag. */
static void damaged_comments_are_errors(void **state) {
    (void)state;
    static const char bodies[][17] = {"\x0d\0\0\0\0\0\0\0AAAAAAA", "\0\0\0\0\x02\0\0\0\x01\0\0\0=",
                                      "\0\0\0\0\x01\0\0\0\x05\0\0\0A=1"};
    for (size_t i = 0; i < 3; i++) {
        flac_blocks blocks = {0};
        wadi_text body = {0};
        wadi_text_add_n(&body, bodies[i], 15);
        assert_int_equal(flac_blocks_add(&blocks, FLAC_BLOCK_COMMENTS, &body, NULL), WADI_OK);
        assert_int_equal(flac_tags_finish(&blocks, "v", NULL), WADI_IO);
        flac_blocks_fini(&blocks);
    }
}

static void streaminfo_is_taken_apart(void **state) {
    (void)state;
    const flac_streaminfo info = {
        {655350, 8, 32, 4608}, 17, 0xfffffe, INT64_C(0xfffffffff), {9, 8, 7}};
    flac_bits w = {0};
    flac_put_streaminfo(&w, &info, false);
    flac_streaminfo got;
    flac_get_streaminfo(w.at + FLAC_BLOCK_HEADER_BYTES, &got);
    assert_memory_equal(&got, &info, sizeof info);
    flac_bits_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(streaminfo_of_example_1),
        cmocka_unit_test(seektable_of_example_2),
        cmocka_unit_test(placeholder_points_at_the_last_sample_number),
        cmocka_unit_test(comments_of_example_2),
        cmocka_unit_test(padding_is_zeros),
        cmocka_unit_test(comments_longer_than_a_block_are_refused),
        cmocka_unit_test(what_is_no_tag_is_refused),
        cmocka_unit_test(damaged_comments_are_errors),
        cmocka_unit_test(streaminfo_is_taken_apart),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
