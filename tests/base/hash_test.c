/* Digests and checksums against the values of their standards. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/blake2b_ways.h"
#include "base/error.h"

typedef wadi_status (*digest_fn)(const void *data, size_t n, uint8_t out[32]);

static void assert_digest(digest_fn digest_of, const char *data, size_t n, const char *want) {
    uint8_t digest[32];
    char text[65];
    assert_int_equal(digest_of(data, n, digest), WADI_OK);
    wadi_hex(digest, sizeof digest, text);
    assert_string_equal(text, want);
}

static void sha256_matches_fips_180_4(void **state) {
    WADI_UNUSED(state);
    assert_digest(wadi_sha256, "abc", 3,
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(wadi_sha256, "", 0,
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* b2sum -l 256 and Python's hashlib.blake2b(digest_size=32) say the same. */
static void blake2b_matches_rfc_7693(void **state) {
    WADI_UNUSED(state);
    assert_digest(wadi_blake2b, "abc", 3,
                  "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    assert_digest(wadi_blake2b, NULL, 0,
                  "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

/* What hash.h says of lanes, one after the other. */
static void digest_lanes(const uint8_t *bytes, size_t n, uint8_t out[32]) {
    enum { MOST = 1024 };
    uint8_t lane[MOST], all[WADI_BLAKE2B_LANES * 32 + 8];
    for (size_t k = 0; k < WADI_BLAKE2B_LANES; k++) {
        size_t m = 0;
        for (size_t word = k; word < (n + 63) / 64 * 8; word += WADI_BLAKE2B_LANES)
            for (size_t i = 8 * word; i < 8 * word + 8; i++) lane[m++] = i < n ? bytes[i] : 0;
        assert_true(m <= MOST);
        assert_int_equal(wadi_blake2b(lane, m, all + 32 * k), WADI_OK);
    }
    for (size_t i = 0; i < 8; i++) all[WADI_BLAKE2B_LANES * 32 + i] = (uint8_t)(n >> (8 * i));
    assert_int_equal(wadi_blake2b(all, sizeof all, out), WADI_OK);
}

static void lanes_are_what_is_said_of_them(void **state) {
    WADI_UNUSED(state);
    enum { MOST = 5000 };
    static uint8_t bytes[MOST];
    for (size_t i = 0; i < MOST; i++) bytes[i] = (uint8_t)wadi_hash64(i);
    for (size_t n = 0; n <= MOST; n = n < 1200 ? n + 1 : n + 37) {
        uint8_t want[32], is[32];
        wadi_blake2b_lanes s;
        digest_lanes(bytes, n, want);
        for (size_t piece = n + 1; piece > 0; piece = piece / 3) {
            wadi_blake2b_lanes_begin(&s);
            for (size_t at = 0; at < n; at += piece)
                wadi_blake2b_lanes_add(&s, bytes + at, n - at < piece ? n - at : piece);
            wadi_blake2b_lanes_end(&s, is);
            assert_memory_equal(is, want, 32);
        }
    }
}

/* Whatever the processor has, the words are the same. */
static void lanes_are_the_same_in_every_way(void **state) {
    WADI_UNUSED(state);
    enum { ROWS = 5, ROW = 128 * WADI_BLAKE2B_LANES };
    static uint8_t rows[ROWS * ROW + 1];
    uint64_t want[8][WADI_BLAKE2B_LANES], is[8][WADI_BLAKE2B_LANES];
    const wadi_blake2b_way *last = wadi_blake2b_ways;
    for (size_t i = 0; i < sizeof rows; i++) rows[i] = (uint8_t)wadi_hash64(i);
    while (last[1].name != NULL) last++;
    assert_true(last->is_here());
    for (const wadi_blake2b_way *w = wadi_blake2b_ways; w < last; w++) {
        if (!w->is_here()) continue;
        for (int ends = 0; ends < 2; ends++) {
            for (size_t i = 0; i < 8; i++)
                for (size_t k = 0; k < WADI_BLAKE2B_LANES; k++)
                    want[i][k] = is[i][k] = wadi_hash64(8 * i + k);
            last->compress(want, rows + 1, ends ? 1 : ROWS, 777, ends);
            w->compress(is, rows + 1, ends ? 1 : ROWS, 777, ends);
            assert_memory_equal(is, want, sizeof is);
        }
    }
}

static void crc32c_matches_rfc_3720(void **state) {
    WADI_UNUSED(state);
    uint8_t bytes[32];
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(wadi_crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(wadi_crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (uint8_t i = 0; i < 32; i++) bytes[i] = i;
    assert_int_equal(wadi_crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    assert_int_equal(wadi_crc32c(0, "123456789", 9), 0xe3069283);
}

static void crc32c_is_the_same_with_and_without_the_instruction(void **state) {
    WADI_UNUSED(state);
    uint8_t bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i + 7);
    for (size_t at = 0; at < 9; at++)
        for (size_t n = 0; at + n <= sizeof bytes; n++)
            assert_int_equal(wadi_crc32c((uint32_t)n, bytes + at, n),
                             wadi_crc32c_sliced((uint32_t)n, bytes + at, n));
    assert_int_equal(wadi_crc32c_sliced(0, "123456789", 9), 0xe3069283);
}

/* Long ones are gone through in several places at once. */
static void crc32c_of_long_data_is_the_same(void **state) {
    WADI_UNUSED(state);
    enum { MOST = 20000 };
    static uint8_t bytes[MOST];
    for (size_t i = 0; i < MOST; i++) bytes[i] = (uint8_t)wadi_hash64(i);
    for (size_t n = MOST - 8; n > 0; n = n > 1031 ? n - 1031 : 0)
        for (size_t at = 0; at < 3; at++)
            assert_int_equal(wadi_crc32c((uint32_t)n, bytes + at, n),
                             wadi_crc32c_sliced((uint32_t)n, bytes + at, n));
    for (size_t n = 6100; n < 6200; n++)
        assert_int_equal(wadi_crc32c(0, bytes, n), wadi_crc32c_sliced(0, bytes, n));
}

static void crc32c_continues_over_any_cut(void **state) {
    WADI_UNUSED(state);
    uint8_t bytes[100];
    for (uint8_t i = 0; i < 100; i++) bytes[i] = (uint8_t)(i * 37);
    const uint32_t whole = wadi_crc32c(0, bytes, sizeof bytes);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        const uint32_t head = wadi_crc32c(0, bytes, cut);
        assert_int_equal(wadi_crc32c(head, bytes + cut, sizeof bytes - cut), whole);
    }
}

static void table_hashes_are_the_same_everywhere(void **state) {
    WADI_UNUSED(state);
    /* First output of SplitMix64 from state 0. */
    assert_true(wadi_hash64(0) == UINT64_C(0xe220a8397b1dcdaf));
    /* The second and the third: from the states after it. */
    assert_true(wadi_hash64(UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(wadi_hash64(UINT64_C(0x3c6ef372fe94f82a)) == UINT64_C(0x06c45d188009454f));
    /* The values of FNV-1a that its authors give. */
    assert_true(wadi_hash_bytes("", 0) == wadi_hash64(UINT64_C(0xcbf29ce484222325)));
    assert_true(wadi_hash_bytes("a", 1) == wadi_hash64(UINT64_C(0xaf63dc4c8601ec8c)));
    assert_true(wadi_hash_bytes("foobar", 6) == wadi_hash64(UINT64_C(0x85944171f73967e8)));
    assert_true(wadi_hash_bytes("a", 1) != wadi_hash_bytes("b", 1));
    assert_true(wadi_hash_bytes("ab", 1) == wadi_hash_bytes("a", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blake2b_matches_rfc_7693),
        cmocka_unit_test(lanes_are_what_is_said_of_them),
        cmocka_unit_test(lanes_are_the_same_in_every_way),
        cmocka_unit_test(sha256_matches_fips_180_4),
        cmocka_unit_test(crc32c_matches_rfc_3720),
        cmocka_unit_test(crc32c_is_the_same_with_and_without_the_instruction),
        cmocka_unit_test(crc32c_of_long_data_is_the_same),
        cmocka_unit_test(crc32c_continues_over_any_cut),
        cmocka_unit_test(table_hashes_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
