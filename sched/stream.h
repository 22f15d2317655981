/* The interface of sources and sinks, which every connector implements.
 *
 * A connector embeds wadi_source or wadi_sink as its first member and fills in the operations. A run borrows the handle and
 * calls it from one thread at a time: sources from the stream's source thread, and sinks from their sink thread (those that
 * read or keep memory also from the compute thread). The owner calls destroy after the run. All other operations may block;
 * meanwhile the other stages go on. */
#ifndef WADI_SCHED_STREAM_H
#define WADI_SCHED_STREAM_H

#include "sched/builder.h"
#include "sched/chunk.h"
#include "wadi/stream.h"

/* A place between two elements of a stream, in numbers that can be written down and used by another process. It is good for a source
 * of the same data. All zero: the beginning. */
typedef struct wadi_position {
    int64_t element; /* so many elements come before it */
    int64_t
        mark; /* where that is, in a unit of the source's own: a byte of a file, a message of a queue; 0 where the
                        number of the element says it */
} wadi_position;

typedef struct wadi_source_ops {
    /* Closes and frees. Required. */
    void (*destroy)(wadi_source *self);
    /* Appends the next elements, at most k and fewer when the builder is full or the others are not there yet, to a builder that
     * holds none. Appending none ends the stream. After a failure the elements appended so far still count. Required. */
    wadi_status (*next)(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err);
    /* No more elements are wanted, because of `why`: for a source that can tell whoever supplies them. From the owner's thread, before
     * or after a run. Optional. */
    void (*give_up)(wadi_source *self, const wadi_error *why);
    /* Where the next element stands. NULL: this source cannot say. */
    wadi_status (*tell)(wadi_source *self, wadi_position *out, wadi_error *err);
    /* The next element is the one at this position, which may be the end. After a failure the source stands where it stood. Errors:
     * WADI_INVALID (no position of this source), WADI_UNSUPPORTED (what it reads is gone once it is read), WADI_IO. NULL: this source
     * cannot go back. */
    wadi_status (*seek)(wadi_source *self, wadi_position to, wadi_error *err);
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
    /* How many elements, from the beginning of the stream, it keeps for good: they need not be put again if the stream begins anew. An
     * output that appears only when it is complete keeps none before `finish`. NULL: this sink cannot say. */
    wadi_status (*have)(wadi_sink *self, int64_t *out_elements, wadi_error *err);
} wadi_sink_ops;

struct wadi_sink {
    const wadi_sink_ops *ops;
    const char *kind; /* static */
    int wake_fd;      /* as a source's */
    bool sync;        /* what is written is to be on the disk when finish returns */
    bool
        keeps; /* only keeps what it gets, in memory: `put` waits for nothing, and any thread may call it */
};

/* The operations of these names, for sources and sinks that may lack them: then WADI_UNSUPPORTED. Not while a run has them. */
WADI_NODISCARD wadi_status wadi_source_tell(wadi_source *source, wadi_position *out,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_source_seek(wadi_source *source, wadi_position to, wadi_error *err);
WADI_NODISCARD wadi_status wadi_sink_have(wadi_sink *sink, int64_t *out_elements, wadi_error *err);

/* Whether `to` is a place among `count` elements that need no mark. Errors: WADI_INVALID, which names the kind of source. */
WADI_NODISCARD wadi_status wadi_position_check(wadi_position to, int64_t count, const char *kind,
                                               wadi_error *err);

#endif
