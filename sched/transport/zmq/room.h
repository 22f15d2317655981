/* Whether the process has room for what ZeroMQ opens. libzmq ends the process when it lacks a descriptor, a thread or memory
 * while a context starts. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_ROOM_H
#define WADI_SCHED_TRANSPORT_ZMQ_ROOM_H

#include "wadi/status.h"

/* Takes all at once what a context with a socket needs, and gives it back. Errors, which name the address: WADI_IO (descriptors),
 * WADI_MEMORY (threads, memory). */
WADI_NODISCARD wadi_status wadi_zmq_has_room(const char *address, wadi_error *err);

#endif
