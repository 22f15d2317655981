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
WADI_NODISCARD wadi_status wadi_sha256(const void *data, size_t n, uint8_t out[32]);

/* Writes 2 n lower-case digits and a NUL. */
void wadi_hex(const uint8_t *bytes, size_t n, char *out);
/* Reads 2 n lower-case digits; false: there are others. */
bool wadi_hex_read(const char *digits, size_t n, uint8_t *out);

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4). Start with 0; feed the result back to continue over more data. */
uint32_t wadi_crc32c(uint32_t crc, const void *data, size_t n);
/* The same without the instruction that a processor may have for it. */
uint32_t wadi_crc32c_sliced(uint32_t crc, const void *data, size_t n);

/* Hashes of a number and of bytes, for tables and not for security. The same in every run and on every machine. */
uint64_t wadi_hash64(uint64_t x);
uint64_t wadi_hash_bytes(const void *data, size_t n);

#endif
