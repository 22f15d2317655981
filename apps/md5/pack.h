/* Packing lines as short words (apps/md5/blocks.h) whose ends are known. */
#ifndef APPS_MD5_PACK_H
#define APPS_MD5_PACK_H

#include <stdbool.h>
#include <stdint.h>

/* Line i has the bytes from end[i] + 1 (modulo 2^32) up to the newline at end[i + 1], counted from `text`. */
typedef struct md5_lines {
    const uint8_t *text; /* MD5_READ_AHEAD bytes behind the last line may be read */
    const uint32_t *end;
    bool keep_cr, plain; /* plain: without instructions that not every processor has */
} md5_lines;

/* Packs the first n lines into w0[n] .. w3[n], bits[n]. Stops at a line of more than MD5_SHORT_BYTES bytes and
 * at one that begins with '$'. Returns how many are packed. */
int64_t md5_pack_lines(const md5_lines *l, int64_t n, uint32_t *const column[5]);

#endif
