/* The file of a socket that is bound. It makes sure that nobody else listens there. libzmq removes whatever is there before it
 * binds, and leaves its own socket behind. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_SOCKET_FILE_H
#define WADI_SCHED_TRANSPORT_ZMQ_SOCKET_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "wadi/status.h"

/* A socket that was made, so that it can be told from another one of the same name. All zero: none. */
typedef struct wadi_socket_file {
    bool made;
    dev_t device;
    ino_t number;
} wadi_socket_file;

/* Before binding: is the path free? Errors name the address. Until wadi_socket_file_settle is called with *out_lock, other processes that ask wait (for a while). Errors:
 * WADI_INVALID (a file, a folder, a link stands there), WADI_IO (somebody listens there); then there is no lock. What a killed
 * process has left is no obstacle. */
WADI_NODISCARD wadi_status wadi_socket_file_claim(const char *address, const char *path,
                                                  int *out_lock, wadi_error *err);
/* After binding, or its failure. */
void wadi_socket_file_settle(int lock);
/* After it. */
wadi_socket_file wadi_socket_file_made(const char *path);
/* When it is closed: removes the socket if it is still this one. */
void wadi_socket_file_remove(const char *path, wadi_socket_file file);

#endif
