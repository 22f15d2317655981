/* The file of a socket that is bound. It makes sure that nobody else listens there. libzmq removes whatever is there before it
 * binds, and leaves its own socket behind. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_SOCKET_FILE_H
#define WADI_SCHED_TRANSPORT_ZMQ_SOCKET_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "wadi/status.h"

/* Identifies a socket that was made among others of the same name. All zero: none. */
typedef struct wadi_socket_file {
    bool made;
    dev_t device;
    ino_t number;
} wadi_socket_file;

/* Call this before binding. It checks that the path is free; a socket that a killed process has left is removed. Until
 * wadi_socket_file_settle is called with *out_lock, other processes that call this wait (for a while). Errors, which name the address and
 * leave no lock: WADI_INVALID (the path is not a socket), WADI_IO (a process listens there). */
WADI_NODISCARD wadi_status wadi_socket_file_claim(const char *address, const char *path,
                                                  int *out_lock, wadi_error *err);
/* Call this after binding, also if it failed: gives the lock back. */
void wadi_socket_file_settle(int lock);
/* Call this after binding: identifies the socket that was made. */
wadi_socket_file wadi_socket_file_made(const char *path);
/* Call this when it is closed: removes the socket if it is still this one. */
void wadi_socket_file_remove(const char *path, wadi_socket_file file);

#endif
