/* Where the columns of arrays live.
 *
 * A device may have memory of its own, which only the device reads and writes; the host copies from it and to it. Its
 * addresses may be used in arithmetic but never followed. NULL stands for the memory of the host; copying is then memcpy.
 *
 * Only columns live apart: shapes, offsets and strides are on the host wherever the columns are. */
#ifndef WADI_SCHED_RESIDENCE_H
#define WADI_SCHED_RESIDENCE_H

#include "sched/buffers.h"

typedef struct wadi_residence {
    wadi_buffers *blocks; /* a pool of the memory (wadi_buffers_address) */
    /* In the order in which they are called, and in turn with the device's launches; `get` has ended when it returns, `put` has
     * read what it copies. What fails is told by the device's `wait`. The compute thread. */
    void (*put)(void *self, void *to, const void *from, int64_t bytes);
    void (*get)(void *self, void *to, const void *from, int64_t bytes);
    void (*copy)(void *self, void *to, const void *from, int64_t bytes);
    void *self;
} wadi_residence;

/* From the host to `to`, which is there. bytes 0: nothing. */
void wadi_residence_put(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* From `from`, which is there, to the host. */
void wadi_residence_get(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* Both are there. */
void wadi_residence_copy(const wadi_residence *r, void *to, const void *from, int64_t bytes);

/* What the host sees of memory that is there: that memory itself if it is the host's, else a copy in a block of `buffers`, which the
 * caller puts back. */
typedef struct wadi_sight {
    const void *at; /* NULL: out of memory */
    void *block;    /* NULL: no copy was made */
} wadi_sight;

wadi_sight wadi_residence_see(const wadi_residence *r, wadi_buffers *buffers, const void *from,
                              int64_t bytes);

#endif
