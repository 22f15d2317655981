/* A link between two threads of a run: a short queue of chunks, with the credits of a link (link.h) and its ways to end. Each
 * end belongs to one thread.
 *
 * Chunks are handed over by reference, in order. Chunks in flight (sent and not done) are limited in number and bytes; a chunk
 * larger than the limit travels alone. Whoever waits is registered with the run's watchdog and gives up when the run is
 * cancelled. */
#ifndef WADI_SCHED_PIPE_H
#define WADI_SCHED_PIPE_H

#include "base/stop.h"
#include "base/wait.h"
#include "sched/chunk.h"

typedef struct wadi_pipe wadi_pipe;

typedef struct wadi_pipe_options {
    const char *from, *to; /* who sends and who receives, for the watchdog; static */
    int64_t most_chunks, most_bytes;
    wadi_waits *waits;     /* may be NULL */
    const wadi_stop *stop; /* when it is called, waiting ends; may be NULL */
    struct wadi_trace
        *trace; /* what is sent, received and waited for, in the lane "link NAME"; may be NULL */
    char name[96];
} wadi_pipe_options;

WADI_NODISCARD wadi_status wadi_pipe_create(const wadi_pipe_options *options, wadi_pipe **out,
                                            wadi_error *err);
/* Drops the chunks in flight. No thread may use the pipe any more. NULL is fine. */
void wadi_pipe_destroy(wadi_pipe *p);

/* ---- sender ---- */

/* Waits for room and puts the chunk into the queue. Takes over one reference to it, also if it fails. Errors:
 * WADI_CANCELLED, WADI_MEMORY, or the error with which the receiver has given up. */
WADI_NODISCARD wadi_status wadi_pipe_send(wadi_pipe *p, wadi_chunk *owned_c, wadi_error *err);
/* Returns when all chunks that were sent are done. */
WADI_NODISCARD wadi_status wadi_pipe_settle(wadi_pipe *p, wadi_error *err);
/* The error with which the receiver has given up, if it has. */
WADI_NODISCARD wadi_status wadi_pipe_check(wadi_pipe *p, wadi_error *err);
/* Says that no more chunks come. Returns when all are done. */
WADI_NODISCARD wadi_status wadi_pipe_end(wadi_pipe *p, wadi_error *err);
/* Ends the stream with this error. Returns when the chunks before it are done or cannot be done any more. If the run was cancelled,
 * returns at once. */
void wadi_pipe_fail(wadi_pipe *p, const wadi_error *why);

/* ---- receiver ---- */

/* The next chunk with a reference for the caller, or NULL at the end of the stream. Errors: WADI_CANCELLED, or, after the chunks
 * before it, the error with which the sender has ended the stream. */
WADI_NODISCARD wadi_status wadi_pipe_receive(wadi_pipe *p, wadi_chunk **out, wadi_error *err);
/* Whether NULL from wadi_pipe_receive stood for a nudge and not for the end; the nudge is over then. */
bool wadi_pipe_nudged(wadi_pipe *p);
/* Says that a chunk has been consumed: the oldest that was received and is not done yet. That makes room for another. */
void wadi_pipe_done(wadi_pipe *p);
/* Says that no more chunks are wanted, and why. */
void wadi_pipe_give_up(wadi_pipe *p, const wadi_error *why);

/* ---- any thread ---- */

/* How full a pipe is, and who waits. */
typedef struct wadi_pipe_fill {
    int64_t chunks, most_chunks; /* in flight */
    int64_t bytes, most_bytes;   /* of these; one chunk alone may have more */
    int64_t received;            /* chunks, so far */
    int64_t sender_ns,
        receiver_ns; /* for how long that end has waited for the other; 0: it does not */
} wadi_pipe_fill;

wadi_pipe_fill wadi_pipe_look(wadi_pipe *p);

/* The receiver shall not wait for the sender: if nothing has come, wadi_pipe_receive gives NULL, now or the next time. */
void wadi_pipe_nudge(wadi_pipe *p);

#endif
