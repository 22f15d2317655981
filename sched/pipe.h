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
    const wadi_stop *stop; /* called: waiting is over; may be NULL */
} wadi_pipe_options;

WADI_NODISCARD wadi_status wadi_pipe_create(const wadi_pipe_options *options, wadi_pipe **out,
                                            wadi_error *err);
/* Drops what is under way. Both threads have gone. NULL is fine. */
void wadi_pipe_destroy(wadi_pipe *p);

/* ---- sender ---- */

/* Takes over one reference to c and returns when it is under way; failing or not, the reference is gone. Errors:
 * WADI_CANCELLED, WADI_MEMORY, or what the receiver gave as its reason. */
WADI_NODISCARD wadi_status wadi_pipe_send(wadi_pipe *p, wadi_chunk *owned_c, wadi_error *err);
/* Returns when all that was sent is done. */
WADI_NODISCARD wadi_status wadi_pipe_settle(wadi_pipe *p, wadi_error *err);
/* Nothing more comes: returns when all is done. */
WADI_NODISCARD wadi_status wadi_pipe_end(wadi_pipe *p, wadi_error *err);
/* The stream ends here with this error: returns when what is before it is done, or cannot be done any more; when the run was
 * cancelled, at once. */
void wadi_pipe_fail(wadi_pipe *p, const wadi_error *why);

/* ---- receiver ---- */

/* The next chunk with a reference for the caller, or NULL at the end of the stream. Errors: WADI_CANCELLED, or what the sender
 * gave as its reason, after the chunks before it. */
WADI_NODISCARD wadi_status wadi_pipe_receive(wadi_pipe *p, wadi_chunk **out, wadi_error *err);
/* The chunk that was received first, of those not done yet, has been consumed: there is room for another. */
void wadi_pipe_done(wadi_pipe *p);
/* No more chunks are wanted. */
void wadi_pipe_give_up(wadi_pipe *p, const wadi_error *why);

#endif
