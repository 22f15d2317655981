/* Opening the sockets of a port: options, keys, a monitor. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H
#define WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H

#include "sched/transport/port.h"

/* Opens a bound ROUTER or a connected DEALER, and a monitor that reports lost connections and failed handshakes. After a failure
 * *out_socket and *out_monitor have what was opened, for wadi_zmq_socket_close. Errors: WADI_INVALID (wrong or missing keys), WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_socket_open(void *context, const char *address,
                                                const wadi_port_options *options, void **out_socket,
                                                void **out_monitor, wadi_error *err);
/* Closes both; either may be NULL. linger: messages in flight are still delivered. */
void wadi_zmq_socket_close(void *socket, void *monitor, bool linger);

#endif
