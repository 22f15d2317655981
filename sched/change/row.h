/* A change from the inside: its row, what it keeps, and the tools that the files of sched/change share. */
#ifndef WADI_SCHED_CHANGE_ROW_H
#define WADI_SCHED_CHANGE_ROW_H

#include "base/vec.h"
#include "sched/change/change.h"

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

/* TAKE, DROP, PICK. */
typedef struct wadi_change_count {
    int64_t first, step, most; /* which elements of the input are picked; at least 0, 1, 0 */
    int64_t seen;              /* so many have come */
    int64_t next;              /* number of the next one that is picked */
    int64_t picked;            /* so many have been */
} wadi_change_count;

/* What a change does. Everything but `put` may be NULL; READ, which is no change, has not even that. */
typedef struct wadi_change_row {
    wadi_change_facts facts;
    /* before the first chunk; what it keeps is zero */
    void (*start)(wadi_change *c);
    /* a chunk of one element or more, from an input; see wadi_change_put */
    wadi_status (*put)(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err);
    /* an input has ended; NULL: nothing becomes of that */
    wadi_status (*end)(wadi_change *c, wadi_error *err);
    /* whether more elements can make a difference, as long as no input has ended; NULL: they can */
    bool (*wants)(const wadi_change *c);
    /* see wadi_change_needs; NULL: nobody knows */
    int64_t (*needs)(const wadi_change *c, int64_t need);
    /* bytes kept outside of the queues, and giving them back; NULL: there are none */
    int64_t (*bytes)(const wadi_change *c);
    void (*fini)(wadi_change *c);
    /* what is kept outside of the queues, to bytes and back into a change that has just begun; NULL: nothing. `load` comes when the
     * queues have been loaded, and refuses (WADI_INVALID) what `save` cannot have written */
    wadi_status (*save)(const wadi_change *c, wadi_text *out, wadi_error *err);
    wadi_status (*load)(wadi_change *c, wadi_state_reader *from, wadi_error *err);
    /* elements in the queues of the inputs wait for other inputs */
    bool waits;
} wadi_change_row;

struct wadi_change {
    const wadi_change_row *row;
    wadi_change_options o;
    wadi_change_queue ready; /* changed chunks */
    wadi_change_queue *in;   /* [inputs] ZIP; BATCH: elements of the batch that is not full yet */
    int64_t position;        /* number of the next element that becomes ready */
    wadi_change_count count;
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

/* ---- tools (tools.c) ---- */

/* `count` elements of the chunk from number `begin` on are ready; none, if count is not positive. */
WADI_NODISCARD wadi_status wadi_change_ready_slice(wadi_change *c, wadi_chunk *chunk, int64_t begin,
                                                   int64_t count, wadi_error *err);
/* Brings the n elements of `owned_out` at positions `at`, which rise, together (gather.c); these are ready then. `at` has
 * room for one more. */
WADI_NODISCARD wadi_status wadi_change_ready_gathered(wadi_change *c, wadi_chunk *owned_out,
                                                      const int64_t *at, int64_t n,
                                                      wadi_error *err);
/* All elements as they are: the `put` of changes that leave them alone. */
WADI_NODISCARD wadi_status wadi_change_ready_all(wadi_change *c, int input, wadi_chunk *chunk,
                                                 wadi_error *err);

/* ---- the rows ---- */

#define WADI_CHANGE(kind, name) extern const wadi_change_row wadi_change_##name;
#include "sched/changes.def"
#undef WADI_CHANGE

#endif
