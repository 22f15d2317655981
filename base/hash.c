/* BLAKE2b and SHA-256 by libsodium, and the two table hashes. */
#include "base/hash.h"

#include <sodium.h>

wadi_status wadi_blake2b(const void *data, size_t n, uint8_t out[32]) {
    const int failed = crypto_generichash_blake2b(out, 32, data, n, NULL, 0);
    return failed == 0 ? WADI_OK : WADI_INTERNAL;
}

_Static_assert(sizeof(crypto_generichash_blake2b_state) <= sizeof(wadi_blake2b_state),
               "room for libsodium's state");

static crypto_generichash_blake2b_state *state_of(wadi_blake2b_state *s) {
    return (crypto_generichash_blake2b_state *)(void *)s->opaque;
}

/* libsodium's functions fail only for lengths that are no length of a digest. */
void wadi_blake2b_begin(wadi_blake2b_state *s) {
    (void)crypto_generichash_blake2b_init(state_of(s), NULL, 0, 32);
}

void wadi_blake2b_add(wadi_blake2b_state *s, const void *data, size_t n) {
    if (n > 0) (void)crypto_generichash_blake2b_update(state_of(s), data, n);
}

void wadi_blake2b_end(wadi_blake2b_state *s, uint8_t out[32]) {
    (void)crypto_generichash_blake2b_final(state_of(s), out, 32);
}

wadi_status wadi_sha256(const void *data, size_t n, uint8_t out[32]) {
    static const uint8_t nothing = 0;
    _Static_assert(crypto_hash_sha256_BYTES == 32, "a digest of SHA-256");
    const int failed = crypto_hash_sha256(out, n > 0 ? data : &nothing, n);
    return failed == 0 ? WADI_OK : WADI_INTERNAL;
}

void wadi_hex(const uint8_t *bytes, size_t n, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool wadi_hex_read(const char *digits, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++) {
        const int high = digit_of(digits[2 * i]);
        const int low = high < 0 ? -1 : digit_of(digits[2 * i + 1]);
        if (low < 0) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* FNV-1a, then spread, because its low bits alone are weak. */
uint64_t wadi_hash_bytes(const void *data, size_t n) {
    const uint8_t *p = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return wadi_hash64(h);
}
