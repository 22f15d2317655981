/* Opening the sockets of a port: options, keys, a monitor. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H
#define WADI_SCHED_TRANSPORT_ZMQ_SOCKET_H

#include "sched/transport/port.h"
#include "sched/transport/zmq/guard.h"
#include "sched/transport/zmq/event.h"
#include "sched/transport/zmq/socket_file.h"

/* Opens a bound ROUTER or a connected DEALER, and a monitor that reports lost connections and failed handshakes. path: of the socket's file, NULL: it
 * has none; who binds claims it, and *out_file is then that file. *out_guard watches the connections of a TCP socket that is bound; NULL: there is none. After a
 * failure *out_socket, *out_monitor and *out_guard have what was opened, for wadi_zmq_socket_close. Errors: WADI_INVALID (wrong or missing keys), WADI_IO. */
WADI_NODISCARD wadi_status wadi_zmq_socket_attach(void *context, const char *address,
                                                  const wadi_port_options *options,
                                                  const char *path, void **out_socket,
                                                  void **out_monitor, wadi_zmq_guard **out_guard,
                                                  wadi_socket_file *out_file, wadi_error *err);
/* Closes all three; each may be NULL. linger: messages in flight are still delivered. */
void wadi_zmq_socket_close(void *socket, void *monitor, wadi_zmq_guard *guard, bool linger);

#endif
