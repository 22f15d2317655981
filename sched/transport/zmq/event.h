/* What a socket's monitor reports. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_EVENT_H
#define WADI_SCHED_TRANSPORT_ZMQ_EVENT_H

#include <stdbool.h>

/* Reads one event of the monitor: its kind (ZMQ_EVENT_..), and a descriptor or a status. False: there is none, or no monitor. */
bool wadi_zmq_event(void *monitor, int *out_what, int *out_value);

/* What it means that a handshake has failed, apart from keys that are not admitted. */
extern const char wadi_zmq_failed_handshake[];

#endif
