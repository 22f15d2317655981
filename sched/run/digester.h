/* Digests of what a run reads, made in a thread beside the one that computes. Elements that wait for their digest hold their memory: at most so many
 * bytes of them, or one chunk; then whoever adds waits, at wadi_digester_await_room if he is to know of it.
 *
 * This is no pipe (sched/pipe.h). A pipe is a link of the stream: it carries chunks alone, its waits are those that lookers follow from stage to stage, and
 * a receiver that fails ends the stream with chunks under way. Here each chunk comes with the tally that it belongs to, the stream waits for the thread only for
 * want of room, and all chunks are given back also after a failure or when the run is cancelled. */
#ifndef WADI_SCHED_RUN_DIGESTER_H
#define WADI_SCHED_RUN_DIGESTER_H

#include "base/thread.h"
#include "sched/certificate/tally.h"

typedef struct wadi_digester_job {
    wadi_tally *tally;
    wadi_chunk *elements; /* owned */
    int64_t bytes;
} wadi_digester_job;

typedef struct wadi_digester {
    wadi_thread thread; /* begins with the first elements */
    wadi_mutex lock;    /* guards the rest */
    wadi_condition come, done;
    WADI_VEC(wadi_digester_job) jobs; /* the first is at work */
    int64_t bytes, most_bytes;        /* of the jobs */
    bool ends;
    wadi_error failed;
} wadi_digester;

/* most_bytes: that may wait. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_digester_create(int64_t most_bytes, wadi_digester **out,
                                                wadi_error *err);
/* The next elements of that sequence; the chunk is retained, and the tally belongs to the thread until wadi_digester_settle. Waits for room. By one thread at a time. Errors:
 * of an earlier digest, WADI_MEMORY, of starting a thread. */
WADI_NODISCARD wadi_status wadi_digester_add(wadi_digester *b, wadi_tally *tally,
                                             wadi_chunk *elements, wadi_error *err);
/* Whether so many bytes may wait beside those that do. */
bool wadi_digester_has_room(wadi_digester *b, int64_t bytes);
/* Waits for that. By the thread that adds: nobody else takes the room. */
void wadi_digester_await_room(wadi_digester *b, int64_t bytes);
/* Waits until all has its digest. Errors: WADI_MEMORY, each time until wadi_digester_again. */
WADI_NODISCARD wadi_status wadi_digester_settle(wadi_digester *b, wadi_error *err);
/* After wadi_digester_settle: what a digest has failed with is forgotten, as the tallies are. */
void wadi_digester_again(wadi_digester *b);
/* Settles first. NULL is fine. */
void wadi_digester_destroy(wadi_digester *b);

#endif
