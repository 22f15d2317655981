/* A device: memory for columns, and workers that run kernels over them.
 *
 * The meaning of a version's steps, branches and loops is defined once, above this interface (sched/steps). A device only does
 * what it alone can do: launch a kernel, copy, and a handful of primitives over its memory. Descriptors (shapes, offsets,
 * strides) and the numbers of elements in branches and loops belong to the host. A device whose kernels cannot read them there
 * takes copies along with each launch.
 *
 * A device works on one version at a time, between `begin` and `end`, for the compute thread alone. Calls take effect in their
 * order, as if in one queue. A call that returns a value has ended when it returns; for the others, `wait` says when. */
#ifndef WADI_SCHED_DEVICE_H
#define WADI_SCHED_DEVICE_H

#include "base/stop.h"
#include "sched/image.h"
#include "sched/slots.h"

typedef struct wadi_device wadi_device;

/* A version at work on a chunk. Borrowed until `end`. */
typedef struct wadi_device_work {
    wadi_slots *slots;
    int64_t first, count; /* stream index of the chunk's first element; elements */
    const wadi_stop
        *stop;   /* called: what is launched shall end with WADI_FAULT_CANCELLED. May be NULL */
    int workers; /* of all devices that share its launches; 0: no other does */
} wadi_device_work;

/* A kernel over a range. */
typedef struct wadi_launch {
    wadi_code code;
    int64_t count; /* elements of the level it works on */
    int64_t n;     /* of what it runs over: elements or units */
    int64_t first; /* of these; others than 0 only for devices that share */
    int64_t *unit; /* the device's; what a units kernel writes, and a flat one reads */
    int nshapes;   /* slots whose shapes it writes */
    const int *shapes;
    bool serial;                      /* one range, one worker, in order */
    bool apart;                       /* all of it runs, though a part faults */
    const wadi_plan_touches *touches; /* NULL: not known */
    /* What kernels see in place of the slots, filled in by devices that must describe them in memory of their own. */
    const wadi_slot *table;
    wadi_fault
        fault; /* out: the first by element, then by place in the result, whatever the number of workers */
} wadi_launch;

/* Where elements come from; borrowed. */
typedef struct wadi_device_source {
    wadi_slot_kind kind;
    wadi_slot slot;
} wadi_device_source;

/* Element i of `to`, 0 <= i < n, becomes a copy of element index[i] of source which[i]. which NULL: source 0 alone; index NULL:
 * element i. A ONCE source has one element, whatever the index. `to` is described and has its columns; which, index and all
 * descriptors are in host memory. */
typedef struct wadi_device_gather {
    const wadi_plan_slot *p; /* of `to` */
    const wadi_slot *to;
    int64_t n, total; /* elements, values */
    const wadi_device_source *source;
    const int32_t *which;
    const int64_t *index;
} wadi_device_gather;

/* Problems for a routine of a library, described when they are wanted. */
typedef struct wadi_device_calls {
    int64_t problems;
    /* As many of the problems [begin, end) as are of one shape, from begin on; at least one. Any thread. */
    void (*describe)(const void *self, int64_t begin, int64_t end, wadi_call *out);
    const void *self;
} wadi_device_calls;

/* Launches that run in strips of rows: of each row the kernels of all launches, in their order, and of each launch so many rows more on both
 * sides. What it writes into a slot of its own, only this strip's later launches read. */
typedef struct wadi_device_strips {
    int n;
    wadi_launch *launch; /* [n]; of each, as many units belong to a row as to the next one */
    const int *halo;     /* [n] rows */
    int64_t rows, strip; /* of all, and of a strip; the last one may have fewer */
    int nslots;          /* slots without columns: each strip has rows of its own for them */
    const int *slots;
    const int64_t *values; /* [nslots] of a row */
    int most;              /* rows more on both sides, at most */
} wadi_device_strips;

/* Turns of a launch that reads slot `from` and writes slot `to`, both ONCE: each turn reads what the turn before has written, and rows near by.
 * Turns of a strip of rows run one after the other while they are in a cache. The kernel never faults. */
typedef struct wadi_device_turns {
    wadi_launch launch; /* as many units belong to a row as to the next one */
    int from, to;
    const wadi_slot *
        first; /* its columns are read by the first turn; those of `from` are written by the second, the fourth .. */
    int turns;
    int64_t rows, strip; /* of all, and of a strip in one turn */
    int64_t reach;       /* rows that a turn reads further on both sides */
    int64_t shares;      /* that workers take; each has 2 * turns * reach rows or more */
} wadi_device_turns;

typedef struct wadi_device_ops {
    bool
        rounds; /* launches of a few units cost little, and what one has read is in a cache for the next */
    void (*destroy)(wadi_device *self);
    /* Workers' time spent, summed, since it was opened. Any thread. */
    int64_t (*busy_ns)(const wadi_device *self);
    int (*workers)(const wadi_device *self);

    /* False when out of memory. */
    bool (*begin)(wadi_device *self, const wadi_device_work *work);
    /* Slots that are still expected are cleared. */
    void (*end)(wadi_device *self);
    /* A fault of the program is told in the launch. */
    void (*launch)(wadi_device *self, wadi_launch *l);
    /* False: there was a fault or no memory, and what was written means nothing; nothing is told. NULL: it has no caches that would gain. */
    bool (*strips)(wadi_device *self, const wadi_device_strips *what);
    /* False: it was cancelled, or there was no memory, and what was written means nothing. NULL: it has no caches that would gain. */
    bool (*turns)(wadi_device *self, const wadi_device_turns *what);
    /* Kernels will emit to the slot, ONCE or IRREGULAR, for `count` elements: only they know its shapes. Harmless for a slot that is
     * expected already. False when out of memory. */
    bool (*expect)(wadi_device *self, int slot, int64_t count);
    /* All has been emitted: those of the slots that were expected are described and have their columns. whole: nothing else is
     * being emitted. False when out of memory. */
    bool (*finish)(wadi_device *self, const int *slots, int n, bool whole);

    /* to[i] = first + i. */
    void (*iota)(wadi_device *self, int64_t *to, int64_t n, int64_t first);
    /* at[i] becomes the sum of those before it, for 0 <= i <= n; returns at[n]. */
    int64_t (*scan)(wadi_device *self, int64_t *at, int64_t n);
    /* How many of n bools are true. */
    int64_t (*count)(wadi_device *self, const void *bools, int64_t n);
    void (*gather)(wadi_device *self, const wadi_device_gather *g);
    /* False: declined; what was written means nothing. NULL: the device has no libraries, and declines all. */
    bool (*routine)(wadi_device *self, const wadi_device_calls *batch);

    /* Returns when all calls so far have ended. Errors: of the device itself. */
    wadi_status (*wait)(wadi_device *self, wadi_error *err);
} wadi_device_ops;

struct wadi_device {
    const wadi_device_ops *ops;
    const wadi_residence *residence; /* of columns; NULL: host memory */
    const wadi_image_ops *images;    /* what loads the kernels it launches */
    bool
        shares; /* it can do a part of a launch beside other devices: it heeds wadi_launch.first and wadi_device_work.workers */
};

typedef struct wadi_device_options {
    int number;            /* which of its kind, from 0 on */
    wadi_buffers *buffers; /* of host memory */
    int64_t keep_bytes;    /* of its own memory that waits for reuse, at most */
    int threads;           /* 0: one per processor */
} wadi_device_options;

/* What people are told of a device. */
typedef struct wadi_device_facts {
    char name[128]; /* as its maker calls it */
    char versions
        [192];      /* of its driver and its language, or what else there is to say; "": nothing */
    int64_t memory; /* bytes for columns; 0: not known */
} wadi_device_facts;

#endif
