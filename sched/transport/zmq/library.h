/* The functions of libzmq. The library is loaded when the first link is opened: it brings fifteen others, and most runs need none of them. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_LIBRARY_H
#define WADI_SCHED_TRANSPORT_ZMQ_LIBRARY_H

#include <zmq.h>

#include "wadi/status.h"

#define WADI_ZMQ_CALLS(X) \
    X(bind)               \
    X(close)              \
    X(connect)            \
    X(ctx_new)            \
    X(ctx_term)           \
    X(curve_keypair)      \
    X(curve_public)       \
    X(getsockopt)         \
    X(msg_close)          \
    X(msg_data)           \
    X(msg_get)            \
    X(msg_init)           \
    X(msg_init_data)      \
    X(msg_init_size)      \
    X(msg_more)           \
    X(msg_recv)           \
    X(msg_send)           \
    X(msg_size)           \
    X(poll)               \
    X(recv)               \
    X(send)               \
    X(setsockopt)         \
    X(socket)             \
    X(socket_monitor)     \
    X(strerror)           \
    X(version)            \
    X(z85_decode)         \
    X(z85_encode)

typedef struct wadi_zmq_library {
#define X(name) __typeof__(zmq_##name) *name;
    WADI_ZMQ_CALLS(X)
#undef X
} wadi_zmq_library;

/* To be used after wadi_zmq_open has succeeded, in any thread. */
extern wadi_zmq_library wadi_zmq;

/* Loads the library, once in a process. It stays. Errors: WADI_UNSUPPORTED if it is not there or too old. */
WADI_NODISCARD wadi_status wadi_zmq_open(wadi_error *err);

#endif
