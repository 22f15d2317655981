/* The interface of sources and sinks, which every connector implements.
 *
 * A connector embeds wadi_source or wadi_sink as its first member and fills in the operations. A run borrows the handle and
 * calls it from one thread at a time: sources from the stream's source thread, and sinks from their sink thread (those that
 * read or keep memory also from the compute thread). The owner calls destroy after the run. All other operations may block;
 * meanwhile the other stages go on. */
#ifndef WADI_SCHED_STREAM_H
#define WADI_SCHED_STREAM_H

#include <stdatomic.h>

#include "base/retry.h"
#include "base/text.h"
#include "sched/builder.h"
#include "sched/chunk.h"
#include "sched/whole.h"
#include "wadi/stream.h"

/* A position between two elements of a stream, in numbers that can be stored and used by another process, for a source of the same
 * data. All zero: the beginning. */
typedef struct wadi_position {
    int64_t element; /* the number of elements before it */
    int64_t
        mark; /* the position in a unit of the source: a byte of a file, a message of a queue; 0 if the number of
                        the element is enough */
} wadi_position;

typedef struct wadi_source_ops {
    /* Closes and frees. Required. */
    void (*destroy)(wadi_source *self);
    /* Appends the next elements to an empty builder: at most k, and fewer if the builder is full or the others have not arrived. Appending
     * none ends the stream. After a failure, the elements appended so far still count. Required. */
    wadi_status (*next)(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err);
    /* No more elements are needed, because of `why`, which the source may pass on to its supplier. Called by the owner's thread, before
     * or after a run. Optional. */
    void (*give_up)(wadi_source *self, const wadi_error *why);
    /* The position of the next element. NULL: the source does not know it. */
    wadi_status (*tell)(wadi_source *self, wadi_position *out, wadi_error *err);
    /* Goes to this position, which may be the end. After a failure the position is unchanged. Errors: WADI_INVALID (no position of this
     * source), WADI_UNSUPPORTED (the data can be read only once), WADI_IO. NULL: the source cannot go back. */
    wadi_status (*seek)(wadi_source *self, wadi_position to, wadi_error *err);
    /* Appends what tells its data from others, wherever they lie: lengths and digests. Optional. */
    wadi_status (*describe)(wadi_source *self, wadi_text *out, wadi_error *err);
    /* Of a run that is saved: nobody will go back to a place before this one. all: nor to any other, for the run has ended well. Called while
     * another thread may be at the source, with `all` by the only one. Of a source that gives a part of a stream, with `all`: whoever gets that knows its end.
     * Optional for others. */
    void (*keep)(wadi_source *self, wadi_position behind, bool all);
    /* Of a source that gives a part of a stream. These elements of it, by their places in the whole, are where nothing can lose them any more. From any thread. */
    void (*settled)(wadi_source *self, int64_t first, int64_t count);
    /* Likewise: what is made of it goes nowhere any more. The source fails with this where it waits. From any thread. */
    void (*lost)(wadi_source *self, const wadi_error *why);
    /* Likewise: whoever gathers what is made of it has this. From any thread. */
    void (*gathered)(wadi_source *self, const wadi_gatherer *what);
    /* Likewise: while others have not yet all that is made of it. Behind its end, by the only thread; does not wait. */
    wadi_status (*attend)(wadi_source *self, wadi_error *err);
    /* Likewise: the whole stream. From any thread, behind
     * the first element or the end. */
    void (*whole)(const wadi_source *self, wadi_whole *out);
} wadi_source_ops;

struct wadi_source {
    const wadi_source_ops *ops;
    const char *kind; /* "callback", for messages; static */
    int wake_fd; /* set by the run, -1 outside one: readable once it is cancelled. A source that waits for
                         descriptors watches this one too, and fails with WADI_CANCELLED */
    const atomic_bool *
        over; /* set by a run that is saved: true once it is to end. A source that may wait for ever looks at it now
                 and then, and fails with WADI_CANCELLED; what it has appended is read again by the process that goes on. NULL: it does not end so */
    int64_t
        at_hand; /* number of elements left if all lie in memory: `next` then only points at them, does not wait and
                         cannot fail, so no thread is needed to call it. 0: they must be read */
    int64_t
        total; /* number of elements from the beginning to the end, as far as is known when the source is opened; 0: it is not. Only for
                  those who look at the run: it may prove wrong */
    int64_t
        window; /* bytes of chunks that it may hold itself, which the run takes off its memory; 0: none */
    bool
        is_part; /* it gives a part of a stream that is shared: consecutive elements at a time, in any order, and some perhaps twice */
    int64_t place; /* of such a one, after `next`: of the first of these elements in the whole */
    int parts;     /* -1: an empty stream whose parts are unknown */
    wadi_part part[WADI_MAX_PARTS];
    bool linked; /* as of a sink */
};

/* Whether rank and fields are possible. */
static inline bool wadi_part_is_possible(const wadi_part *p) {
    return p->rank >= 0 && p->rank <= WADI_MAX_RANK && p->fields >= 1 &&
           p->fields <= WADI_MAX_FIELDS;
}

typedef struct wadi_sink_ops {
    /* Closes and frees; what was not finished counts as aborted. Required. */
    void (*destroy)(wadi_sink *self);
    /* Takes the next chunk, borrowed. A retained chunk is valid until finish or abort returns, not longer, since it may refer to
     * memory of the source or of the run. Chunks come in order. Required. */
    wadi_status (*put)(wadi_sink *self, wadi_chunk *c, wadi_error *err);
    /* The stream has ended well: completes the output. Called once, after the last put. Optional. */
    wadi_status (*finish)(wadi_sink *self, wadi_error *err);
    /* The stream has failed because of `why`: leaves no output that looks complete. Called instead of finish. Optional. */
    void (*abort)(wadi_sink *self, const wadi_error *why);
    /* What the sink has stored permanently, from the beginning of the stream: it need not be put again if the stream starts again. An output
     * that appears only when it is complete has nothing before `finish`, unless it lasts. NULL: the sink does not know. */
    wadi_status (*have)(wadi_sink *self, wadi_position *out, wadi_error *err);
    /* Before the first put: from now on the output lasts. What `have` tells stays if the process ends, and another process that makes
     * the same sink can go on behind it. NULL: it cannot. */
    wadi_status (*last)(wadi_sink *self, wadi_error *err);
    /* Appends what tells its output from others that would not be found wrong where they are gone on with: the form of the elements, and the place where nothing else tells. Never fails. Optional. */
    void (*describe)(const wadi_sink *self, wadi_text *out);
    /* Of an output that lasts, before the first put: goes on behind what an earlier process has stored. ended: that was all, and `finish` may
     * have been called. Errors: WADI_IO (it is not there any more). Required if there is `last`. */
    wadi_status (*go_on)(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err);
    /* Of an output that lasts at the other end of a link, or with a server, after `last`: waits for that end. *out: how many elements it had when the run was saved, 0: it was not; it becomes how many
     * it has, which may be fewer than were put there. NULL: all that was put is there. */
    wadi_status (*meet)(wadi_sink *self, int64_t *out, wadi_error *err);
    /* The same for elements that the other end will have whatever happens. Does not wait; from any thread. Required if there is `meet`. */
    int64_t (*certain)(const wadi_sink *self);
} wadi_sink_ops;

struct wadi_sink {
    const wadi_sink_ops *ops;
    const char *kind; /* static */
    int wake_fd;      /* as for a source */
    bool sync;        /* the output must be on the disk when finish returns */
    atomic_bool
        saved; /* set by a run that is saved: somebody may go on behind what the sink has told, which stays if the sink is given up */
    int64_t
        window; /* bytes of chunks that it may keep when put has returned, which the run takes off its memory; 0: none */
    uint64_t
        stream; /* set by a run that is saved, before `last`: a number below 2^63 of what the sink gets, the same if the same run is started again */
    bool
        begins; /* others see what it puts before anything is saved: the run first saves that it has begun, so that another process knows what is its own */
    uint64_t
        run; /* then, in a run that is saved, before `meet`: a number of the run that no other has, the same if it is gone on with */
    int64_t
        before; /* likewise: where its output stood when the run began, in a unit of the sink; -1: it begins now, and `meet` sets it */
    wadi_guarantee
        gives; /* in a run that is saved. EXACTLY_ONCE: there is `last`. AT_LEAST_ONCE: it may get elements again which it has got from
                  a process that was ended, as the caller's function or a terminal. NONE: the run is refused */
    wadi_retry
        retry; /* set by the run before the first put: how often what fails is tried again, by sinks that can */
    bool
        strict; /* of one with `meet`: nobody who lacks what was put before a saving can get it again, so none is made before `certain` */
    bool
        confirmed; /* set by a run that is saved, before `meet`, of a strict one: an earlier process has said so by note_confirmed */
    uint64_t confirmed_by; /* likewise */
    void (*note_confirmed)(
        void *env, wadi_sink *self, bool all,
        uint64_t
            by); /* likewise; NULL: nobody asks. The sink says, before it lets anybody know the end, that all it got is where it goes, with whom, or that this no longer counts. From any thread, until finish or abort has returned */
    void *note_env;
    bool
        sends_part; /* sends a part of a stream that is shared, and says itself what of it is settled */
    wadi_source *
        part_of; /* set by the run: what the sink gets comes of a part of a stream, which this source gives. `first` of a chunk is then a place in the whole. NULL: it does not */
    bool
        keeps; /* only keeps what it gets, in memory: `put` does not wait, and any thread may call it */
    bool
        ordered; /* what it makes depends on the order of the elements, as a picture of several planes does: it refuses those that come in any */
    bool
        linked; /* another process is behind it: what it sends and waits for is a lane of a trace */
    bool
        unwatched; /* never looks at wake_fd, which then stays -1: a short run saves the descriptors */
};

/* Call the operations of these names. Errors: WADI_UNSUPPORTED if the source or sink lacks the operation. Not during a run. */
WADI_NODISCARD wadi_status wadi_source_tell(wadi_source *source, wadi_position *out,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_source_seek(wadi_source *source, wadi_position to, wadi_error *err);
/* Whether the source can go back to where it stands, so that what it gives can be had again. Errors: the reason why it cannot. */
WADI_NODISCARD wadi_status wadi_source_comes_back(wadi_source *source, wadi_error *err);
WADI_NODISCARD wadi_status wadi_sink_have(wadi_sink *sink, wadi_position *out, wadi_error *err);

/* Whether `to` is a place among `count` elements that need no mark. Errors: WADI_INVALID, which names the kind of source. */
WADI_NODISCARD wadi_status wadi_position_check(wadi_position to, int64_t count, const char *kind,
                                               wadi_error *err);

#endif
