/* The inside of a port over ZeroMQ, for the files that make it: peers.c and silence.c (the other end), send.c and exchange.c (messages), resume.c and places.c (going on), and port.c (waiting). */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_INSIDE_H
#define WADI_SCHED_TRANSPORT_ZMQ_INSIDE_H

#include <stdatomic.h>

#include "sched/link/link.h"
#include "sched/transport/port.h"
#include "sched/transport/zmq/beats.h"
#include "sched/transport/zmq/guard.h"
#include "sched/transport/zmq/library.h"
#include "sched/transport/zmq/socket_file.h"
#include "sched/transport/zmq/message.h"
#include "sched/transport/zmq/replies.h"

enum {
    WADI_MESSAGE_FRAMES = WADI_WIRE_FRAMES + 2, /* identity and control come first */
    WADI_IDENTITY_BYTES = 255
};

/* What somebody has been told of whoever gathers. */
typedef struct wadi_told_place {
    bool from;    /* FROM */
    int64_t kept; /* of KEPT since then */
} wadi_told_place;

/* A seat: a peer that has sent a message that makes sense. */
typedef struct wadi_remote {
    bool used;
    bool shares;          /* it has said that it shares streams */
    bool joined;          /* of a port that binds and shares: it is one of the partners */
    bool told_over;       /* likewise: that this side knows the end of the stream */
    wadi_told_place told; /* of a port that gathers: what was said to it */
    uint64_t
        by; /* of a port that shares its stream: the process that gathers, as it has said; 0: it has not */
    int64_t have; /* likewise: what that one had */
    int64_t
        lacks;    /* likewise: elements up to this one are forgotten because another one had them */
    bool gone;    /* its connection is lost; it is given up when all its messages have been read */
    int rounds;   /* batches read since it has gone */
    int version;  /* of the protocol, as spoken with it */
    uint64_t met; /* a number that grows with each new peer */
    int64_t
        doubt_until_ns; /* a connection has ended that may be its own: until then it is asked whether it is there; 0: no doubt */
    int fd;             /* of the connection */
    wadi_pulse pulse;
    size_t identity_bytes;
    uint8_t identity[WADI_IDENTITY_BYTES];
} wadi_remote;

/* Of a stream that is gone on with (resume.c). Numbers are of elements. */
typedef struct wadi_resume {
    atomic_bool on;    /* it is one; a receiver knows it from the note */
    bool named;        /* sender: the stream has its id */
    bool asked;        /* receiver: somebody wants chunks, and has said before where to begin */
    bool offered;      /* receiver: the note has said so */
    bool due;          /* receiver: the sender waits for FROM */
    bool said;         /* receiver: FROM was said since the two have met */
    bool hears;        /* receiver: the sender will say HEARD */
    bool heard;        /* sender: HEARD is to be said. Receiver: it was said */
    bool begun;        /* receiver: the first chunk since the two have met has come */
    int64_t reopen_ns; /* not before that */
    bool renewed;      /* connecting side: ZeroMQ has made another connection by itself */
    bool reopen;       /* connecting side: the connection has to be made anew */
    atomic_bool keeps; /* receiver: its consumer says what it keeps */
    int stale; /* receiver: chunks of an earlier connection that the consumer has not done yet */
    uint64_t wanted; /* receiver: the stream that is to come; 0: any */
    int64_t have;    /* receiver: passed on. Sender: what the receiver has said; -1: nothing yet */
    int64_t put;     /* sender: handed over; -1: none yet */
    _Atomic int64_t kept; /* what the receiver will not ask for again */
    atomic_bool kept_all;
    int64_t told; /* receiver: of that; -1: nothing yet */
    bool told_all;
    char keys[3][48]; /* copies of those of the options, to make the connection anew */
} wadi_resume;

typedef struct wadi_zmq_port {
    wadi_port base;
    wadi_port_options options; /* strings replaced by the copies below */
    char address[256], owner[32], other[32];
    void *context, *socket, *monitor;
    wadi_zmq_guard *guard; /* NULL: none */
    wadi_zmq_beats beats;  /* of a port that shares */
    bool all_read;         /* the socket was found empty */
    char *path;            /* of the socket's file, owned; NULL: none */
    wadi_socket_file file; /* made by this side, if it binds */
    int partner; /* the peer at the other end of the stream; -1: none yet. For a side that connects: the peer it has connected to. Of several: one of them */
    bool named;  /* sender that shares and connects: the id of the stream is known */
    int64_t
        total; /* of a stream that is shared: the elements that were laid, or at the end those of all */
    int64_t session; /* receiver: how often it has lost the sender of a stream that is shared */
    wadi_whole
        whole; /* of a stream that is shared: what is known of it; its id and elements are elsewhere */
    wadi_gatherer gathered; /* likewise: whoever gathers it, itself if that is this side */
    wadi_told_place told;   /* of a part: what the sender was told of it */
    bool
        noted; /* of a part: the sender has named its stream since the two have met. One that was started again does not know it at once */
    int64_t told_start;     /* of a part: where the sender begins, as the gatherer was told */
    uint64_t last_by;       /* of a part: the one that was met last */
    int64_t forgotten;      /* of a sender: elements that are no longer here, up to this one */
    bool confirmed;         /* of a sender: its owner was told that all is done */
    int64_t opened_ns;      /* clock when the port was opened */
    int64_t stays_since_ns; /* receiver: when it has told that it has all */
    bool closing;           /* what is dropped from now on is not done */
    wadi_error
        left; /* why the one of several partners that is being lost leaves; status WADI_OK: it gives no reason. A fault of the program stays */
    bool keyed;       /* only peers with an admitted key can send messages */
    bool connected;   /* for a side that connects: whether it is connected now */
    bool present;     /* the partner has sent a message */
    bool met;         /* some partner has sent a message */
    int64_t alone_ns; /* clock when the last partner went, or the port was opened */
    uint8_t *note;    /* to be sent, or received; NULL: none */
    size_t note_bytes;
    bool without_note; /* receiver: the sender has said that there is none */
    bool has_stream;   /* receiver: stream_id is that of the stream being received */
    bool used;         /* receiver: the consumer has got some part of it */
    uint64_t stream_id;
    wadi_link_sender sender;
    wadi_link_receiver receiver;
    wadi_resume resume;
    wadi_remote remotes[WADI_LINK_PEERS];
    uint64_t meetings;
    int64_t refusals;     /* peers turned away */
    wadi_replies replies; /* to those */
    char refused[320];    /* why the last one was turned away */
    wadi_error broken;    /* how the partner broke the stream; status WADI_OK: it did not */
    wadi_wire_message wire;
    int frames; /* of the message being read */
    bool frames_left_out;
    zmq_msg_t frame[WADI_MESSAGE_FRAMES];
} wadi_zmq_port;

/* Whether the port has several partners; whether it puts their parts into order. */
static inline bool wadi_zmq_has_many(const wadi_zmq_port *p) {
    return p->options.share.on && p->options.bind;
}

static inline bool wadi_zmq_gathers(const wadi_zmq_port *p) {
    return wadi_zmq_has_many(p) && !p->options.sends;
}

/* Whether the stream outlives the loss of its partner. */
static inline bool wadi_zmq_is_lasting(const wadi_zmq_port *p) {
    return p->resume.on || (p->options.share.on && !p->options.bind);
}

/* Sender of a stream that is shared: whether its id, and where it begins, is known later. */
static inline bool wadi_zmq_is_named_late(const wadi_zmq_port *p) {
    return p->options.share.on && p->options.sends && (!p->options.bind || p->options.goes_on);
}

/* ---- peers.c ---- */

/* Keeps a copy of the note. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_keep_note(wadi_zmq_port *p, const void *note, size_t n,
                                              wadi_error *err);
/* The seat of the peer with this identity and this connection; -1: it has none. If the peer has come back over another connection, its
 * first one is lost. */
int wadi_zmq_find(wadi_zmq_port *p, const void *identity, size_t n, int fd);
/* Gives a seat to a new peer. If all are taken, the peer that has been silent longest loses its seat. -1: the identity is too long. */
int wadi_zmq_seat(wadi_zmq_port *p, const void *identity, size_t n, int fd);
/* Makes this peer the partner, or one of them. */
void wadi_zmq_claim(wadi_zmq_port *p, int peer);
bool wadi_zmq_is_partner(const wadi_zmq_port *p, int peer);
/* One of several partners leaves, and says why. */
void wadi_zmq_leave(wadi_zmq_port *p, int peer, const wadi_error *why);
/* Of a side that connects: leaves its partner, and connects anew. */
void wadi_zmq_begin_anew(wadi_zmq_port *p);
/* Whether both ends share, or neither. Errors: WADI_INVALID, which says what to do. */
WADI_NODISCARD wadi_status wadi_zmq_check_share(const wadi_zmq_port *p, int peer, wadi_error *err);
/* A message of a kind that this end has no use for. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_refuse_kind(const wadi_zmq_port *p, int kind, wadi_error *err);
/* The peer has gone. If it was the partner, the stream breaks with `why` (borrowed). If nothing of the stream has been used, it does not
 * break: then another partner may come. */
void wadi_zmq_lose(wadi_zmq_port *p, int peer, const wadi_error *why);
/* Notes that a peer was turned away, or that a connection failed. A side that binds also logs it. */
void wadi_zmq_note_refusal(wadi_zmq_port *p, const char *why);
/* Whether one more peer may be answered now, over the connection with this descriptor. This is limited, because peers that never read would fill memory with answers. */
bool wadi_zmq_may_answer(wadi_zmq_port *p, int fd);
/* Describes what was lost with a connection. */
wadi_error wadi_zmq_loss(const wadi_zmq_port *p);

/* ---- silence.c ---- */

/* Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_begin_beats(wadi_zmq_port *p, wadi_error *err);
/* Tells peers that this side lives, and gives up those that have been silent for too long. */
void wadi_zmq_look_after_peers(wadi_zmq_port *p);

/* ---- resume.c ---- */

/* Whether the partner that was lost may come back. Then await makes everything ready for it. */
bool wadi_zmq_comes_back(const wadi_zmq_port *p);
/* The side to which this one has connected turns it away, for now, before the stream has gone on: perhaps it has not noticed yet that the one
 * before has gone. True: it is tried again after a while, as long as there is patience. */
bool wadi_zmq_try_again(wadi_zmq_port *p);
void wadi_zmq_await(wadi_zmq_port *p, const wadi_error *why);
/* Sender: the first element that can still be sent, as far as is known. */
int64_t wadi_zmq_first_at_hand(const wadi_zmq_port *p);
/* Receiver: a NOTE, or a chunk without one, is of this stream. Errors: WADI_INVALID (another one is wanted). */
WADI_NODISCARD wadi_status wadi_zmq_check_wanted(const wadi_zmq_port *p, uint64_t id,
                                                 wadi_error *err);
/* Receiver: a chunk, or an END, with this number comes. */
void wadi_zmq_begin_at(wadi_zmq_port *p, int64_t number);
/* Sender: FROM and KEPT. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_on_from(wadi_zmq_port *p, const wadi_control *c,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_zmq_on_kept(wadi_zmq_port *p, const wadi_control *c,
                                            wadi_error *err);
/* What is to be said to the partner now: by a receiver FROM or KEPT, by a sender HEARD; false: nothing. */
bool wadi_zmq_next_place(wadi_zmq_port *p, wadi_control *out);
/* Receiver: HEARD. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_on_heard(wadi_zmq_port *p, const wadi_control *c,
                                             wadi_error *err);
/* Receiver: whether the sender knows that nothing more is needed, or is not one that could say so. Until then it may come back. */
bool wadi_zmq_is_heard(const wadi_zmq_port *p);
/* Sender: whether the receiver has this chunk already; notes that it was handed over. */
bool wadi_zmq_is_had(wadi_zmq_port *p, const wadi_chunk *c);
/* Receiver: what of the chunk, of which it takes the reference, was not passed on before; *c is NULL if nothing is. Errors: WADI_IO (elements before it are
 * missing), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_trim(wadi_zmq_port *p, wadi_chunk **c, wadi_error *err);
/* Keeps copies of the keys of the options, and forgets them. */
void wadi_zmq_keep_keys(wadi_zmq_port *p);
void wadi_zmq_wipe_keys(wadi_zmq_port *p);

/* ---- places.c: streams that are shared ---- */

/* Another one for each process. */
void wadi_zmq_name_gatherer(wadi_zmq_port *p);
/* Sender: whether the other end can take a stream that is gone on with. Errors: WADI_UNSUPPORTED (an older version). */
WADI_NODISCARD wadi_status wadi_zmq_check_places(const wadi_zmq_port *p, int peer, wadi_error *err);
/* Receiver: FROM of a sender. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_on_start(wadi_zmq_port *p, const wadi_control *c,
                                             wadi_error *err);
/* Gatherer: breaks the stream if its sender begins behind what is here. */
void wadi_zmq_check_start(wadi_zmq_port *p);
/* Part: the side that sends has lost whoever gathers. */
void wadi_zmq_lose_gatherer(wadi_zmq_port *p);
/* Part: as wadi_port_pass_on. Whether it is another gatherer than before: then the port has to begin anew with its sender. */
WADI_NODISCARD bool wadi_zmq_pass_on(wadi_zmq_port *p, const wadi_gatherer *what);
/* Part: whether the sender says that it has to be started again, which this side waits for. */
bool wadi_zmq_is_put_off(const wadi_zmq_port *p, const wadi_control *c);
/* Side that sends: FROM and KEPT with status 0. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_on_shared_place(wadi_zmq_port *p, int peer,
                                                    const wadi_control *c, wadi_error *err);
/* The FROM or KEPT that is to be said now, and to whom; false: none. */
bool wadi_zmq_next_shared_place(wadi_zmq_port *p, int *out_peer, wadi_control *out);
/* Sender: whether DONE of this peer is that of whoever gathers now. */
bool wadi_zmq_counts(wadi_zmq_port *p, int peer);
/* Sender: elements up to this one are forgotten. */
void wadi_zmq_note_forgotten(wadi_zmq_port *p, int64_t end);
/* Sender: something is done. */
void wadi_zmq_note_certain(wadi_zmq_port *p);
/* Sender: before anybody is told the end, tells the owner that all is done. */
void wadi_zmq_note_confirmed(wadi_zmq_port *p);
/* Sender: all was done before, by an earlier process, and nobody has come since who gathers and might lack something. */
bool wadi_zmq_is_settled(const wadi_zmq_port *p);

/* ---- send.c ---- */

/* A thread that closes a message has done so before another one that was handed something: for checkers, which do not see how ZeroMQ orders them. */
void wadi_zmq_hand_over(void);
bool wadi_zmq_send_bytes(wadi_zmq_port *p, const void *data, size_t n, bool more);
/* To this peer; more: other frames come behind it. False: it cannot be reached. */
bool wadi_zmq_say(wadi_zmq_port *p, int peer, wadi_control c, bool more);
bool wadi_zmq_say_hello(wadi_zmq_port *p, int peer);
bool wadi_zmq_say_failure(wadi_zmq_port *p, int peer, int64_t number, wadi_status status,
                          const char *reason);
/* The id of the stream, for messages that must have it; 0: it has none yet. */
int64_t wadi_zmq_stream_of(const wadi_zmq_port *p);
/* Sends the first message of a side that connects. False: that failed. */
bool wadi_zmq_greet(wadi_zmq_port *p);
/* Sends what the state machine has to say. */
void wadi_zmq_flush(wadi_zmq_port *p);
/* Tells all peers that have a seat, except the partner. */
void wadi_zmq_dismiss(wadi_zmq_port *p, const wadi_error *why);

/* ---- exchange.c ---- */

/* Reads the messages that have come, and what the monitor has to tell. Does not wait. */
void wadi_zmq_take_in(wadi_zmq_port *p);
/* Whether some peer may be lost, so that the caller looks again soon. */
bool wadi_zmq_in_doubt(const wadi_zmq_port *p);

#endif
