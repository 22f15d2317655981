/* How a change is implemented: its row, what it keeps, and the tools that the files of sched/change share. */
#ifndef WADI_SCHED_CHANGE_ROW_H
#define WADI_SCHED_CHANGE_ROW_H

#include "base/vec.h"
#include "sched/change/change.h"

/* Chunks that wait, in order. Elements at the beginning of the first may have been used up. */
typedef struct wadi_change_queue {
    WADI_VEC(wadi_chunk *) chunks;
    size_t head;      /* the first chunk that waits; those before it are gone */
    int64_t used;     /* elements of the first chunk that were used up */
    int64_t elements; /* elements that wait */
    int64_t bytes;
    bool ended;
} wadi_change_queue;

/* WINDOWS: the samples from the start of the next window on. */
typedef struct wadi_change_tail {
    void *column[WADI_MAX_PARTS][WADI_MAX_FIELDS];
    int64_t samples; /* how many are kept */
    int64_t skip; /* how many of the next samples are skipped, if the hop is longer than a window */
    int64_t fresh;    /* samples that have come and that no window has covered */
    wadi_chunk *like; /* a chunk without elements, which has the types of the components */
} wadi_change_tail;

/* TAKE, DROP, PICK. */
typedef struct wadi_change_count {
    int64_t first, step, most; /* which elements of the input are picked; at least 0, 1, 0 */
    int64_t seen;              /* how many elements have come */
    int64_t next;              /* the number of the next element that is picked */
    int64_t picked;            /* how many were picked */
} wadi_change_count;

/* What a change does. All functions except `put` may be NULL. READ, which is no change, has none at all. */
typedef struct wadi_change_row {
    wadi_change_facts facts;
    /* Called before the first chunk; all that the change keeps is zero. */
    void (*start)(wadi_change *c);
    /* Takes a chunk with at least one element from an input; see wadi_change_put. */
    wadi_status (*put)(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err);
    /* An input has ended. NULL: nothing has to be done. */
    wadi_status (*end)(wadi_change *c, wadi_error *err);
    /* Whether more elements can give more output, as long as no input has ended. NULL: they can. */
    bool (*wants)(const wadi_change *c);
    /* See wadi_change_needs. NULL: not known. */
    int64_t (*needs)(const wadi_change *c, int64_t need);
    /* Bytes that are kept outside the queues, and giving them back. NULL: there are none. */
    int64_t (*bytes)(const wadi_change *c);
    void (*fini)(wadi_change *c);
    /* Save what is kept outside the queues, and load it into a new change. NULL: there is nothing. `load` is called when the queues have
     * been loaded, and refuses (WADI_INVALID) what `save` cannot have written. */
    wadi_status (*save)(const wadi_change *c, wadi_text *out, wadi_error *err);
    wadi_status (*load)(wadi_change *c, wadi_state_reader *from, wadi_error *err);
    /* The elements in the queues of the inputs wait for other inputs. */
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

/* Makes a chunk ready: takes over a reference, and numbers its elements in the stage's stream. A chunk without elements is dropped. */
WADI_NODISCARD wadi_status wadi_change_ready(wadi_change *c, wadi_chunk *owned_chunk,
                                             wadi_error *err);
WADI_NODISCARD wadi_status wadi_change_push(wadi_change_queue *q, wadi_chunk *owned_chunk,
                                            wadi_error *err);
/* Gives the next elements, at most `most`, with a reference for the caller; NULL if nothing waits. */
WADI_NODISCARD wadi_status wadi_change_pop(wadi_change_queue *q, int64_t most, wadi_chunk **out,
                                           wadi_error *err);
void wadi_change_clear(wadi_change_queue *q);
/* Makes a chunk of `count` elements that holds `chunk`, so that its memory can be described differently. The caller sets the components. */
WADI_NODISCARD wadi_status wadi_change_view(wadi_chunk *chunk, int components, int64_t count,
                                            wadi_chunk **out, wadi_error *err);
/* Makes the error of a fault at the change's place. */
wadi_status wadi_change_fault(const wadi_change *c, int64_t element, const char *what, int64_t x,
                              int64_t y, wadi_error *err);
wadi_status wadi_change_no_memory(const wadi_change *c, wadi_error *err);

/* ---- tools (tools.c) ---- */

/* Makes `count` elements of the chunk ready, from number `begin` on; none if count is not positive. */
WADI_NODISCARD wadi_status wadi_change_ready_slice(wadi_change *c, wadi_chunk *chunk, int64_t begin,
                                                   int64_t count, wadi_error *err);
/* Makes the n elements of `owned_out` at the positions `at` ready (gather.c). The positions rise, and `at` has room for one more. */
WADI_NODISCARD wadi_status wadi_change_ready_gathered(wadi_change *c, wadi_chunk *owned_out,
                                                      const int64_t *at, int64_t n,
                                                      wadi_error *err);
/* Makes all elements ready as they are. It is the `put` of changes that do not change elements. */
WADI_NODISCARD wadi_status wadi_change_ready_all(wadi_change *c, int input, wadi_chunk *chunk,
                                                 wadi_error *err);

/* ---- the rows ---- */

#define WADI_CHANGE(kind, name) extern const wadi_change_row wadi_change_##name;
#include "sched/changes.def"
#undef WADI_CHANGE

#endif
