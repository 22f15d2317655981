/* Sorting one row. There are two engines of one text (engine_body.h): one for every processor, and one for those with AVX-512. Their results are
 * the same to the bit, but for the payload of NaN. */
#ifndef WADI_SCHED_RADIX_ENGINE_H
#define WADI_SCHED_RADIX_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "wadi/type.h"

typedef struct wadi_radix_row {
    wadi_type type;   /* BOOL to F64 */
    const void *from; /* [n] */
    void *to;         /* [n] of the same type; positions are i64 */
    void *room;       /* [n] like `to`: overwritten */
    int64_t n;        /* at least 1 */
} wadi_radix_row;

typedef struct wadi_radix_engine {
    /* Workers of the pool share long rows (NULL: this thread alone). False: out of memory, or the row is too long. */
    bool (*sort)(const wadi_radix_row *row, wadi_pool *pool);
    bool (*rank)(const wadi_radix_row *row, wadi_pool *pool);
    /* The first k positions alone, to to[k]; k <= n. It takes memory of its own, and no room. */
    bool (*choose)(const wadi_radix_row *row, int64_t k, wadi_pool *pool);
} wadi_radix_engine;

extern const wadi_radix_engine wadi_radix_plain;
/* NULL: this processor does not have it, or the compiler. */
const wadi_radix_engine *wadi_radix_avx512(void);
/* The same where the processor is known to have it (avx512.c). */
const wadi_radix_engine *wadi_radix_avx512_there(void);

/* Rows from this length on are shared. */
enum { WADI_RADIX_SHARED = 1 << 16 };

#endif
