/* What a source and a sink are to the runtime: the interface every connector implements.
 *
 * A connector embeds wadi_source or wadi_sink as its first member and fills in the operations. A run borrows the handle
 * and calls it from one thread at a time: sources from the stream's source thread, sinks from its sink thread (those that
 * lie or keep in memory also from the compute thread), destroy from the owner after the run. Any but these may block; while one does, the
 * other stages go on. */
#ifndef WADI_SCHED_STREAM_H
#define WADI_SCHED_STREAM_H

#include "sched/builder.h"
#include "sched/chunk.h"
#include "wadi/stream.h"

typedef struct wadi_source_ops {
    /* Closes and frees. Required. */
    void (*destroy)(wadi_source *self);
    /* Appends the next elements, at most k and fewer when the builder is full or the others are not there yet, to a builder that
     * holds none. Appending none ends the stream. After a failure the elements appended so far still count. Required. */
    wadi_status (*next)(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err);
    /* No more elements are wanted, because of `why`: for a source that can tell whoever supplies them. From the owner's thread, before
     * or after a run. Optional. */
    void (*give_up)(wadi_source *self, const wadi_error *why);
} wadi_source_ops;

struct wadi_source {
    const wadi_source_ops *ops;
    const char *kind; /* "callback", for messages; static */
    int wake_fd; /* set by the run, -1 outside one: readable once it is cancelled. A source that waits for
                         descriptors watches this one too, and fails with WADI_CANCELLED */
    int64_t
        at_hand; /* elements left, all of which lie in memory: `next` only points at them, waits for nothing and
                         cannot fail, so no thread is needed to call it. 0: they must be read */
    int parts; /* -1: an empty stream that never said what it is made of */
    wadi_part part[WADI_MAX_PARTS];
};

typedef struct wadi_sink_ops {
    /* Closes and frees; what was not finished counts as aborted. Required. */
    void (*destroy)(wadi_sink *self);
    /* Takes the next chunk, borrowed; retaining it keeps it good until finish or abort returns, not longer, since it may
     * refer to memory of the source or of the run. Chunks come in order. Required. */
    wadi_status (*put)(wadi_sink *self, wadi_chunk *c, wadi_error *err);
    /* The stream has ended well: makes the output complete. Once, after the last put. Optional. */
    wadi_status (*finish)(wadi_sink *self, wadi_error *err);
    /* The stream has failed: leaves no output that looks complete. Instead of finish. `why` says what happened.
     * Optional. */
    void (*abort)(wadi_sink *self, const wadi_error *why);
} wadi_sink_ops;

struct wadi_sink {
    const wadi_sink_ops *ops;
    const char *kind; /* static */
    int wake_fd;      /* as a source's */
    bool sync;        /* what is written is to be on the disk when finish returns */
    bool
        keeps; /* only keeps what it gets, in memory: `put` waits for nothing, and any thread may call it */
};

#endif
