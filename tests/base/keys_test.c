/* Numbers for keys: against a list that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/keys.h"

enum { MOST = 3000, WORDS = 3 };

static uint64_t draw(void) {
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static int64_t number_in(const uint64_t *list, int words, int64_t n, const uint64_t *key) {
    for (int64_t i = 0; i < n; i++)
        if (memcmp(list + i * words, key, (size_t)words * sizeof *key) == 0) return i;
    return n;
}

static void numbers_are_those_of_a_list(void **state) {
    static const uint64_t masks[] = {0, 7, UINT64_C(0xff) << 56, UINT64_MAX};
    static uint64_t key[MOST * WORDS], list[MOST * WORDS];
    static int64_t out[MOST];
    (void)state;
    for (int turn = 0; turn < 4 * WORDS; turn++) {
        const int words = 1 + turn % WORDS;
        const uint64_t mask = masks[turn / WORDS];
        wadi_keys k;
        int64_t n = 0;
        wadi_keys_init(&k, words);
        for (int i = 0; i < MOST * words; i++) key[i] = draw() & mask;
        for (int64_t from = 0, some; from < MOST;
             from += some) { /* 0, 1, and more than go together */
            some = (int64_t)(draw() % 200);
            if (some > MOST - from) some = MOST - from;
            assert_true(wadi_keys_number_all(&k, some, key + from * words, out + from));
            for (int64_t i = from; i < from + some; i++) {
                const int64_t want = number_in(list, words, n, key + i * words);
                assert_int_equal(out[i], want);
                if (want == n) memcpy(list + n++ * words, key + i * words, (size_t)words * 8);
                assert_int_equal(wadi_keys_number(&k, key + i * words), want);
            }
        }
        assert_int_equal(k.n, n);
        for (int64_t i = 0; i < n; i++)
            assert_memory_equal(wadi_keys_at(&k, i), list + i * words, (size_t)words * 8);
        assert_true(wadi_keys_bytes(&k) >= n * (words + 1) * 8);
        wadi_keys_fini(&k);
    }
}

/* One key nearly always: equal ones are numbered together, and another between them is not to be missed, wherever it stands. */
static void another_key_between_equal_ones_is_seen(void **state) {
    enum { N = 400 };
    static uint64_t key[N * WORDS];
    static int64_t out[N];
    (void)state;
    for (int words = 1; words <= WORDS; words++) {
        for (int other = 0; other < N; other++) {
            wadi_keys k;
            wadi_keys_init(&k, words);
            memset(key, 0, sizeof key);
            key[other * words + words - 1] = 1;
            assert_true(wadi_keys_number_all(&k, N, key, out));
            for (int i = 0; i < N; i++) assert_int_equal(out[i], other == 0 ? i != 0 : i == other);
            assert_int_equal(k.n, 2);
            wadi_keys_fini(&k);
        }
    }
}

/* Keys come and the last ones are forgotten, over and over: those that are left have their numbers, and the others are new again. */
static void the_last_ones_are_forgotten(void **state) {
    static const uint64_t masks[] = {15, UINT64_C(0xff) << 56, UINT64_C(0xfff)};
    static uint64_t list[MOST];
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        wadi_keys k;
        int64_t n = 0;
        wadi_keys_init(&k, 1);
        wadi_keys_forget(&k, 0);
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < MOST / 60; i++) {
                const uint64_t key = draw() & masks[turn];
                const int64_t want = number_in(list, 1, n, &key);
                assert_int_equal(wadi_keys_number(&k, &key), want);
                if (want == n) list[n++] = key;
            }
            if (round % 3 == 0) n -= (int64_t)(draw() % (uint64_t)(n + 1));
            wadi_keys_forget(&k, n);
            assert_int_equal(k.n, n);
        }
        wadi_keys_fini(&k);
    }
}

/* x = y ^ y >> by, backwards. */
static uint64_t unshifted(uint64_t x, int by) {
    uint64_t y = x;
    for (int done = by; done < 64; done += by) y = x ^ y >> by;
    return y;
}

/* The number whose hash is h. */
static uint64_t number_with_hash(uint64_t h) {
    uint64_t x = unshifted(h, 31) * UINT64_C(0x319642b2d24d8ec3);
    x = unshifted(x, 27) * UINT64_C(0x96de1b173f119089);
    return unshifted(x, 30) - UINT64_C(0x9e3779b97f4a7c15);
}

static int64_t longest_row(const wadi_keys *k) {
    int64_t most = 0, row = 0;
    for (size_t i = 0; i < k->slots; i++) {
        row = k->slot[i].number != 0 ? row + 1 : 0;
        if (row > most) most = row;
    }
    return most;
}

/* Keys made to have the same low bits of their hashes stand in one row of a table whose hash is known. In a table at most half full, rows of a random one are
 * a few dozen long; one of a tenth of all keys is not to be expected ever. */
static void who_chooses_keys_does_not_make_them_meet(void **state) {
    (void)state;
    for (int words = 1; words <= WORDS; words++) {
        uint64_t key[WORDS] = {0};
        wadi_keys k;
        wadi_keys_init(&k, words);
        for (uint64_t i = 0; i < MOST; i++) {
            const uint64_t h = i << 32;
            key[0] = number_with_hash(h);
            assert_true(wadi_hash64(key[0]) == h);
            for (int w = 1; w < words; w++) key[w] = number_with_hash(h) ^ h;
            assert_int_equal(wadi_keys_number(&k, key), (int64_t)i);
        }
        assert_true(longest_row(&k) < MOST / 10);
        wadi_keys_fini(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_a_list),
                                       cmocka_unit_test(another_key_between_equal_ones_is_seen),
                                       cmocka_unit_test(the_last_ones_are_forgotten),
                                       cmocka_unit_test(who_chooses_keys_does_not_make_them_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
