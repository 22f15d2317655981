/* The file of an ipc:// address that is bound: a socket that nobody else listens at. libzmq removes whatever stands there before it
 * binds, and leaves its own socket behind. Addresses without a file (tcp://, ipc://@NAME) are fine in all three. */
#ifndef WADI_SCHED_TRANSPORT_IPC_H
#define WADI_SCHED_TRANSPORT_IPC_H

#include <stdbool.h>
#include <sys/types.h>

#include "wadi/status.h"

/* A socket that was made, so that it can be told from another one of the same name. All zero: none. */
typedef struct wadi_ipc_file {
    bool made;
    dev_t device;
    ino_t number;
} wadi_ipc_file;

/* Before binding: is the address free? Until wadi_ipc_settle is called with *out_lock, other processes that ask wait (for a while). Errors:
 * WADI_INVALID (a file, a folder, a link stands there), WADI_IO (somebody listens there); then there is no lock. What a killed
 * process has left is no obstacle. */
WADI_NODISCARD wadi_status wadi_ipc_claim(const char *address, int *out_lock, wadi_error *err);
/* After binding, or its failure. */
void wadi_ipc_settle(int lock);
/* After it. */
wadi_ipc_file wadi_ipc_made(const char *address);
/* When it is closed: removes the socket if it is still this one. */
void wadi_ipc_remove(const char *address, wadi_ipc_file file);

#endif
