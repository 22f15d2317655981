/* The metadata blocks of a stream besides STREAMINFO, as bytes. They pass from input to output unchanged, unless a call here
 * changes them (RFC 9639, section 8). */
#ifndef APPS_AUDIO_BLOCKS_H
#define APPS_AUDIO_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"
#include "wadi/status.h"

typedef enum flac_block_type {
    FLAC_BLOCK_STREAMINFO = 0,
    FLAC_BLOCK_PADDING = 1,
    FLAC_BLOCK_APPLICATION = 2,
    FLAC_BLOCK_SEEKTABLE = 3,
    FLAC_BLOCK_COMMENTS = 4,
    FLAC_BLOCK_CUESHEET = 5,
    FLAC_BLOCK_PICTURE = 6,
    FLAC_BLOCK_INVALID = 127
} flac_block_type;

typedef struct flac_block {
    int type;
    wadi_text body; /* bytes, header left out; owned */
} flac_block;

typedef struct flac_blocks {
    WADI_VEC(flac_block) list;
} flac_blocks; /* all zero: none */

void flac_blocks_fini(flac_blocks *b);

/* Appends a block. Takes the body, also on failure. Errors: WADI_UNSUPPORTED (longer than a block can be), WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_blocks_add(flac_blocks *b, int type, wadi_text *owned_body,
                                           wadi_error *err);
/* The first of a type, or NULL. */
flac_block *flac_blocks_find(const flac_blocks *b, int type);
void flac_blocks_remove(flac_blocks *b, size_t index);
/* Removes all blocks of a type. Returns how many bytes they took with their headers, less one header. */
int64_t flac_blocks_remove_type(flac_blocks *b, int type);

/* ---- tags ---- */

/* Appends NAME=value to the comments, which are made when there are none. Errors: WADI_INVALID (no name, or not UTF-8: the
 * message quotes the tag), WADI_UNSUPPORTED, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_tags_add(flac_blocks *b, const char *tag, size_t n,
                                         wadi_error *err);
/* The value of the first tag of that name, whatever its case; NULL: none. Not ended by NUL. */
const char *flac_tags_find(const flac_blocks *b, const char *name, size_t *out_n);
/* Puts the vendor's name of this program in the comments. If there are none, they become the first block, where most readers expect
 * them. Errors: WADI_IO (the comments do not hold what their lengths say), WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_tags_finish(flac_blocks *b, const char *vendor, wadi_error *err);

#endif
