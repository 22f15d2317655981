/* Words as MD5 sees them: the bytes, one bit set, zeros, and the length in bits; little-endian 32-bit message words (RFC 1321
 * sections 3.1 to 3.3). Columns are those of a class of apps/md5/hash.h. */
#ifndef APPS_MD5_BLOCKS_H
#define APPS_MD5_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/md5/reader.h"

/* Takes words from the reader's buffer as long as they are at most MD5_SHORT_BYTES long, at most `most`, into the columns
 * w0..w3 and bits from element `from` on. Returns how many: fewer than `most` when the buffer is empty or the next word is
 * longer, which md5_reader_next then gives. */
int64_t md5_pack_short(md5_reader *r, int64_t most, uint32_t *const *column, int64_t from);
/* One word of at most MD5_MEDIUM_BYTES into element i of the columns w0..w13 and bits. */
void md5_pack_medium(const uint8_t *word, size_t n, uint32_t *const *column, int64_t i);
/* Any word into its blocks of 16. */
size_t md5_blocks_of(size_t n);
void md5_pack_long(const uint8_t *word, size_t n, uint32_t *blocks);

#endif
