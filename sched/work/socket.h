/* The ZeroMQ socket of a work queue: a bound ROUTER at home, a connected DEALER at a worker. */
#ifndef WADI_SCHED_WORK_SOCKET_H
#define WADI_SCHED_WORK_SOCKET_H

#include "sched/transport/zmq/library.h"
#include "sched/transport/zmq/socket.h"
#include "sched/work/message.h"
#include "sched/work/ways.h"

/* Bytes that messages refer to until they have been sent. */
typedef struct wadi_workq_blob wadi_workq_blob;

/* A copy of the bytes, with one reference; NULL when out of memory. */
wadi_workq_blob *wadi_workq_blob_new(const void *bytes, int64_t n);
void wadi_workq_blob_release(wadi_workq_blob *b); /* NULL is fine */

enum {
    WADI_WORKQ_FRAMES = 3, /* identity, control, payload */
    WADI_WORKQ_KEY =
        42 /* room for one of Z85 with its end, and for one that is too long to be valid */
};

typedef struct wadi_workq_socket {
    void *context, *socket, *monitor;
    wadi_zmq_guard *guard; /* NULL: none */
    bool keyed;            /* only peers with an admitted key can send messages */
    char address[256];
    bool bind;
    char key[3][WADI_WORKQ_KEY]; /* our public and secret one and the other side's; "": none */
    char *path;                  /* of the socket's file, owned; NULL: none */
    wadi_socket_file file;       /* made by this side, if it binds */
    int frames;                  /* of the message that was read last */
    zmq_msg_t frame[WADI_WORKQ_FRAMES];
} wadi_workq_socket;

/* file: of the address, NULL: it has none. After a failure there is nothing to close. Errors: WADI_INVALID (keys), WADI_UNSUPPORTED (no ZeroMQ),
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_workq_socket_open(wadi_workq_socket *s,
                                                  const wadi_workq_options *options,
                                                  const char *file, wadi_error *err);
/* Connects anew: libzmq gives up an address for good where somebody with other keys was. What waits to be sent is lost. Errors: WADI_IO; there is nothing but
 * to close it then. */
WADI_NODISCARD wadi_status wadi_workq_socket_renew(wadi_workq_socket *s, wadi_error *err);
/* Whether not anybody can be at the other end: by the keys, or because not everybody can put a file where that of the address is. */
bool wadi_workq_socket_excludes(const wadi_workq_socket *s);
/* What has been sent is still delivered, as far as that takes no more than half a second. */
void wadi_workq_socket_close(wadi_workq_socket *s);

/* A peer of a ROUTER, by what its messages begin with. */
typedef struct wadi_workq_peer {
    size_t n;
    uint8_t identity[255];
} wadi_workq_peer;

/* Reads the next message; false: there is none. It is closed by the next call. */
bool wadi_workq_socket_read(wadi_workq_socket *s);
/* Of the message that was read. Errors: WADI_IO (it makes no sense), WADI_UNSUPPORTED (of another version). *out_payload is borrowed. */
WADI_NODISCARD wadi_status wadi_workq_socket_message(wadi_workq_socket *s, wadi_workq_control *out,
                                                     const void **out_payload, wadi_error *err);
/* The descriptor of the connection over which it came; -1: unknown. */
int wadi_workq_socket_fd(const wadi_workq_socket *s);
/* Who has sent it, and over which connection. False: nobody that can be answered. */
bool wadi_workq_socket_sender(wadi_workq_socket *s, wadi_workq_peer *out, int *out_fd);

/* Sends a message, without waiting. to: NULL for a DEALER; blob: NULL, or the payload. False: the peer is not there. */
bool wadi_workq_socket_send(wadi_workq_socket *s, const wadi_workq_peer *to, wadi_workq_control c,
                            wadi_workq_blob *blob);
bool wadi_workq_socket_send_bytes(wadi_workq_socket *s, const wadi_workq_peer *to,
                                  wadi_workq_control c, const void *bytes, int64_t n);

/* Sleeps until there may be a message or an event, at most so long. Errors: WADI_CANCELLED (wake_fd), WADI_IO. */
WADI_NODISCARD wadi_status wadi_workq_socket_sleep(wadi_workq_socket *s, int wake_fd, int64_t ns,
                                                   wadi_error *err);

/* ---- home.c, worker.c: the two kinds of queue over it ---- */

WADI_NODISCARD wadi_status wadi_workq_home_open(const wadi_workq_options *options, const char *file,
                                                wadi_workq **out, wadi_error *err);
WADI_NODISCARD wadi_status wadi_workq_worker_open(const wadi_workq_options *options,
                                                  const char *file, wadi_workq **out,
                                                  wadi_error *err);

#endif
