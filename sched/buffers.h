/* Memory for chunks: blocks that are recycled instead of freed.
 *
 * A stream asks for nearly the same sizes again and again. Blocks come in size classes (eight per power of two). A
 * block that is returned waits in its class for the next taker, so a stream in its steady state allocates nothing. The waiting
 * blocks are limited. Beyond the limit the smallest are freed first, since those are what a grown chunk size has left behind.
 * Of memory that is plenty, a pool holds no more in all than that, or than it once used, up to a part of the machine's. A pool that nobody uses keeps less,
 * and the system may take that memory when it needs some.
 *
 * Every call is safe from any thread. */
#ifndef WADI_SCHED_BUFFERS_H
#define WADI_SCHED_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

enum { WADI_ALIGN = 64 /* of every block */ };

/* Where blocks come from. `take` returns memory aligned to WADI_ALIGN, or NULL. `take` and `give` are called under the pool's lock. */
typedef struct wadi_memory {
    void *(*take)(void *self, size_t bytes);
    void (*give)(void *self, void *memory, size_t bytes);
    void (*done)(
        void *self); /* called when the pool ends and all blocks have been given back. Optional */
    void *self;
    bool
        apart; /* the host can neither read nor write what `take` returns: a block is a handle, and its memory is at
                   wadi_buffers_address */
    bool
        plenty; /* ordinary memory: keeping it costs nobody anything before the machine runs short */
    int64_t of; /* bytes that there are in all, if it is not plenty; 0: not known */
} wadi_memory;

typedef struct wadi_buffers wadi_buffers;

/* Makes a pool, to which the caller has one reference. *memory is copied; NULL means the heap. At most keep_bytes bytes wait for reuse.
 * If its memory is plenty, those in use count for that as well. As many as the pool's peak, those in use included, may be kept in any case, up to a quarter of what
 * there is.
 * A pool of the heap begins with the blocks that an earlier pool left on the shelf (base/keep.h). */
WADI_NODISCARD wadi_status wadi_buffers_create(const wadi_memory *memory, int64_t keep_bytes,
                                               wadi_buffers **out, wadi_error *err);
/* From now on keep_bytes of wadi_buffers_create is this. */
void wadi_buffers_keep(wadi_buffers *b, int64_t keep_bytes);
/* The pool lives until the last reference is released; every block must be back by then. */
wadi_buffers *wadi_buffers_retain(wadi_buffers *b);
void wadi_buffers_release(wadi_buffers *b);

/* A block of at least `bytes` bytes, not cleared; NULL when out of memory. For zero bytes, too, the result is a block. */
void *wadi_buffers_get(wadi_buffers *b, int64_t bytes);
/* Gives a block back to the pool it came from. NULL is fine. */
void wadi_buffers_put(void *block);
/* Where the block's memory begins: the block itself, unless the pool's memory is apart. NULL for NULL. */
void *wadi_buffers_address(const void *block);
/* How many bytes the block really holds. */
int64_t wadi_buffers_capacity(const void *block);

/* Makes *block (NULL: none yet) hold at least `bytes`. If it is too small, it is replaced by one of at least twice the size, and its
 * first `kept` bytes are copied. False when out of memory: the block is unchanged. Not for a pool whose memory is apart. */
bool wadi_buffers_grow(wadi_buffers *b, void **block, int64_t kept, int64_t bytes);

/* Bytes in use now, and the most that were in use so far. Blocks that wait for reuse do not count. */
int64_t wadi_buffers_used(wadi_buffers *b);
int64_t wadi_buffers_peak(wadi_buffers *b);

#endif
