/* The checksums against the frames of RFC 9639, appendix D, and against division bit by bit. */
#include "apps/audio/crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Example 1: a whole frame. Its header takes 6 bytes, then comes the CRC-8; the last two bytes are the CRC-16. */
static const uint8_t frame[] = {0xff, 0xf8, 0x69, 0x18, 0x00, 0x00, 0xbf, 0x03,
                                0x58, 0xfd, 0x03, 0x12, 0x8b, 0xaa, 0x9a};

static void header_of_the_first_example_has_its_crc8(void **state) {
    (void)state;
    assert_int_equal(flac_crc8(0, frame, 6), 0xbf);
}

static void first_example_has_its_crc16(void **state) {
    (void)state;
    assert_int_equal(flac_crc16(0, frame, 13), 0xaa9a);
    assert_int_equal(flac_crc16(0, frame, sizeof frame), 0);
}

static uint16_t slow_crc16(const uint8_t *p, size_t n) {
    unsigned r = 0;
    for (size_t i = 0; i < n * 8; i++) {
        const unsigned in = p[i / 8] >> (7 - i % 8) & 1;
        const unsigned top = r >> 15 & 1;
        r = (r << 1 & 0xffff) ^ ((top ^ in) != 0 ? 0x8005 : 0);
    }
    return (uint16_t)r;
}

static void every_length_and_every_cut_agree_with_division(void **state) {
    (void)state;
    uint8_t data[100];
    for (int i = 0; i < 100; i++) data[i] = (uint8_t)(i * 37 + i * i);
    for (size_t n = 0; n <= sizeof data; n++) {
        const uint16_t want = slow_crc16(data, n);
        assert_int_equal(flac_crc16(0, data, n), want);
        assert_int_equal(flac_crc16(flac_crc16(0, data, n / 3), data + n / 3, n - n / 3), want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_of_the_first_example_has_its_crc8),
        cmocka_unit_test(first_example_has_its_crc16),
        cmocka_unit_test(every_length_and_every_cut_agree_with_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
