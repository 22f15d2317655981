/* Digests and checksums: BLAKE2b (kernel cache, plans), SHA-256 (formats that need it), CRC-32C (wire format), and hashes for
 * tables. The digests come from libsodium, which libzmq needs anyway. MD5 is used only by programs: apps/digest/md5.h. */
#ifndef WADI_BASE_HASH_H
#define WADI_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

/* BLAKE2b (RFC 7693) with 32 bytes and no key: as strong as SHA-256 and three times as fast. Speed matters, because every start of
 * a program waits for it. */
WADI_NODISCARD wadi_status wadi_blake2b(const void *data, size_t n, uint8_t out[32]);
/* The same of bytes that come piece by piece: begin, add, .., end. Plain memory, for one thread at a time. */
typedef struct wadi_blake2b_state {
    _Alignas(64) unsigned char opaque[384];
} wadi_blake2b_state;
void wadi_blake2b_begin(wadi_blake2b_state *s);
void wadi_blake2b_add(wadi_blake2b_state *s, const void *data, size_t n);
void wadi_blake2b_end(wadi_blake2b_state *s, uint8_t out[32]);

/* BLAKE2b in eight lanes, two to four times as fast where the processor has vectors. The bytes, and zeros up to a multiple of 64, are dealt out in words of
 * 8 bytes: lane k gets words k, k + 8, k + 16, .. The digest is BLAKE2b of the digests of the lanes, in their order, and the number of bytes (8 bytes,
 * little-endian). Plain memory, for one thread at a time. */
enum { WADI_BLAKE2B_LANES = 8 };
typedef struct wadi_blake2b_lanes {
    uint64_t h[8][WADI_BLAKE2B_LANES];
    uint64_t bytes; /* that have come */
    size_t waiting; /* of them in `row` */
    uint8_t row[128 * WADI_BLAKE2B_LANES];
} wadi_blake2b_lanes;
void wadi_blake2b_lanes_begin(wadi_blake2b_lanes *s);
void wadi_blake2b_lanes_add(wadi_blake2b_lanes *s, const void *data, size_t n);
void wadi_blake2b_lanes_end(wadi_blake2b_lanes *s, uint8_t out[32]);

WADI_NODISCARD wadi_status wadi_sha256(const void *data, size_t n, uint8_t out[32]);

/* Writes 2 n lower-case digits and a NUL. */
void wadi_hex(const uint8_t *bytes, size_t n, char *out);
/* Reads 2 n lower-case digits; false: there are others. */
bool wadi_hex_read(const char *digits, size_t n, uint8_t *out);

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4). Start with 0; feed the result back to continue over more data. */
uint32_t wadi_crc32c(uint32_t crc, const void *data, size_t n);
/* The same without the instruction that a processor may have for it. */
uint32_t wadi_crc32c_sliced(uint32_t crc, const void *data, size_t n);

/* Hashes of a number and of bytes, for tables and not for security. The same in every run and on every machine. That of a number is the finalizer of SplitMix64 (Steele,
 * Lea and Flood 2014): a bijection in which every input bit reaches every output bit. */
static inline uint64_t wadi_hash64(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
uint64_t wadi_hash_bytes(const void *data, size_t n);

#endif
