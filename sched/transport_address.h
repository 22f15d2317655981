/* Where a link may lead, and what may be bound without keys. */
#ifndef WADI_SCHED_TRANSPORT_ADDRESS_H
#define WADI_SCHED_TRANSPORT_ADDRESS_H

#include <stdbool.h>

#include "wadi/status.h"

/* ipc://PATH or tcp://HOST:PORT. Errors: WADI_INVALID, which says what is missing. */
WADI_NODISCARD wadi_status wadi_address_check(const char *address, wadi_error *err);
/* ipc:// (guarded by file permissions), and tcp:// on 127.x.x.x, [::1] or localhost. */
bool wadi_address_is_local(const char *address);

#endif
