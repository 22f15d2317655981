/* A stage with a state for each key, with workers elsewhere.
 *
 * Home has the states, and an item takes those of its keys along (shards.h). So an item is sent when the items before it that have keys of the same shards
 * have been answered, and their states have come back to the table; a few chunks are on their way at once. What came of a chunk is handed on when it is
 * whole, in its turn.
 *
 * Nothing is known of a chunk before all its items are there. If one of them fails, for whatever reason, the states become those before the first chunk that has
 * not been handed on, and all such chunks are computed here, in their order, by the code of a run without workers: so faults, what is left out, dead letters, and the order
 * of keys are those of such a run. All is by the compute thread. */
#ifndef WADI_SCHED_RUN_FAR_KEYED_H
#define WADI_SCHED_RUN_FAR_KEYED_H

#include "sched/run/far.h"
#include "sched/run/shards.h"

typedef enum wadi_far_item_state {
    WADI_FAR_ITEM_WAITS, /* for items before it */
    WADI_FAR_ITEM_AWAY,  /* it has a ticket */
    WADI_FAR_ITEM_DONE   /* its states are in the table */
} wadi_far_item_state;

typedef struct wadi_far_item {
    wadi_far_item_state state;
    int64_t number;     /* AWAY: of its ticket */
    wadi_chunk *before; /* the states that it was sent with */
    wadi_chunk *out;    /* DONE: results; NULL: none travel */
    int64_t bytes;      /* DONE: of all results */
    const wadi_kind *kind;
} wadi_far_item;

/* A chunk on its way. */
typedef struct wadi_far_batch {
    wadi_chunk *in;
    int64_t keys; /* in front of it */
    wadi_shards shards;
    wadi_far_item item[WADI_SHARDS];
    int left; /* items that are not done */
} wadi_far_batch;

enum { WADI_FAR_BATCHES = 4 };

typedef struct wadi_far_keyed {
    int n;
    wadi_far_batch *at[WADI_FAR_BATCHES]; /* in order */
    wadi_shard_marks marks;
} wadi_far_keyed;

void wadi_far_keyed_fini(wadi_far_part *p); /* harmless if it is not keyed */
/* A chunk of the stage goes to workers, or is computed here. */
WADI_NODISCARD wadi_status wadi_far_keyed_share(struct wadi_stream *s, wadi_far_part *p,
                                                wadi_chunk *in, wadi_error *err);
/* Takes what has come, sends what may be sent now, and hands on what is whole. */
WADI_NODISCARD wadi_status wadi_far_keyed_take(struct wadi_stream *s, wadi_far_part *p,
                                               wadi_error *err);
/* Until nothing is on its way; nothing happens while a chunk is handed on. */
WADI_NODISCARD wadi_status wadi_far_keyed_flush(struct wadi_stream *s, wadi_far_part *p,
                                                wadi_error *err);

#endif
