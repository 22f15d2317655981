/* Words as MD5 sees them: the bytes, one bit set, zeros, and the length in bits; little-endian 32-bit message words (RFC 1321
 * sections 3.1 to 3.3). Columns are those of a class of apps/md5/hash.h. */
#ifndef APPS_MD5_BLOCKS_H
#define APPS_MD5_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/md5/reader.h"

/* Packs words from the reader's buffer into the columns w0..w3 and bits, from element `from` on. It packs at most `most` words, and stops
 * at the end of the buffer or at a word of more than MD5_SHORT_BYTES bytes, which md5_reader_next then gives. Returns how many. */
int64_t md5_pack_short(md5_reader *r, int64_t most, uint32_t *const *column, int64_t from);
/* Packs one word of at most MD5_MEDIUM_BYTES bytes into element i of the columns w0..w13 and bits. */
void md5_pack_medium(const uint8_t *word, size_t n, uint32_t *const *column, int64_t i);
/* The number of blocks, of 16 message words each, that a word of n bytes needs; and packing it into them. */
size_t md5_blocks_of(size_t n);
void md5_pack_long(const uint8_t *word, size_t n, uint32_t *blocks);

#endif
