/* Watches what the connections of a bound TCP socket make libzmq hold. A high-water mark counts whole messages, and a message may have any number
 * of frames, so the library itself sets no limit. The kernel counts what a connection has received, and its reader says what it took; the
 * difference is held. A connection that has not proven itself may hold little, and is closed when it holds more; there may be few of them. What such connections
 * have left when they ended is still held: while that is much, nobody is let in. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_GUARD_H
#define WADI_SCHED_TRANSPORT_ZMQ_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

enum {
    WADI_GUARD_EACH = (4 << 20) + (64 << 10), /* bytes of one such connection: a note fits */
    WADI_GUARD_ALL = 8 << 20,    /* of all of them together: who holds most goes first */
    WADI_GUARD_CONNECTIONS = 256 /* of them: of the older ones, who holds least goes first */
};

typedef struct wadi_zmq_guard wadi_zmq_guard;

/* Reads `monitor` from now on, in a thread of its own, until the monitoring of its socket is stopped. endpoint: what the socket is bound to, as ZeroMQ
 * says it; address: what messages call it. *out_events: a socket with the events that the reader needs. trusted: bytes that a connection may hold that has proven itself; 0: it is not watched any more. Both sockets and
 * the guard are given back by wadi_zmq_guard_stop. Errors, which leave the monitor to the caller: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_guard_start(void *context, void *monitor, const char *address,
                                                const char *endpoint, int64_t trusted,
                                                wadi_zmq_guard **out, void **out_events,
                                                wadi_error *err);
/* Call this when the monitoring has been stopped. NULL is fine. */
void wadi_zmq_guard_stop(wadi_zmq_guard *g);

/* The reader has taken a frame of so many bytes that came over this connection. A NULL guard is fine here and below. */
void wadi_zmq_guard_took(wadi_zmq_guard *g, int fd, uint64_t bytes);
/* The reader has found nothing more, so nothing of those that have gone is left. */
void wadi_zmq_guard_all_taken(wadi_zmq_guard *g);
/* The connection has proven itself. */
void wadi_zmq_guard_trust(wadi_zmq_guard *g, int fd);
/* Somebody else says that he goes on with what this connection began. If its host has vanished, the connection ends within four seconds, not twenty; not so if that host had no room left
 * for what is sent to it. */
void wadi_zmq_guard_doubt(wadi_zmq_guard *g, int fd);
/* Ends the connection with this descriptor, of a socket that is bound to the address. Without a guard it does so where the address is that of a file. */
void wadi_zmq_guard_end(wadi_zmq_guard *g, const char *address, int fd);
/* Whether something has come over this connection within that time, be it part of a message. False where the system does not tell, as of ipc://. */
bool wadi_zmq_guard_receives(int fd, int64_t within_ns);

#endif
