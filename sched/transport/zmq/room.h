/* Whether the process has room for what ZeroMQ opens. libzmq ends the process when it lacks a descriptor, a thread or memory
 * while a context starts. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_ROOM_H
#define WADI_SCHED_TRANSPORT_ZMQ_ROOM_H

#include "wadi/status.h"

/* Takes what a context with a socket needs, all at once, and gives it back. Errors: WADI_IO (descriptors), WADI_MEMORY (threads,
 * memory); address is named. */
WADI_NODISCARD wadi_status wadi_zmq_has_room(const char *address, wadi_error *err);

#endif
