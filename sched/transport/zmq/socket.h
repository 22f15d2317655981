/* Opening the sockets of a port: options, keys, a monitor. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H
#define WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H

#include "sched/transport/port.h"

/* A bound ROUTER or a connected DEALER, and a monitor that tells of lost connections and failed handshakes. What was opened
 * is in *out_socket and *out_monitor even after a failure, for wadi_zmq_socket_close. Errors: WADI_INVALID (keys, or their absence),
 * WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_socket_open(void *context, const char *address,
                                                const wadi_port_options *options, void **out_socket,
                                                void **out_monitor, wadi_error *err);
/* NULLs are fine. linger: messages under way are still delivered. */
void wadi_zmq_socket_close(void *socket, void *monitor, bool linger);

#endif
