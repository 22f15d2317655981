/* The MD5 of samples against RFC 9639 and against the bytes it is defined by. */
#include "apps/audio/md5_tap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/apps/flac_judge.h"
#include "tests/apps/signals.h"

static void example_1_has_its_md5(void **state) {
    (void)state;
    const uint8_t want[16] = {0x3e, 0x84, 0xb4, 0x18, 0x07, 0xdc, 0x69, 0x03,
                              0x07, 0x58, 0x6a, 0x3d, 0xad, 0x1a, 0x2e, 0x0f};
    const int32_t samples[2] = {25588, 10416};
    flac_md5_tap tap;
    uint8_t got[16];
    flac_md5_tap_init(&tap, 2, 16);
    flac_md5_tap_hear(&tap, samples, 1);
    flac_md5_tap_final(&tap, got);
    assert_memory_equal(got, want, 16);
}

static void every_width_in_pieces_is_the_digest_of_the_bytes(void **state) {
    (void)state;
    for (int bits = 8; bits <= 32; bits++) {
        enum { FRAMES = 3001 };
        const flac_format f = {44100, 3, bits, 0};
        int32_t *samples = sound_make(sound_noise, &f, FRAMES);
        int64_t n = 0;
        uint8_t *raw = flac_raw_bytes(samples, FRAMES * 3, bits, &n);
        uint8_t want[16], got[16];
        wadi_md5 md5 = {0};
        wadi_md5_init(&md5);
        wadi_md5_update(&md5, raw, (size_t)n);
        wadi_md5_final(&md5, want);
        flac_md5_tap tap;
        flac_md5_tap_init(&tap, 3, bits);
        flac_md5_tap_hear(&tap, samples, 1);
        flac_md5_tap_hear(&tap, samples + 3, FRAMES - 1);
        flac_md5_tap_final(&tap, got);
        assert_memory_equal(got, want, 16);
        free(raw);
        free(samples);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_has_its_md5),
        cmocka_unit_test(every_width_in_pieces_is_the_digest_of_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
