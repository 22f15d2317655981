/* Digests and checksums: SHA-256 (kernel cache), MD5 (FLAC's STREAMINFO), CRC-32C (wire format), and hashes for tables.
 *
 * The digests come from OpenSSL's libcrypto, whose assembly outruns portable C several times. A library in FIPS mode may
 * refuse MD5: hence the status. */
#ifndef WADI_BASE_HASH_H
#define WADI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

/* Errors: WADI_UNSUPPORTED when libcrypto does not offer the digest. */
WADI_NODISCARD wadi_status wadi_sha256(const void *data, size_t n, uint8_t out[32]);

/* Writes 2 n lower-case digits and a NUL. */
void wadi_hex(const uint8_t *bytes, size_t n, char *out);

/* MD5 in pieces. All zero is a context not yet started. */
typedef struct wadi_md5 {
    void *context; /* EVP_MD_CTX */
    wadi_status status;
} wadi_md5;

WADI_NODISCARD wadi_status wadi_md5_init(wadi_md5 *m, wadi_error *err);
/* A failure is kept and told by final. */
void wadi_md5_update(wadi_md5 *m, const void *data, size_t n);
/* Also gives the context back, as fini does. */
WADI_NODISCARD wadi_status wadi_md5_final(wadi_md5 *m, uint8_t out[16], wadi_error *err);
/* For the way out without a digest; harmless after final. */
void wadi_md5_fini(wadi_md5 *m);

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4). Start with 0; feed the result back to continue over more data. */
uint32_t wadi_crc32c(uint32_t crc, const void *data, size_t n);

/* Not for security: spreads a number, and hashes bytes. The same in every run and on every machine. */
uint64_t wadi_hash64(uint64_t x);
uint64_t wadi_hash_bytes(const void *data, size_t n);

#endif
