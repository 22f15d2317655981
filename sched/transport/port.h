/* One end of a link: it carries the chunks of a stream to another process, or from another process.
 *
 * Each transport (transport.h) has its own kind of port behind these operations. A port belongs to one thread. While it waits it is
 * registered with the run's watchdog, and it wakes when the wake descriptor becomes readable (the run is cancelled).
 *
 * Binding anything but loopback without keys is refused. With keys, both directions are encrypted, the connecting side
 * knows the server's key, and the binding side admits the keys listed and no others.
 *
 * A port has one partner. Anybody may connect to a side that binds. A receiver's partner is the first that names its stream, and a sender's
 * the first that asks for chunks. All others are told so, and their messages do not affect the stream; the same holds for a peer whose
 * messages make no sense. If a partner leaves before anything of the stream was used, another may take its place.
 *
 * A port that shares has several partners if it binds: a sender gives each chunk to one of its receivers, and a receiver puts into order what several senders have made
 * of their parts. Those in between connect to both. Their partner may be lost: then they connect anew. */
#ifndef WADI_SCHED_TRANSPORT_PORT_H
#define WADI_SCHED_TRANSPORT_PORT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/wait.h"
#include "sched/chunk.h"
#include "sched/link/wire.h"
#include "sched/whole.h"

typedef struct wadi_port wadi_port;

/* What a receiver knows of the stream of which it gets a part. */
typedef struct wadi_port_part {
    wadi_whole whole;
    int64_t
        session; /* grows when the sender is lost: numbers of chunks from before mean nothing any more */
} wadi_port_part;

/* What a transport implements. The functions below of the same names say what each operation does. All are required. */
typedef struct wadi_port_ops {
    void (*close)(wadi_port *self);
    /* The owner's thread uses the port now, or no longer; one may contain another. NULL: it does not matter. */
    void (*enter)(wadi_port *self);
    void (*leave)(wadi_port *self);
    /* sender */
    wadi_status (*introduce)(wadi_port *self, wadi_error *err);
    wadi_status (*send)(wadi_port *self, wadi_chunk *owned_c, wadi_error *err);
    wadi_status (*settle)(wadi_port *self, int64_t count, wadi_error *err);
    wadi_status (*end)(wadi_port *self, int64_t count, wadi_error *err);
    void (*fail)(wadi_port *self, int64_t number, const wadi_error *why);
    /* receiver */
    wadi_status (*note)(wadi_port *self, const void **out, int64_t *out_n, wadi_error *err);
    bool (*ready)(wadi_port *self);
    wadi_status (*receive)(wadi_port *self, wadi_chunk **out, wadi_error *err);
    void (*done)(wadi_port *self, int64_t number);
    /* streams that are shared */
    wadi_status (*lay)(wadi_port *self, const wadi_whole *of, wadi_chunk *owned_c, wadi_error *err);
    void (*conclude)(wadi_port *self, const wadi_whole *of, int64_t count);
    wadi_status (*serve)(wadi_port *self, wadi_error *err);
    wadi_port_part (*part)(const wadi_port *self);
    void (*pass_on)(wadi_port *self, const wadi_gatherer *what);
    wadi_status (*attend)(wadi_port *self, wadi_error *err);
    void (*give_up)(wadi_port *self, const wadi_error *why);
    /* streams that are gone on with; NULL: this transport has none */
    wadi_status (*meet)(wadi_port *self, uint64_t id, int64_t *out_elements, wadi_error *err);
    int64_t (*certain)(const wadi_port *self);
    void (*go_on)(wadi_port *self, uint64_t id, int64_t elements);
    uint64_t (*stream)(const wadi_port *self);
    void (*keep)(wadi_port *self, int64_t elements, bool all);
} wadi_port_ops;

/* Each transport's own struct begins with this. */
struct wadi_port {
    const wadi_port_ops *ops;
    int wake_fd;             /* see wadi_port_options; changed between calls */
    const atomic_bool *over; /* likewise, of a receiver: see wadi_port_end_when; NULL: never */
    wadi_waits *waits;       /* likewise */
};

/* What a port that shares needs of its owner. The functions are called by the port's thread. */
typedef struct wadi_port_share {
    bool on;
    int fd; /* when it becomes readable, a port that waits calls `nudged`, which makes it unreadable */
    /* Whenever the port works. May lay chunks and say what is done. What it fails with ends the wait. */
    wadi_status (*nudged)(void *env, wadi_error *err);
    /* Sender: the chunk is done. NULL: nobody asks. */
    void (*settled)(void *env, const wadi_chunk *c);
    /* Likewise: who connects has heard this of whoever gathers. */
    void (*gathered)(void *env, const wadi_gatherer *what);
    /* Likewise: who binds has heard that all is done, and somebody will be told the end when this returns; all false: that no longer counts. by: whoever gathers, 0: nobody does. NULL: no other process will ask. */
    void (*confirmed)(void *env, bool all, uint64_t by);
    void *env;
} wadi_port_share;

typedef struct wadi_port_options {
    const char *address; /* of a transport in the table */
    bool bind;           /* binds; false: connects */
    bool sends;          /* sends; false: receives, in order */
    int64_t credit_bytes,
        credit_chunks;     /* a receiver's window; for a sender, the most bytes that it keeps */
    int64_t lost_after_ns; /* it is an error to have no partner for so long */
    int64_t
        first_after_ns; /* the same before the first partner; 0: as lost_after_ns, negative: no limit */
    int64_t
        silent_ns; /* how long one that shares may be silent before it counts as lost; 0: for ever. Of an address without ?silence= that of wadi_port_open */
    const char *owner; /* what the watchdog calls this side */
    const char *other; /* what messages call the other side */
    wadi_waits *waits; /* may be NULL */
    int wake_fd; /* gives up when it becomes readable; -1: when the task of the calling thread is stopped */
    wadi_buffers *buffers;   /* receiver: memory for chunks */
    wadi_wire_stream stream; /* sender: its id is below 2^63 */
    wadi_port_share share;
    bool goes_on;     /* sender: the stream can be gone on with; its id comes with wadi_port_meet */
    const void *note; /* sender: bytes in front of the stream; copied; NULL: none */
    int64_t note_bytes;
    wadi_wire_limits limits;
    const char *curve_public, *curve_secret, *curve_server; /* Z85; NULL: none */
    const char *const *curve_clients;                       /* ended by NULL */
} wadi_port_options;

/* Opens one end through the transport of the address. The strings of the options are copied. Errors: WADI_INVALID (address, keys),
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_port_open(const wadi_port_options *options, wadi_port **out,
                                          wadi_error *err);
/* Drops the chunks that are kept or in flight. NULL is fine. */
void wadi_port_close(wadi_port *p);

/* Replaces the wake descriptor; -1: none. */
void wadi_port_wake_by(wadi_port *p, int wake_fd);
/* Waits for a chunk fail with WADI_CANCELLED from now on, a second later at most, while that is true; NULL: no longer. */
void wadi_port_end_when(wadi_port *p, const atomic_bool *over);
/* Registers its waits with `waits` from now on; NULL: nowhere. */
void wadi_port_watch(wadi_port *p, wadi_waits *waits);

/* ---- sender ---- */

/* Waits until a receiver has been sent the note. Errors: as wadi_port_send. */
WADI_NODISCARD wadi_status wadi_port_introduce(wadi_port *p, wadi_error *err);
/* Waits until the chunk can be sent, and sends it. Takes over one reference to it, also if it fails. Numbers of chunks rise.
 * Errors: WADI_CANCELLED, WADI_IO (peer lost), or the error with which the receiver has given up. */
WADI_NODISCARD wadi_status wadi_port_send(wadi_port *p, wadi_chunk *owned_c, wadi_error *err);
/* Returns when all `count` chunks that were sent are done. */
WADI_NODISCARD wadi_status wadi_port_settle(wadi_port *p, int64_t count, wadi_error *err);
/* Ends the stream after `count` chunks. Returns when all are done and the receiver knows that there are no more. */
WADI_NODISCARD wadi_status wadi_port_end(wadi_port *p, int64_t count, wadi_error *err);
/* Ends the stream at chunk `number` with this error, and tells the receiver. Returns when the chunks before it are done, or
 * cannot be done any more; a port that shares does not wait for that. */
void wadi_port_fail(wadi_port *p, int64_t number, const wadi_error *why);

/* ---- receiver ---- */

/* Waits for the sender's note, at most as long as for the first partner. *out is NULL if the sender has begun or ended without a note. It is
 * borrowed until the port is closed. Errors: as wadi_port_receive. */
WADI_NODISCARD wadi_status wadi_port_note(wadi_port *p, const void **out, int64_t *out_n,
                                          wadi_error *err);
/* Whether a receive would return at once. */
bool wadi_port_ready(wadi_port *p);
/* The next chunk with a reference for the caller, or NULL at the end of the stream. Errors: WADI_CANCELLED, WADI_IO, or, after the
 * chunks before it, the error with which the sender has ended the stream. */
WADI_NODISCARD wadi_status wadi_port_receive(wadi_port *p, wadi_chunk **out, wadi_error *err);
/* Says that chunk `number` has been consumed. That frees its place in the window. */
void wadi_port_done(wadi_port *p, int64_t number);
/* Says that no more chunks are wanted, and why. */
void wadi_port_give_up(wadi_port *p, const wadi_error *why);

/* ---- streams that are shared ---- */

/* Sender: hands the chunk over, of which it takes one reference also if that fails, and does not wait. A side that connects names the stream of which it has a part, one with goes_on its own; the number of
 * the chunks of a part is that of their first element. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_port_lay(wadi_port *p, const wadi_whole *of, wadi_chunk *owned_c,
                                         wadi_error *err);
/* Sender: there are no more. count: of chunks, or where numbers are those of elements of elements. */
void wadi_port_conclude(wadi_port *p, const wadi_whole *of, int64_t count);
/* Sender: works until all is done and whoever gathers the stream knows its end. If nobody is left who could tell that, it works as long as it waits for a partner. Errors: as wadi_port_send. */
WADI_NODISCARD wadi_status wadi_port_serve(wadi_port *p, wadi_error *err);
wadi_port_part wadi_port_part_of(const wadi_port *p);
/* Receiver that has a part, in its own thread: tells the sender what whoever gathers has. */
void wadi_port_pass_on(wadi_port *p, const wadi_gatherer *what);
/* Likewise, behind the end of the stream: does what there is to do, and does not wait. Errors: as wadi_port_receive. */
WADI_NODISCARD wadi_status wadi_port_attend(wadi_port *p, wadi_error *err);

/* ---- streams that are gone on with ----
 *
 * A stream has an id that says what it is of, so a sender that was ended and started again sends the same stream. When the connection is lost, both
 * sides wait for each other as long as the options say. When they meet, the receiver says how many elements it has, and the sender goes on
 * behind them. So each element is passed on once. */

/* Sender with goes_on, before the first chunk: names the stream, below 2^63, and waits for the receiver. *out_elements: how many elements it
 * has. Chunks that it has are not sent. If a receiver comes later that lacks elements which are not here any more, sending fails with
 * WADI_IO. Errors: as wadi_port_send; WADI_UNSUPPORTED (this transport cannot do it). */
WADI_NODISCARD wadi_status wadi_port_meet(wadi_port *p, uint64_t id, int64_t *out_elements,
                                          wadi_error *err);
/* How many elements the receiver will not ask for again, whatever becomes of either side. From any thread. */
int64_t wadi_port_certain(const wadi_port *p);

/* Receiver, before the first receive: only this stream is taken, from that element on. */
void wadi_port_go_on(wadi_port *p, uint64_t id, int64_t elements);
/* The id of the stream that has begun, if it can be gone on with; else 0. */
uint64_t wadi_port_stream(const wadi_port *p);
/* What the consumer passes on is its own from now on only if it says so: the first `elements`, or all. Without a call, what is done is. From any
 * thread; the sender is told when the port works next. With `all` the port has no other thread, and works at once: where the stream is gone on with it waits until the sender has heard of it, at most as long as for a partner. Of a stream that is shared only `all` counts: whoever
 * gathers it knows its end, or who has a part and sends it nowhere has all of that. */
void wadi_port_keep(wadi_port *p, int64_t elements, bool all);

#endif
