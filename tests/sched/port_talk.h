/* A port and peers that tests play, in one thread: while a peer waits for a message, the port is served. */
#ifndef TESTS_SCHED_PORT_TALK_H
#define TESTS_SCHED_PORT_TALK_H

#include "sched/transport/port.h"
#include "sched/transport/zmq/message.h"

enum {
    TALK_STREAM = 77,
    TALK_CHUNKS = 3,
    TALK_BYTES = 1000,
    TALK_CHUNK_BYTES = 16,
    TALK_TEXT = 1024
};

typedef struct talk {
    void *outside; /* the peers' context */
    wadi_port *port;
    wadi_buffers *buffers;
    char address[64];
} talk;

/* The port of these options, which name neither addresses nor credit. */
void talk_open(talk *t, wadi_port_options options);
void talk_close(talk *t);
/* What a port does without anybody waiting for it. */
void talk_look_after(talk *t);
wadi_chunk *talk_chunk(const talk *t, int64_t number);

typedef struct peer {
    void *socket;
    bool binds;
    uint8_t name[256]; /* of the port, for a peer that binds */
    size_t name_bytes;
} peer;

peer talk_peer(talk *t, bool binds);
void talk_leave(peer *p);

/* A message without its chunk; text: what stands behind the control frame, NULL: nothing. */
typedef struct word {
    int version, kind, status;
    int64_t number, sequence, bytes;
    const char *text;
} word;

void talk_say(const peer *p, word w);
/* HELLO of somebody who speaks this version. */
void talk_greet(const peer *p, int speaks);
void talk_say_note(const peer *p, int64_t stream, const char *note);
/* Chunk `number` of two elements of a stream, announced as the control frame says. */
void talk_say_chunk(const talk *t, const peer *p, int64_t stream, int64_t number, word w);
/* The same, announced as what it is, but with another number. */
void talk_resend_chunk(const talk *t, const peer *p, int64_t stream, int64_t number,
                       int64_t instead, int64_t sequence);
/* The same, announced as what it is. */
void talk_send_chunk(const talk *t, const peer *p, int64_t stream, int64_t number);

/* The next message, and its last frame as text. */
word talk_listens(talk *t, peer *p, char text[TALK_TEXT]);
/* The next message that the peer hears is this one. A chunk has the text NULL. Between others a HELLO may come at any time: where a
 * connection was lost the port asks who is still there. */
void talk_hears(talk *t, peer *p, word w);
/* FAIL, of version 2. */
void talk_hears_fail(talk *t, peer *p, int status, int64_t number, int64_t stream,
                     const char *text);
/* Says HELLO again and again while it is turned away with the words `before`, until it is with the words `after`; NULL: until it is
 * welcome. */
void talk_greet_until(talk *t, peer *p, const char *before, const char *after);

#endif
