/* Decides which clients may connect: ZeroMQ asks an authenticator inside the process (RFC 27, ZAP) about each CURVE client. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_ZAP_H
#define WADI_SCHED_TRANSPORT_ZMQ_ZAP_H

#include <stddef.h>

#include "wadi/status.h"

/* From now on sockets of `context` in the domain written to out_domain admit clients with one of the public keys (Z85,
 * ended by NULL) and no others. The authenticator's thread ends with the context. Errors: WADI_INVALID (a key),
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zap_admit(void *context, const char *const *keys, char *out_domain,
                                          size_t room, wadi_error *err);

#endif
