/* Ports over ZeroMQ, for the transports whose addresses ZeroMQ understands. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_PORT_H
#define WADI_SCHED_TRANSPORT_ZMQ_PORT_H

#include "sched/transport/port.h"

/* Opens one end in a ZeroMQ context of its own. file: the path of the socket that a side makes when it binds, guarded by
 * socket_file.h; NULL: none. Errors: as wadi_port_open. */
WADI_NODISCARD wadi_status wadi_zmq_port_open(const wadi_port_options *options, const char *file,
                                              wadi_port **out, wadi_error *err);

/* The version of the library in use, by its three numbers; zeros: it is not there. */
void wadi_zmq_version(int out[3]);

#endif
