/* Digests of a sequence of elements, a block of it after the other. A block is so many elements: how the sequence was cut into chunks does not
 * matter.
 *
 * Each array that an element consists of has parts: its extents, 8 bytes for each dimension, and then, for each field of its numbers, their column. A part holds those
 * of all elements of the block, one element after the other, in the machine's byte order; it is empty if there are none. The digest of a block is BLAKE2b of the digests of
 * all parts, in this order. Every NaN of a column counts as the one with the bits 0x7fc00000, or 0x7ff8000000000000 in f64.
 *
 * A sequence that has no order is one block. Its digest is a sum of those of all elements, as numbers of 256 bits with the least byte first, without what goes beyond: it does
 * not depend on their order. That of an element is BLAKE2b of all its parts, one behind the other. A sum finds what went wrong; it is no defence against somebody who chooses elements so that they have a sum. */
#ifndef WADI_SCHED_CERTIFICATE_TALLY_H
#define WADI_SCHED_CERTIFICATE_TALLY_H

#include "base/hash.h"
#include "base/vec.h"
#include "sched/chunk.h"

enum { WADI_TALLY_DIGEST = 32 };

typedef struct wadi_tally_block {
    int64_t elements;
    uint8_t digest[WADI_TALLY_DIGEST];
} wadi_tally_block;

typedef WADI_VEC(wadi_tally_block) wadi_tally_list;

/* Certificates of version 1 have digests in one lane; those of version 2 have the extents and the columns in eight (base/hash.h), which takes less time. */
typedef union wadi_tally_part {
    wadi_blake2b_lanes lanes;
    wadi_blake2b_state one;
} wadi_tally_part;

/* All zero: nothing has come. */
typedef struct wadi_tally {
    bool one_lane;  /* as version 1 has them */
    bool unordered; /* it has no order */
    wadi_tally_list done;
    wadi_tally_list like;    /* cuts that the first blocks are to have; NULL: none */
    int64_t elements, bytes; /* in the block that is open */
    int64_t all_elements, all_bytes;
    wadi_tally_part *part; /* [parts] for each component its extents, then each of its columns */
    int parts;
} wadi_tally;

void wadi_tally_fini(wadi_tally *b);
/* Forgets what has come, but not the cuts. */
void wadi_tally_again(wadi_tally *b);
/* The next elements, whose columns are on the host. A block ends with the cuts of `like`, or else behind 1 MiB, and later behind a 4096th of what has
 * come: so even of a very long sequence there are some ten thousand blocks. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_tally_add(wadi_tally *b, const wadi_chunk *c, wadi_error *err);
/* Ends the block that is open, if there is one. */
WADI_NODISCARD wadi_status wadi_tally_cut(wadi_tally *b, wadi_error *err);

/* The digest of an array, as of a sequence that it is the only element of. */
void wadi_tally_array(const wadi_array *a, bool one_lane, uint8_t out[WADI_TALLY_DIGEST]);

#endif
