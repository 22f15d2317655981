/* A peer for wadi-md5: dictionary words against one digest in plain C, written so that the compiler makes SIMD code of it. */
#ifndef WADI_BENCH_STREAMS_MD5_SIMD_H
#define WADI_BENCH_STREAMS_MD5_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* How many lines of text (each ended by a newline) have this MD5 digest. Lines of 16 and more bytes are counted as *out_long and
 * not tried. */
int64_t md5_simd_search(const uint8_t *text, size_t n, const uint32_t digest[4], int threads,
                        int64_t *out_long);

/* Packs lines of up to 15 bytes by columns, over and over into the same block, one memchr for each. Returns how many. */
int64_t md5_simd_pack(const uint8_t *text, size_t n);
/* The sum of the bytes: what reading them takes. */
int64_t md5_simd_sum(const uint8_t *text, size_t n);

/* hit[i]: whether the message of words w[0..3][i] and length bits[i] has digest word 0 `wanted`. */
void md5_simd_hash(const uint32_t *const *w, const uint32_t *bits, int64_t n, uint32_t wanted,
                   uint8_t *hit);

#endif
