/* Words of generated dictionaries, packed by columns, against one byte at a time: with and without AVX-512, cut anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/blocks.h"
#include "apps/md5/hash.h"
#include "base/error.h"
#include "tests/md5/support.h"

enum { BYTES = 3000, GUARD = 0x5a5a5a5a };

/* ---- dictionaries ---- */

typedef struct kind {
    uint32_t length,
        strange; /* lengths below this; one word in so many is longer, one begins with '$' */
    bool crlf;
} kind;

static const kind kinds[] = {
    {16, 1000000, false}, {16, 1000000, true}, {9, 30, true}, {30, 5, false}, {2, 3, true}};

static size_t add_word(uint8_t *text, size_t n, const kind *k, uint32_t *seed) {
    static const uint8_t letters[] = {'a', 'z', '\r', 0, 0xff, '$', 0x0b, 0x8a};
    size_t length = support_random(seed) % k->length;
    if (support_random(seed) % k->strange == 0) length += 16;
    for (size_t i = 0; i < length; i++) text[n + i] = letters[support_random(seed) % 8];
    if (length > 0 && support_random(seed) % k->strange != 0 && text[n] == '$') text[n] = 'b';
    n += length;
    if (k->crlf && support_random(seed) % 8 != 0) text[n++] = '\r';
    text[n++] = '\n';
    return n;
}

/* ---- what is expected, one byte at a time ---- */

/* The message words and bits of the word from `at`; false: it is not one for the packer. *out_next: the word after it. */
static bool packed(const uint8_t *at, bool keep_cr, uint32_t m[5], const uint8_t **out_next) {
    const uint8_t *end = at;
    uint8_t block[16] = {0};
    while (*end != '\n') end++;
    *out_next = end + 1;
    const bool drop = !keep_cr && end > at && end[-1] == '\r';
    if (end - at - drop > MD5_SHORT_BYTES || *at == '$') return false;
    const int n = (int)(end - at) - drop;
    for (int i = 0; i < n; i++) block[i] = at[i];
    block[n] = 0x80;
    for (int k = 0; k < 4; k++)
        m[k] = (uint32_t)block[4 * k] | (uint32_t)block[4 * k + 1] << 8 |
               (uint32_t)block[4 * k + 2] << 16 | (uint32_t)block[4 * k + 3] << 24;
    m[4] = 8 * (uint32_t)n;
    return true;
}

/* ---- packing ---- */

typedef struct columns {
    uint32_t *at[5];
    int64_t room;
} columns;

static columns make_columns(int64_t room) {
    columns c = {.room = room};
    for (int f = 0; f < 5; f++) {
        c.at[f] = malloc((size_t)room * sizeof *c.at[f]);
        assert_non_null(c.at[f]);
    }
    return c;
}

static void clear(const columns *c) {
    for (int f = 0; f < 5; f++)
        for (int64_t i = 0; i < c->room; i++) c->at[f][i] = GUARD;
}

static void free_columns(columns *c) {
    for (int f = 0; f < 5; f++) free(c->at[f]);
}

/* Packs from `text` on, in portions. The rest of the words, which the packer leaves, are passed over. */
static void check(const uint8_t *text, size_t n, bool keep_cr, uint32_t *seed) {
    uint8_t *copy = malloc(n + MD5_READ_AHEAD);
    columns c = make_columns(100);
    assert_non_null(copy);
    memcpy(copy, text, n);
    memset(copy + n, '\r', MD5_READ_AHEAD);
    md5_reader r = {.at = copy, .stop = copy + n, .keep_cr = keep_cr};
    r.plain = support_random(seed) % 2 == 0;
    const uint8_t *want = copy;
    int64_t words = 0;
    while (r.at < r.stop) {
        const int64_t most = 1 + support_random(seed) % 90, from = support_random(seed) % 10;
        uint32_t m[5];
        const uint8_t *next;
        clear(&c);
        const int64_t got = md5_pack_short(&r, most, c.at, from);
        assert_true(got <= most);
        for (int64_t i = 0; i < got; i++, want = next) {
            assert_true(packed(want, keep_cr, m, &next));
            for (int f = 0; f < 5; f++) assert_int_equal(c.at[f][from + i], m[f]);
        }
        assert_ptr_equal(r.at, want);
        for (int f = 0; f < 5; f++) {
            if (from > 0) assert_int_equal(c.at[f][from - 1], GUARD);
            assert_int_equal(c.at[f][from + got], GUARD);
        }
        words += got;
        assert_int_equal(r.words, words);
        if (got == most || r.at == r.stop) continue;
        assert_false(packed(want, keep_cr, m, &next));
        md5_reader_pass(&r, 1);
        want = next;
        words++;
    }
    assert_ptr_equal(want, copy + n);
    free_columns(&c);
    free(copy);
}

static void words_are_packed_as_one_byte_at_a_time_would(void **state) {
    WADI_UNUSED(state);
    uint32_t seed = 5;
    for (int k = 0; k < 5; k++)
        for (int round = 0; round < 20; round++) {
            uint8_t text[BYTES + 100];
            size_t n = 0;
            while (n < BYTES) n = add_word(text, n, &kinds[k], &seed);
            check(text, n, round % 2 == 0, &seed);
        }
}

static void every_beginning_and_every_end_will_do(void **state) {
    WADI_UNUSED(state);
    uint32_t seed = 6;
    uint8_t text[500];
    size_t n = 0;
    while (n < 300) n = add_word(text, n, &kinds[1], &seed);
    for (size_t from = 0; from < n; from++) {
        const uint8_t was = text[from];
        check(text + from, n - from, false, &seed);
        text[from] = '\n';
        check(text, from + 1, false, &seed);
        text[from] = was;
    }
}

static void all_ways_to_pack_give_the_same(void **state) {
    WADI_UNUSED(state);
    uint32_t seed = 7;
    columns a = make_columns(1000), b = make_columns(1000);
    for (int round = 0; round < 100; round++) {
        uint8_t text[BYTES + 100] = {0};
        uint32_t end[1001] = {UINT32_MAX};
        size_t n = 0;
        int64_t lines = 0;
        while (n < BYTES - 100 && lines < 1000) {
            n = add_word(text, n, &kinds[round % 5], &seed);
            end[++lines] = (uint32_t)n - 1;
        }
        const md5_lines l = {text, end, round % 3 == 0, false},
                        plain = {text, end, l.keep_cr, true};
        clear(&a);
        clear(&b);
        assert_int_equal(md5_pack_lines(&l, lines, a.at), md5_pack_lines(&plain, lines, b.at));
        for (int f = 0; f < 5; f++) assert_memory_equal(a.at[f], b.at[f], 4000);
    }
    free_columns(&a);
    free_columns(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_packed_as_one_byte_at_a_time_would),
        cmocka_unit_test(every_beginning_and_every_end_will_do),
        cmocka_unit_test(all_ways_to_pack_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
