/* The bit writer puts numbers of every width where the format wants them. */
#include "apps/audio/bitwriter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void bits_come_out_most_significant_first(void **state) {
    (void)state;
    flac_bits w = {0};
    flac_bits_put(&w, 5, 3);
    flac_bits_put(&w, 0, 1);
    flac_bits_put(&w, 0xabc, 12);
    flac_bits_put(&w, 1, 1);
    flac_bits_align(&w);
    const uint8_t want[] = {0xaa, 0xbc, 0x80};
    assert_int_equal(w.n, sizeof want);
    assert_memory_equal(w.at, want, sizeof want);
    flac_bits_fini(&w);
}

static void values_wider_than_their_field_are_cut(void **state) {
    (void)state;
    flac_bits w = {0};
    flac_bits_put(&w, (uint64_t)-1, 4);
    flac_bits_put(&w, (uint64_t)-2, 33);
    flac_bits_put(&w, 0, 3);
    const uint8_t want[] = {0xff, 0xff, 0xff, 0xff, 0xf0};
    assert_int_equal(w.n, sizeof want);
    assert_memory_equal(w.at, want, sizeof want);
    flac_bits_fini(&w);
}

static int bit_of(const flac_bits *w, uint64_t i) {
    return w->at[i / 8] >> (7 - i % 8) & 1;
}

static void random_fields_read_back(void **state) {
    (void)state;
    enum { N = 5000 };
    static uint64_t value[N];
    static unsigned width[N];
    flac_bits w = {0};
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        width[i] = (unsigned)(seed >> 40) % 65;
        value[i] = seed ^ seed >> 29;
        if (i % 7 == 3) {
            flac_bits_put_unary(&w, value[i] % 300);
        } else {
            flac_bits_put(&w, value[i], width[i]);
        }
    }
    flac_bits_align(&w);
    assert_false(w.failed);
    uint64_t at = 0;
    for (int i = 0; i < N; i++) {
        if (i % 7 == 3) {
            for (uint64_t k = 0; k < value[i] % 300; k++) assert_int_equal(bit_of(&w, at++), 0);
            assert_int_equal(bit_of(&w, at++), 1);
            continue;
        }
        for (unsigned b = width[i]; b-- > 0;) {
            assert_int_equal(bit_of(&w, at++), (int)(value[i] >> b & 1));
        }
    }
    assert_true(w.n * 8 - at < 8);
    flac_bits_fini(&w);
}

static void clear_keeps_memory_and_forgets_bits(void **state) {
    (void)state;
    flac_bits w = {0};
    flac_bits_put(&w, 0x1ff, 9);
    flac_bits_clear(&w);
    flac_bits_put(&w, 1, 8);
    assert_int_equal(w.n, 1);
    assert_int_equal(w.at[0], 1);
    flac_bits_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_come_out_most_significant_first),
        cmocka_unit_test(values_wider_than_their_field_are_cut),
        cmocka_unit_test(random_fields_read_back),
        cmocka_unit_test(clear_keeps_memory_and_forgets_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
