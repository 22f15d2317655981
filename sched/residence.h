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
    /* Copies take effect in the order of their calls, together with the device's launches. When `get` returns it has ended; when `put`
     * returns it has read what it copies. The device's `wait` reports failures. Only the compute thread calls them. */
    void (*put)(void *self, void *to, const void *from, int64_t bytes);
    void (*get)(void *self, void *to, const void *from, int64_t bytes);
    void (*copy)(void *self, void *to, const void *from, int64_t bytes);
    /* Whether what `get` has given means anything: the failure if not. NULL: it always does. */
    wadi_status (*check)(void *self, wadi_error *err);
    void *self;
} wadi_residence;

/* Copies from the host to the residence. For 0 bytes these three do nothing. */
void wadi_residence_put(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* Copies from the residence to the host. */
void wadi_residence_get(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* What was copied to the host may be used only if this is OK: a device that has failed gives zeros. Errors: of the device. */
WADI_NODISCARD wadi_status wadi_residence_check(const wadi_residence *r, wadi_error *err);
/* Copies within the residence. */
void wadi_residence_copy(const wadi_residence *r, void *to, const void *from, int64_t bytes);

/* Memory of a residence as the host can read it: the memory itself if it is host memory, else a copy in a block of `buffers`. The caller
 * gives the block back by wadi_buffers_put. */
typedef struct wadi_sight {
    const void *at; /* NULL: out of memory */
    void *block;    /* NULL: no copy was made */
} wadi_sight;

wadi_sight wadi_residence_see(const wadi_residence *r, wadi_buffers *buffers, const void *from,
                              int64_t bytes);

#endif
