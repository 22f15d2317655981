/* The ways to compress blocks of eight lanes at once, best first: which of them a processor has is known when the program runs. For blake2b_lanes.c and a
 * test. */
#ifndef WADI_BASE_BLAKE2B_WAYS_H
#define WADI_BASE_BLAKE2B_WAYS_H

#include "base/hash.h"

typedef struct wadi_blake2b_way {
    const char *name;
    bool (*is_here)(void);
    /* n rows of blocks, one block of each lane a row; `before`: bytes of a lane before them; with `last`, they are the last of their lanes, which have `before`
     * bytes with them. */
    void (*compress)(uint64_t h[8][WADI_BLAKE2B_LANES], const uint8_t *rows, size_t n,
                     uint64_t before, bool last);
} wadi_blake2b_way;

/* The words that BLAKE2b begins with. */
extern const uint64_t wadi_blake2b_begins[8];
/* Ends with one without a name. The last before it is everywhere. */
extern const wadi_blake2b_way wadi_blake2b_ways[];

#endif
