/* One end of a link: what carries the chunks of a stream to another process, or brings them from one.
 *
 * Each transport (transport.h) has its own kind of port behind these operations. A port belongs to one thread. While it waits it is
 * registered with the run's watchdog, and it wakes when the wake descriptor becomes readable (the run is cancelled).
 *
 * Binding anything but loopback without keys is refused. With keys, both directions are encrypted, the connecting side
 * knows the server's key, and the binding side admits the keys listed and no others.
 *
 * A port has one partner. To a side that binds anybody may come: a receiver stays with the first that names its stream, a sender with
 * the first that asks for chunks. Others are told so, and whatever they say is no concern of the stream; so is a peer whose messages
 * make no sense. A partner that goes before anything of the stream was used is forgotten, and another may come. */
#ifndef WADI_SCHED_TRANSPORT_PORT_H
#define WADI_SCHED_TRANSPORT_PORT_H

#include <stdbool.h>

#include "base/wait.h"
#include "sched/chunk.h"
#include "sched/link/wire.h"

typedef struct wadi_port wadi_port;

/* What a transport implements. Each does what the function of its name below says, in the thread that calls it. All are required. */
typedef struct wadi_port_ops {
    void (*close)(wadi_port *self);
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
    void (*give_up)(wadi_port *self, const wadi_error *why);
} wadi_port_ops;

/* A transport embeds it as its first member. */
struct wadi_port {
    const wadi_port_ops *ops;
    int wake_fd;       /* see wadi_port_options; changed between calls */
    wadi_waits *waits; /* likewise */
};

typedef struct wadi_port_options {
    const char *address;                 /* of a transport in the table */
    bool bind;                           /* else connects */
    bool sends;                          /* else receives, in order */
    int64_t credit_bytes, credit_chunks; /* receiver's window; bytes a sender keeps at most */
    int64_t lost_after_ns;               /* without a partner for so long is an error */
    int64_t first_after_ns;  /* the same for the first one; 0: as lost_after_ns, negative: never */
    const char *owner;       /* who waits, for the watchdog */
    const char *other;       /* who is at the other end, for messages */
    wadi_waits *waits;       /* may be NULL */
    int wake_fd;             /* readable: give up; -1: with the task of whoever waits */
    wadi_buffers *buffers;   /* receiver: where chunks are made */
    wadi_wire_stream stream; /* sender: its id is below 2^63 */
    const void *note;        /* sender: goes in front; copied; NULL: none */
    int64_t note_bytes;
    wadi_wire_limits limits;
    const char *curve_public, *curve_secret, *curve_server; /* Z85; NULL: none */
    const char *const *curve_clients;                       /* ended by NULL */
} wadi_port_options;

/* Opens one end by the transport of the address. The options' strings are copied. Errors: WADI_INVALID (address, keys), WADI_IO,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_port_open(const wadi_port_options *options, wadi_port **out,
                                          wadi_error *err);
/* Drops what is kept and what is under way. NULL is fine. */
void wadi_port_close(wadi_port *p);

/* Replaces the wake descriptor; -1: none. */
void wadi_port_wake_by(wadi_port *p, int wake_fd);
/* Its waits are registered there from now on; NULL: nowhere. */
void wadi_port_watch(wadi_port *p, wadi_waits *waits);

/* ---- sender ---- */

/* Waits until a receiver has been sent the note. Errors: as wadi_port_send. */
WADI_NODISCARD wadi_status wadi_port_introduce(wadi_port *p, wadi_error *err);
/* Hands over one reference to c and returns when it is under way; failing or not, the reference is gone. Numbers rise.
 * Errors: WADI_CANCELLED, WADI_IO (peer lost), or what the receiver gave as its reason. */
WADI_NODISCARD wadi_status wadi_port_send(wadi_port *p, wadi_chunk *owned_c, wadi_error *err);
/* Returns when all that was sent is done, `count` chunks. */
WADI_NODISCARD wadi_status wadi_port_settle(wadi_port *p, int64_t count, wadi_error *err);
/* No more chunks after `count`: returns when all are done and the receiver knows. */
WADI_NODISCARD wadi_status wadi_port_end(wadi_port *p, int64_t count, wadi_error *err);
/* The stream ends at chunk `number` with this error: tells the receiver, and returns when what is before it is done, or
 * cannot be done any more. */
void wadi_port_fail(wadi_port *p, int64_t number, const wadi_error *why);

/* ---- receiver ---- */

/* Waits for the sender's note, at most as long as for the first peer. NULL: it has none and has begun, or ended, without. Borrowed
 * until the close. Errors: as wadi_port_receive. */
WADI_NODISCARD wadi_status wadi_port_note(wadi_port *p, const void **out, int64_t *out_n,
                                          wadi_error *err);
/* Whether a receive would return at once. */
bool wadi_port_ready(wadi_port *p);
/* The next chunk with a reference for the caller, or NULL at the end of the stream. Errors: WADI_CANCELLED, WADI_IO, or what
 * the sender gave as its reason, after the chunks before it. */
WADI_NODISCARD wadi_status wadi_port_receive(wadi_port *p, wadi_chunk **out, wadi_error *err);
/* Chunk `number` has been consumed: its place in the window is free. */
void wadi_port_done(wadi_port *p, int64_t number);
/* No more chunks are wanted. */
void wadi_port_give_up(wadi_port *p, const wadi_error *why);

#endif
