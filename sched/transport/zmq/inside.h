/* A port over ZeroMQ from the inside, for the files that make it: peers.c, who is at the other end; exchange.c, what goes over
 * the socket; port.c, what is waited for. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_INSIDE_H
#define WADI_SCHED_TRANSPORT_ZMQ_INSIDE_H

#include <zmq.h>

#include "sched/link/link.h"
#include "sched/transport/port.h"
#include "sched/transport/zmq/socket_file.h"
#include "sched/transport/zmq/message.h"

enum {
    WADI_MESSAGE_FRAMES = WADI_WIRE_FRAMES + 2, /* identity and control come first */
    WADI_IDENTITY_BYTES = 255
};

/* A seat: somebody who has spoken sense. */
typedef struct wadi_remote {
    bool used;
    bool gone;    /* to be lost when what it has sent is read */
    int rounds;   /* of reading, since it has gone */
    int version;  /* spoken with it */
    uint64_t met; /* order of meeting */
    int64_t
        doubt_until_ns; /* a connection like its own has ended: until then it is asked whether it is there; 0: none */
    int fd; /* of the connection */
    size_t identity_bytes;
    uint8_t identity[WADI_IDENTITY_BYTES];
} wadi_remote;

typedef struct wadi_zmq_port {
    wadi_port base;
    wadi_port_options options; /* strings replaced by the copies below */
    char address[256], owner[32], other[32];
    void *context, *socket, *monitor;
    char *path;            /* of the socket's file, owned; NULL: none */
    wadi_socket_file file; /* made by this side, if it binds */
    int partner; /* whom the stream is shared with, -1: nobody yet. Of a side that connects: the one it has connected to */
    bool keyed;  /* who is not admitted by a key does not get here */
    bool connected;   /* of a side that connects: now */
    bool present;     /* the partner has been heard */
    bool met;         /* there has been a partner that was heard */
    int64_t alone_ns; /* clock when the last partner went, or the port was opened */
    uint8_t *note;    /* to be sent, or received; NULL: none */
    size_t note_bytes;
    bool without_note; /* receiver: the sender has said that there is none */
    bool has_stream;   /* receiver: stream_id is that of the stream being received */
    bool used;         /* receiver: the consumer has had something of it */
    uint64_t stream_id;
    wadi_link_sender sender;
    wadi_link_receiver receiver;
    wadi_remote remotes[WADI_LINK_PEERS];
    uint64_t meetings;
    int64_t refusals;     /* peers turned away */
    int64_t answering_ns; /* when a second began in which */
    int answered;         /* so many of them were answered */
    char refused[160];    /* why the last one was */
    wadi_error broken;    /* the stream is, by its partner; status WADI_OK: it is not */
    wadi_wire_message wire;
    int frames; /* of the message being read */
    bool frames_left_out;
    zmq_msg_t frame[WADI_MESSAGE_FRAMES];
} wadi_zmq_port;

/* ---- peers.c ---- */

/* Copies it. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_keep_note(wadi_zmq_port *p, const void *note, size_t n,
                                              wadi_error *err);
/* The seat of whoever bears this identity over this connection; -1: it has none. One that has come back over another connection has
 * lost the first. */
int wadi_zmq_find(wadi_zmq_port *p, const void *identity, size_t n, int fd);
/* A seat for somebody new: who has been silent for longest gives up its own when all are taken. -1: the identity is too long. */
int wadi_zmq_seat(wadi_zmq_port *p, const void *identity, size_t n, int fd);
/* The stream is shared with this one from now on. */
void wadi_zmq_claim(wadi_zmq_port *p, int peer);
/* It has gone. When it was the partner the stream is broken with `why` (borrowed), unless nothing of it has been used: then
 * another may come. */
void wadi_zmq_lose(wadi_zmq_port *p, int peer, const wadi_error *why);
/* Notes that somebody was turned away, or that a connection came to nothing; a side that binds tells the log. */
void wadi_zmq_note_refusal(wadi_zmq_port *p, const char *why);
/* Whether one more may be answered: who never reads must not fill memory with answers. */
bool wadi_zmq_may_answer(wadi_zmq_port *p);
/* What has been lost, in words. */
wadi_error wadi_zmq_loss(const wadi_zmq_port *p);

/* ---- exchange.c ---- */

/* What a connecting side says before it has heard anything. False: it cannot. */
bool wadi_zmq_greet(wadi_zmq_port *p);
/* Takes in what has come, and lets the state machine speak. Neither waits. */
void wadi_zmq_take_in(wadi_zmq_port *p);
void wadi_zmq_flush(wadi_zmq_port *p);
/* Somebody's loss is in doubt: look again soon. */
bool wadi_zmq_in_doubt(const wadi_zmq_port *p);
/* Tells those who have a seat and are not the partner. */
void wadi_zmq_dismiss(wadi_zmq_port *p, const wadi_error *why);

#endif
