/* A port from the inside, for the two files that make it: transport_exchange.c, what goes over the socket, and transport_zmq.c,
 * what is waited for. */
#ifndef WADI_SCHED_TRANSPORT_INTERNAL_H
#define WADI_SCHED_TRANSPORT_INTERNAL_H

#include <zmq.h>

#include "sched/link.h"
#include "sched/transport.h"

enum {
    WADI_MESSAGE_FRAMES = WADI_WIRE_FRAMES + 2, /* identity and control come first */
    WADI_IDENTITY_BYTES = 255
};

/* Who is at the other end. */
typedef struct wadi_remote {
    bool used;
    bool ours; /* receiver: it sends the stream that is being received */
    size_t identity_bytes;
    uint8_t identity[WADI_IDENTITY_BYTES];
    int fd; /* of the connection, -1 inside a process */
} wadi_remote;

struct wadi_port {
    wadi_port_options options; /* strings replaced by the copies below */
    char address[256], owner[32], other[32];
    void *socket, *monitor;
    bool inproc;
    bool cut;         /* the connecting side's connection has gone */
    bool joined;      /* a peer has been there */
    int64_t alone_ns; /* clock when the last peer went, or the port was opened */
    uint8_t *note;    /* to be sent, or received; NULL: none */
    size_t note_bytes;
    bool has_stream; /* receiver: stream_id is that of the stream being received */
    uint64_t stream_id;
    wadi_link_sender sender;
    wadi_link_receiver receiver;
    wadi_remote remotes[WADI_LINK_PEERS];
    wadi_error broken; /* what the other side sent made no sense; status WADI_OK: nothing */
    wadi_wire_message wire;
    int frames; /* of the message being read */
    zmq_msg_t frame[WADI_MESSAGE_FRAMES];
};

/* Copies it. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_port_keep_note(wadi_port *p, const void *note, size_t n,
                                               wadi_error *err);

int wadi_port_peers(const wadi_port *p);
/* The peer that a connecting side has, from the moment it has connected: is greeted. False: it cannot be. */
bool wadi_port_greet(wadi_port *p);

/* Takes in whatever has come, and lets the state machine speak. Neither waits. */
void wadi_port_take_in(wadi_port *p);
void wadi_port_flush(wadi_port *p);

#endif
