/* A change from the inside: shared by the files change*.c. */
#ifndef WADI_SCHED_CHANGE_INTERNAL_H
#define WADI_SCHED_CHANGE_INTERNAL_H

#include "base/vec.h"
#include "sched/change.h"

/* Chunks that wait, in order; the first may have been used up in part. */
typedef struct wadi_change_queue {
    WADI_VEC(wadi_chunk *) chunks;
    size_t head;      /* those before it are gone */
    int64_t used;     /* elements of the first one */
    int64_t elements; /* waiting */
    int64_t bytes;
    bool ended;
} wadi_change_queue;

/* WINDOWS: samples from the start of the next window on. */
typedef struct wadi_change_tail {
    void *column[WADI_MAX_PARTS][WADI_MAX_FIELDS];
    int64_t samples;  /* kept */
    int64_t skip;     /* of those that come: a hop longer than a window */
    int64_t fresh;    /* samples seen that no window has covered */
    wadi_chunk *like; /* a chunk without elements: types of the components */
} wadi_change_tail;

struct wadi_change {
    wadi_change_options o;
    int64_t seen;            /* TAKE, DROP: elements so far */
    wadi_change_queue ready; /* changed chunks */
    wadi_change_queue *in;   /* [inputs] ZIP; BATCH: elements of the batch that is not full yet */
    int64_t position;        /* number of the next element that becomes ready */
    wadi_change_tail tail;
};

/* Takes over a reference; gives the chunk its number in the stage's stream. A chunk without elements is dropped. */
WADI_NODISCARD wadi_status wadi_change_ready(wadi_change *c, wadi_chunk *owned_chunk,
                                             wadi_error *err);
WADI_NODISCARD wadi_status wadi_change_push(wadi_change_queue *q, wadi_chunk *owned_chunk,
                                            wadi_error *err);
/* The next elements, at most `most`: with a reference for the caller; NULL when nothing waits. */
WADI_NODISCARD wadi_status wadi_change_pop(wadi_change_queue *q, int64_t most, wadi_chunk **out,
                                           wadi_error *err);
void wadi_change_clear(wadi_change_queue *q);
/* The whole of `chunk` under another description: a chunk of `count` elements that holds it, components to be set. */
WADI_NODISCARD wadi_status wadi_change_view(wadi_chunk *chunk, int components, int64_t count,
                                            wadi_chunk **out, wadi_error *err);
/* The fault at the change's place. */
wadi_status wadi_change_fault(const wadi_change *c, int64_t element, const char *what, int64_t x,
                              int64_t y, wadi_error *err);
wadi_status wadi_change_no_memory(const wadi_change *c, wadi_error *err);

wadi_status wadi_change_filter(wadi_change *c, wadi_chunk *chunk, wadi_error *err);
wadi_status wadi_change_expand(wadi_change *c, wadi_chunk *chunk, wadi_error *err);
wadi_status wadi_change_batch(wadi_change *c, wadi_chunk *chunk, wadi_error *err);
wadi_status wadi_change_batch_end(wadi_change *c, wadi_error *err);
wadi_status wadi_change_windows(wadi_change *c, wadi_chunk *chunk, wadi_error *err);
wadi_status wadi_change_windows_end(wadi_change *c, wadi_error *err);
void wadi_change_windows_fini(wadi_change *c);

#endif
