/* The protocol of a link: numbered chunks from a sender to receivers, none lost, none twice.
 *
 *     receiver -> sender   READY(bytes, chunks)   credit granted so far, as totals since the peers met
 *                          DONE(number)           the chunk has been consumed; carries a READY as well
 *                          FAIL(number, reason)   the receiver gives up
 *     sender -> receiver   NOTE                   names the stream, with what is to be said about it as a whole; before the first chunk
 *                          CHUNK(number, sequence)  sequence: chunks sent to this peer before
 *                          END(count)             there are `count` chunks and all of them are done
 *                          FAIL(number, reason)   chunks below `number` still come, the others never will
 *
 * Credits are running totals, so a READY that comes twice or late changes nothing. A sender keeps each chunk until DONE;
 * the chunks of a lost peer go back into the queue, for another. An ordered receiver hands chunks out by number and drops
 * what it has seen; an unordered one (a worker among several) takes what comes.
 *
 * Credits bound memory: a peer is never sent more than it granted, with one exception that keeps the stream moving: the
 * oldest chunk that is not done may always be sent. So a receiver holds at most its window and one chunk more, a chunk
 * larger than the window travels alone, and a chunk that comes late after a loss is never blocked by those it holds up. A sender has a
 * bound of its own for what it keeps, however much it is granted.
 *
 * What a peer says may contradict what it has said or what it was sent: then `nonsense` tells, and the peer is not to be listened to
 * any more.
 *
 * Pure state machines: no sockets, threads or clocks. Peers are small numbers given by the transport. Events go in by
 * on_...; what is to be sent comes out of ..._pop. Payloads are opaque: a sender's are dropped by the function given,
 * a receiver's are handed to the consumer or dropped. */
#ifndef WADI_SCHED_LINK_LINK_H
#define WADI_SCHED_LINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wadi/status.h"

enum {
    WADI_LINK_PEERS = 64,
    WADI_LINK_WINDOW = 60 /* chunks a receiver grants at most */
};

typedef enum wadi_link_kind {
    WADI_LINK_NOTHING = 0,
    WADI_LINK_READY = 1,
    WADI_LINK_CHUNK = 2,
    WADI_LINK_DONE = 3,
    WADI_LINK_FAIL = 4,
    WADI_LINK_END = 5,
    WADI_LINK_NOTE = 6
} wadi_link_kind;

/* A message to a peer. */
typedef struct wadi_link_message {
    wadi_link_kind kind;
    int peer;
    int64_t number;     /* CHUNK, DONE, FAIL: the chunk; END: the count; READY: chunks granted */
    int64_t bytes;      /* CHUNK: its size; READY, DONE: bytes granted */
    int64_t sequence;   /* CHUNK: chunks sent to this peer before; DONE: chunks granted */
    void *payload;      /* CHUNK: still the sender's */
    wadi_status status; /* FAIL */
    const char *reason; /* FAIL: borrowed from the state machine */
} wadi_link_message;

typedef struct wadi_link_failure {
    bool set;
    int64_t number;
    wadi_status status;
    char reason[512];
} wadi_link_failure;

typedef void (*wadi_link_drop)(void *env, void *payload);

/* ---- sender ---- */

typedef struct wadi_link_kept {
    int64_t number, bytes;
    void *payload;
    int peer;  /* -1: waits to be sent */
    bool sent; /* to anybody, ever */
} wadi_link_kept;

typedef struct wadi_link_sender {
    struct {
        bool alive, told_note, told_end, told_fail;
        int64_t granted_bytes, granted_chunks; /* by READY, in all */
        int64_t sent_bytes, sent_chunks;       /* in all */
    } peer[WADI_LINK_PEERS];
    WADI_VEC(wadi_link_kept) kept; /* by number */
    int64_t most_bytes;            /* of what is sent and not done; 0: as much as is granted */
    int64_t last_sent;             /* the highest number; -1: none yet */
    bool confirmed;                /* some chunk has been done */
    bool ended;
    int64_t end;                /* count of chunks */
    wadi_link_failure failure;  /* ours */
    wadi_link_failure received; /* a receiver's */
    const char *nonsense;       /* what a receiver has said that cannot be; NULL: nothing */
    wadi_link_drop drop;
    void *env;
} wadi_link_sender;

void wadi_link_sender_init(wadi_link_sender *s, wadi_link_drop drop, void *env);
/* Drops what is kept. */
void wadi_link_sender_fini(wadi_link_sender *s);

/* Queues a chunk and takes its payload. Numbers are unique and mostly rise; one that comes late (resent to a worker
 * after a loss) is put before the others. False when out of memory: the payload is still the caller's. */
bool wadi_link_sender_push(wadi_link_sender *s, int64_t number, int64_t bytes, void *payload);
/* No more chunks: `count` is one more than the last number of the stream. */
void wadi_link_sender_end(wadi_link_sender *s, int64_t count);
void wadi_link_sender_fail(wadi_link_sender *s, int64_t number, wadi_status status,
                           const char *reason);

void wadi_link_sender_on_join(wadi_link_sender *s, int peer); /* a new peer under this number */
void wadi_link_sender_on_ready(wadi_link_sender *s, int peer, int64_t bytes, int64_t chunks);
void wadi_link_sender_on_done(wadi_link_sender *s, int peer, int64_t number, int64_t bytes,
                              int64_t chunks);
void wadi_link_sender_on_fail(wadi_link_sender *s, int peer, int64_t number, wadi_status status,
                              const char *reason);
void wadi_link_sender_on_lost(wadi_link_sender *s, int peer);

/* The next message to send; false: none now. */
bool wadi_link_sender_pop(wadi_link_sender *s, wadi_link_message *out);
/* Chunks queued and not sent, chunks sent and not done, live peers. */
int64_t wadi_link_sender_queued(const wadi_link_sender *s);
int64_t wadi_link_sender_kept(const wadi_link_sender *s);
int wadi_link_sender_peers(const wadi_link_sender *s);

/* ---- receiver ---- */

typedef struct wadi_link_held {
    int64_t number, bytes;
    void *payload;
    int peer;         /* whose credit it uses */
    uint64_t senders; /* bit p: peer p sent it and wants to hear when it is done */
    bool taken;       /* by the consumer, not done yet */
} wadi_link_held;

typedef struct wadi_link_receiver {
    bool ordered;
    int64_t window_bytes, window_chunks; /* per peer */
    struct {
        bool alive, ready, told_fail;
        int64_t freed_bytes, freed_chunks; /* consumed or dropped, in all */
        int64_t seen;                      /* every sequence number below this one has come, */
        uint64_t seen_more;                /* and seen + i if bit i is set */
    } peer[WADI_LINK_PEERS];
    WADI_VEC(wadi_link_held) held;   /* by number: waiting for their turn, or taken */
    WADI_VEC(wadi_link_message) out; /* DONE messages */
    int64_t next;                    /* ordered: the number to hand out next */
    bool ended;
    int64_t end;
    wadi_link_failure failure;  /* ours */
    wadi_link_failure received; /* the sender's */
    bool out_of_memory;
    const char *nonsense; /* what a sender has said that cannot be; NULL: nothing */
    wadi_link_drop drop;
    void *env;
} wadi_link_receiver;

void wadi_link_receiver_init(wadi_link_receiver *r, bool ordered, int64_t window_bytes,
                             int64_t window_chunks, wadi_link_drop drop, void *env);
void wadi_link_receiver_fini(wadi_link_receiver *r);
/* As new: nothing has come. */
void wadi_link_receiver_restart(wadi_link_receiver *r);

void wadi_link_receiver_on_join(wadi_link_receiver *r, int peer);
/* Takes the payload. */
void wadi_link_receiver_on_chunk(wadi_link_receiver *r, int peer, int64_t number, int64_t sequence,
                                 int64_t bytes, void *payload);
void wadi_link_receiver_on_end(wadi_link_receiver *r, int64_t count);
void wadi_link_receiver_on_fail(wadi_link_receiver *r, int64_t number, wadi_status status,
                                const char *reason);
void wadi_link_receiver_on_lost(wadi_link_receiver *r, int peer);

/* The next chunk for the consumer, who owns the payload from now on; false: none now. */
bool wadi_link_receiver_take(wadi_link_receiver *r, int64_t *out_number, void **out_payload);
/* The consumer has finished with the chunk: its memory is free again. */
void wadi_link_receiver_done(wadi_link_receiver *r, int64_t number);
/* The consumer gives up. */
void wadi_link_receiver_fail(wadi_link_receiver *r, wadi_status status, const char *reason);

bool wadi_link_receiver_pop(wadi_link_receiver *r, wadi_link_message *out);
/* Everything has been handed out and the sender has said that this is all. */
bool wadi_link_receiver_ended(const wadi_link_receiver *r);
/* The sender's failure, once every chunk before it has been handed out; NULL: none (yet). */
const wadi_link_failure *wadi_link_receiver_failed(const wadi_link_receiver *r);
int wadi_link_receiver_peers(const wadi_link_receiver *r);
/* Chunks and bytes received and not done. */
int64_t wadi_link_receiver_held(const wadi_link_receiver *r, int64_t *out_bytes);

#endif
