/* Where the columns of arrays live.
 *
 * A device may have memory of its own, which only the device reads and writes; the host copies from it and to it. Its
 * addresses may be used in arithmetic but never followed. NULL stands for the memory of the host; copying is then memcpy.
 *
 * Only columns live apart: shapes, offsets and strides are on the host wherever the columns are. */
#ifndef WADI_SCHED_RESIDENCE_H
#define WADI_SCHED_RESIDENCE_H

#include <stdatomic.h>

#include "sched/buffers.h"

/* Columns that have been sent to a residence before the device wants them: copies, beside the columns on the host. */
typedef struct wadi_ahead {
    /* What the device does from now on finds them. Only the compute thread calls it, perhaps often. False: they are there no more. */
    bool (*use)(struct wadi_ahead *self);
    /* Nobody refers to them any more. Any thread. */
    void (*release)(struct wadi_ahead *self);
} wadi_ahead;

typedef struct wadi_ahead_column {
    const void *from;
    int64_t bytes;
} wadi_ahead_column;

/* Copies beside the device's work. `self` is that of the residence; it lives as long as blocks of the residence do. */
typedef struct wadi_beside {
    wadi_buffers *pinned; /* memory of the host that `fetch` writes to. It may be short */
    /* Begins to copy what the calls so far have left there. The mark says when it has arrived. Only the compute thread calls it. */
    uint64_t (*fetch)(void *self, void *to, const void *from, int64_t bytes);
    /* Waits until all that was fetched up to the mark is there. Any thread. Errors: of the device. */
    wadi_status (*arrived)(void *self, uint64_t mark, wadi_error *err);
    /* Sends n columns; *out gets their addresses there. It has read them when it returns. NULL: there is no room. One thread at a time. */
    wadi_ahead *(*send)(void *self, int n, const wadi_ahead_column *column, void **out);
    /* Memory has run out: nothing is sent ahead any more, and what nobody uses yet is given up. False: there was nothing. */
    bool (*relieve)(void *self);
} wadi_beside;

/* So far; any thread may look. */
typedef struct wadi_traffic {
    atomic_int_least64_t put, got; /* bytes of columns that were copied */
    atomic_int_least64_t
        between; /* bytes that launches moved from one device to others it works with as one */
    atomic_int_least64_t shared,
        whole; /* launches of several that work as one, and of the first alone */
    /* Where copies of columns are traced, in lanes "copies NAME"; NULL: nowhere. Changed while nothing is copied. */
    struct wadi_trace *trace;
    const char *name; /* borrowed */
} wadi_traffic;

typedef struct wadi_residence {
    wadi_buffers *blocks; /* a pool of the memory (wadi_buffers_address) */
    /* Copies take effect in the order of their calls, together with the device's launches. When `get` returns it has ended; when `put`
     * returns it has read what it copies. The device's `wait` reports failures. Only the compute thread calls them. */
    void (*put)(void *self, void *to, const void *from, int64_t bytes);
    void (*get)(void *self, void *to, const void *from, int64_t bytes);
    void (*copy)(void *self, void *to, const void *from, int64_t bytes);
    /* Whether what `get` has given means anything: the failure if not. NULL: it always does. */
    wadi_status (*check)(void *self, wadi_error *err);
    const wadi_beside *beside; /* NULL: there is one queue for all */
    void *self;
    wadi_traffic *traffic;
} wadi_residence;

/* What has been fetched and may not be there yet. */
typedef struct wadi_arrival {
    const wadi_beside *beside;
    void *self;
    uint64_t mark; /* 0: all is there */
    const wadi_traffic *traffic;
    int64_t begin_ns; /* 0: it is not traced */
} wadi_arrival;

/* Copies from the host to the residence. For 0 bytes these three do nothing. */
void wadi_residence_put(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* Copies from the residence to the host. */
void wadi_residence_get(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* The same for columns, which are counted. */
void wadi_residence_put_column(const wadi_residence *r, void *to, const void *from, int64_t bytes);
void wadi_residence_get_column(const wadi_residence *r, void *to, const void *from, int64_t bytes);
/* A copy begins, and has ended: for the trace, if there is one. put: to the residence; else back. */
int64_t wadi_residence_trace_begin(const wadi_residence *r);
void wadi_residence_trace_end(const wadi_residence *r, bool put, int64_t begin_ns, int64_t bytes);
/* Columns that have been copied by other means. */
void wadi_residence_count(const wadi_residence *r, int64_t put, int64_t got);
/* What was copied to the host may be used only if this is OK: a device that has failed gives zeros. Errors: of the device. */
WADI_NODISCARD wadi_status wadi_residence_check(const wadi_residence *r, wadi_error *err);
/* False: nothing was given up, so trying again is of no use. */
bool wadi_residence_relieve(const wadi_residence *r);
/* Waits until all is there. Any thread. Errors: of the device. */
WADI_NODISCARD wadi_status wadi_residence_arrived(const wadi_arrival *a, wadi_error *err);
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
