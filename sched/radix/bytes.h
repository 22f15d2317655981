/* Rows by keys of one byte: elements, or their positions, in ascending order of the keys, equal ones in their order. */
#ifndef WADI_SCHED_RADIX_BYTES_H
#define WADI_SCHED_RADIX_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "sched/radix/engine.h"

typedef struct wadi_radix_bytes {
    const uint8_t *key; /* [n] */
    bool has_sign;      /* keys are I8; else U8 or BOOL */
    const void *from;   /* [n] elements; NULL: positions, i64, are placed */
    void *to;           /* [n] of the same kind, and other memory */
    int size;           /* of an element: 1, 2, 4, 8 or 16 bytes */
    int64_t n;          /* at least 1 */
} wadi_radix_bytes;

/* Workers of the pool share long rows (NULL: this thread alone); short ones are sorted by the engine. False: out of memory. */
bool wadi_radix_by_bytes(const wadi_radix_engine *engine, const wadi_radix_bytes *row,
                         wadi_pool *pool);

#endif
