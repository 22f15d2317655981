/* Newlines of generated texts, found with and without AVX-512, against one byte at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/lines.h"

enum { MOST = 700 };

/* One byte in `each` is a newline; the others are near it in value, or any. */
static void make(uint8_t *text, size_t n, uint64_t seed, uint64_t each) {
    static const uint8_t near[] = {0, 9, 11, 13, 0x0a ^ 0x80, 0x8b, 1, 0xff};
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = wadi_hash64(seed * MOST + i);
        text[i] = (uint8_t)(x >> 48);
        if (text[i] == '\n' || (x >> 32) % 2 == 0) text[i] = near[(x >> 40) % sizeof near];
        if (x % each == 0) text[i] = '\n';
    }
}

/* From the heap, so that a byte read outside is found. */
static void check(const uint8_t *text, size_t n, size_t most) {
    uint8_t *copy = malloc(n + 1);
    uint32_t *ends = malloc((most + 1) * sizeof *ends);
    assert_non_null(copy);
    assert_non_null(ends);
    uint8_t *at = copy + 1; /* and none but the text lies behind it */
    if (n > 0) memcpy(at, text, n);
    for (int f = 0; f < 2; f++) {
        size_t from = 0;
        while (from < n) {
            size_t seen = 0, want = 0;
            ends[most] = 12345;
            const size_t got = wadi_line_ends(at + from, n - from, f == 1, ends, most, &seen);
            assert_true(seen > 0 && from + seen <= n);
            assert_true(from + seen == n || got + WADI_LINES_BLOCK > most);
            for (size_t i = 0; i < seen; i++)
                if (at[from + i] == '\n') assert_int_equal(ends[want++], i);
            assert_int_equal(got, want);
            assert_int_equal(ends[most], 12345);
            from += seen;
        }
    }
    free(copy);
    free(ends);
}

static void newlines_of_all_densities_are_found(void **state) {
    (void)state;
    static const uint64_t each[] = {1, 2, 5, 9, 40, 100000};
    uint8_t text[MOST];
    for (uint64_t seed = 0; seed < 60; seed++) {
        make(text, MOST, seed, each[seed % 6]);
        check(text, MOST, 64 + 13 * seed);
    }
}

static void every_length_and_every_beginning_will_do(void **state) {
    (void)state;
    uint8_t text[MOST];
    make(text, MOST, 99, 4);
    for (size_t n = 0; n < 200; n++) {
        check(text, n, 256);
        check(text + n, 200, 100);
    }
}

static void a_newline_is_found_at_every_place(void **state) {
    (void)state;
    uint8_t text[200];
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, at % 2 == 0 ? 0x0b : 0, sizeof text);
        text[at] = '\n';
        check(text, sizeof text, 64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newlines_of_all_densities_are_found),
        cmocka_unit_test(every_length_and_every_beginning_will_do),
        cmocka_unit_test(a_newline_is_found_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
