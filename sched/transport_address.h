/* What may be bound without keys. */
#ifndef WADI_SCHED_TRANSPORT_ADDRESS_H
#define WADI_SCHED_TRANSPORT_ADDRESS_H

#include <stdbool.h>

/* inproc://, ipc:// (guarded by file permissions), and tcp:// on 127.x.x.x, [::1] or localhost. */
bool wadi_address_is_local(const char *address);
bool wadi_address_is_inproc(const char *address);

#endif
