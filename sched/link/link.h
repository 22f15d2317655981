/* The protocol of a link: numbered chunks from a sender to receivers, none lost, none twice.
 *
 *     receiver -> sender   READY(bytes, chunks)   credit granted so far, as totals since the peers met
 *                          DONE(number)           the chunk has been consumed; carries a READY as well
 *                          FAIL(number, reason)   the receiver gives up
 *     sender -> receiver   NOTE                   names the stream and tells what holds for all of it; before the first chunk
 *                          CHUNK(number, sequence)  sequence: chunks sent to this peer before
 *                          END(count)             there are `count` chunks and all of them are done
 *                          FAIL(number, reason)   chunks below `number` still come, the others never will
 *
 * Credits are running totals, so a READY that comes twice or late changes nothing. A sender keeps each chunk until DONE.
 * The chunks of a lost peer go back into the queue, for another peer. An ordered receiver passes chunks on by number and drops
 * those it has seen before. An unordered one (a worker among several) passes them on as they come.
 *
 * Credits bound memory: a peer is never sent more than it granted, with one exception that keeps the stream moving: the
 * oldest chunk that is not done may always be sent. So a receiver holds at most its window and one chunk more, a chunk
 * larger than the window travels alone, and a chunk that comes late after a loss is never blocked by chunks that wait for it. A sender
 * also has its own limit for what it keeps, however much credit it has.
 *
 * A stream may be gone on with when its partners meet again. The receiver then begins anew, at the first chunk that comes, and the sender holds
 * chunks back until it knows which of them are had. The transport asks and tells that.
 *
 * Where receivers share a stream and send what they make of it to one, the number of a chunk there is that of its first element, and it spans as many numbers as it
 * has elements: who computes a chunk may have cut it, and another one who computes it again cuts it elsewhere.
 *
 * If a message of a peer contradicts its earlier messages or what it was sent, `nonsense` says how. The caller then ignores that peer.
 *
 * These are pure state machines, without sockets, threads or clocks. Peers are small numbers that the transport gives. Events go in
 * through the functions on_..., and messages to send come out of ..._pop. Payloads are opaque. A sender drops them through the given
 * function; a receiver passes them to the consumer or drops them. */
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
    void *payload;      /* CHUNK: it still belongs to the sender */
    wadi_status status; /* FAIL */
    const char *reason; /* FAIL: borrowed from the state machine */
} wadi_link_message;

typedef struct wadi_link_failure {
    bool set;
    int64_t number;
    wadi_status status;
    char reason[512];
} wadi_link_failure;

/* Notes why it failed; the first failure counts (failure.c). */
void wadi_link_failure_note(wadi_link_failure *f, int64_t number, wadi_status status,
                            const char *reason);
/* The message that tells `peer`; borrows the reason. */
wadi_link_message wadi_link_failure_told(const wadi_link_failure *f, int peer);

typedef void (*wadi_link_drop)(void *env, void *payload);

/* ---- sender ---- */

typedef struct wadi_link_kept {
    int64_t number, bytes;
    void *payload;
    int peer;  /* to whom it was sent; -1: it waits to be sent */
    bool sent; /* it has been sent to somebody at least once */
} wadi_link_kept;

typedef struct wadi_link_sender {
    struct {
        bool alive, told_note, told_end, told_fail;
        int64_t granted_bytes, granted_chunks; /* total credit granted by READY */
        int64_t sent_bytes, sent_chunks;       /* totals */
    } peer[WADI_LINK_PEERS];
    WADI_VEC(wadi_link_kept) kept; /* by number */
    int64_t most_bytes; /* limit for chunks that are sent and not done; 0: only the credit limits */
    int64_t last_sent;  /* the highest number; -1: none yet */
    bool confirmed;     /* at least one chunk is done */
    bool
        holds; /* no chunk and no END is sent: a receiver that has come back has not said yet how far it is */
    bool ended;
    int64_t end;                /* count of chunks */
    wadi_link_failure failure;  /* our own */
    wadi_link_failure received; /* the failure of a receiver */
    const char *nonsense;       /* how a receiver has contradicted itself; NULL: it has not */
    wadi_link_drop drop;
    void *env;
} wadi_link_sender;

void wadi_link_sender_init(wadi_link_sender *s, wadi_link_drop drop, void *env);
/* Drops the payloads that are kept. */
void wadi_link_sender_fini(wadi_link_sender *s);

/* Queues a chunk and takes its payload. Numbers are unique and mostly rise; a lower one that comes late (it is resent to a worker
 * after a loss) is put before the others. False when out of memory: the payload then still belongs to the caller. */
bool wadi_link_sender_push(wadi_link_sender *s, int64_t number, int64_t bytes, void *payload);
/* No more chunks: `count` is one more than the last number of the stream. */
void wadi_link_sender_end(wadi_link_sender *s, int64_t count);
void wadi_link_sender_fail(wadi_link_sender *s, int64_t number, wadi_status status,
                           const char *reason);

void wadi_link_sender_on_join(wadi_link_sender *s, int peer); /* a new peer under this number */
void wadi_link_sender_on_ready(wadi_link_sender *s, int peer, int64_t bytes, int64_t chunks);
void wadi_link_sender_on_done(wadi_link_sender *s, int peer, int64_t number, int64_t bytes,
                              int64_t chunks);
/* What was done has come to nothing: it is sent again. */
void wadi_link_sender_on_vain(wadi_link_sender *s, int peer, int64_t number, int64_t bytes,
                              int64_t chunks);
void wadi_link_sender_on_fail(wadi_link_sender *s, int peer, int64_t number, wadi_status status,
                              const char *reason);
void wadi_link_sender_on_lost(wadi_link_sender *s, int peer);

/* Drops the chunks that the receiver has already, as `had` says of their payloads: those that come first. */
void wadi_link_sender_skip(wadi_link_sender *s, bool (*had)(const void *env, const void *payload),
                           const void *env);

/* The next message to send; false: none now. */
bool wadi_link_sender_pop(wadi_link_sender *s, wadi_link_message *out);
/* Chunks queued and not sent, chunks sent and not done, live peers. */
int64_t wadi_link_sender_queued(const wadi_link_sender *s);
int64_t wadi_link_sender_kept(const wadi_link_sender *s);
/* How many receivers are there now: of use to tests. */
int wadi_link_sender_peers(const wadi_link_sender *s);

/* ---- receiver ---- */

typedef struct wadi_link_held {
    int64_t number, bytes;
    void *payload;
    int peer;         /* the peer whose credit it uses; -1: it is lost */
    uint64_t senders; /* bit p: peer p has sent it and waits for DONE */
    bool taken;       /* the consumer has it, and is not done */
    int64_t span;     /* numbers that it stands for */
} wadi_link_held;

typedef struct wadi_link_receiver {
    bool ordered;
    int64_t window_bytes, window_chunks; /* per peer */
    struct {
        bool alive, ready, told_fail;
        int64_t freed_bytes, freed_chunks; /* totals of what was consumed or dropped */
        int64_t seen;                      /* every sequence number below this one has come */
        uint64_t seen_more;                /* bit i: sequence number seen + i has come, too */
    } peer[WADI_LINK_PEERS];
    WADI_VEC(wadi_link_held) held;   /* by number: waiting for their turn, or taken */
    WADI_VEC(wadi_link_message) out; /* DONE messages */
    int64_t next;                    /* ordered: the number to pass on next */
    bool ended;
    int64_t end;
    wadi_link_failure failure;  /* our own */
    wadi_link_failure received; /* the failure of the sender */
    bool out_of_memory;
    const char *nonsense; /* how a sender has contradicted itself; NULL: it has not */
    wadi_link_drop drop;
    void *env;
    int64_t (*span)(const void *payload); /* how many numbers a chunk stands for; NULL: each one */
} wadi_link_receiver;

void wadi_link_receiver_init(wadi_link_receiver *r, bool ordered, int64_t window_bytes,
                             int64_t window_chunks, wadi_link_drop drop, void *env);
void wadi_link_receiver_fini(wadi_link_receiver *r);
/* Back to the state after init: nothing has come. */
void wadi_link_receiver_restart(wadi_link_receiver *r);

/* Ordered, before the first chunk: this number is the first. */
void wadi_link_receiver_begin(wadi_link_receiver *r, int64_t number);
/* Likewise, also behind others: what comes before it is not needed, and done. */
void wadi_link_receiver_skip(wadi_link_receiver *r, int64_t number);
/* Chunks that the consumer has taken and not done. */
int wadi_link_receiver_taken(const wadi_link_receiver *r);

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
/* Whether there is one, or a failure stands in its place. */
bool wadi_link_receiver_can_take(const wadi_link_receiver *r);
/* The consumer has finished with the chunk: its memory is free again. */
void wadi_link_receiver_done(wadi_link_receiver *r, int64_t number);
/* The consumer gives up. */
void wadi_link_receiver_fail(wadi_link_receiver *r, wadi_status status, const char *reason);

bool wadi_link_receiver_pop(wadi_link_receiver *r, wadi_link_message *out);
/* Whether all chunks have been passed on and the sender has said that there are no more. */
bool wadi_link_receiver_ended(const wadi_link_receiver *r);
/* The sender's failure, once every chunk before it has been passed on. NULL: none (yet). */
const wadi_link_failure *wadi_link_receiver_failed(const wadi_link_receiver *r);
/* How many senders are there now: of use to tests. */
int wadi_link_receiver_peers(const wadi_link_receiver *r);
/* Chunks and bytes received and not done: of use to tests. */
int64_t wadi_link_receiver_held(const wadi_link_receiver *r, int64_t *out_bytes);

#endif
