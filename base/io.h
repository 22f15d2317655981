/* Reading and writing that end when the task of the calling thread is stopped (base/task.h), wherever they would block: on
 * silent pipes, on full pipes, and on FIFOs that nobody has opened at the other end. The watchdog knows what is waited for.
 *
 * Descriptors stay blocking or not, since other processes may share them. Errors are left in errno, for wadi_fail_errno;
 * ECANCELED means that the task was stopped. */
#ifndef WADI_BASE_IO_H
#define WADI_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "wadi/status.h"

/* What errno means as a status: WADI_CANCELLED or WADI_IO. */
wadi_status wadi_io_status(void);

/* Waits until fd is ready for `events` of poll(). name: of what is read or written, for the watchdog. False: errno. */
bool wadi_io_wait(int fd, short events, const char *name);

/* As read(2), but ends with at least one byte, at the end (0) or with a failure (-1). */
ssize_t wadi_io_read(int fd, void *to, size_t n, const char *name);
/* Until n bytes, the end or a failure: how many bytes; *out_failed: errno says why there are no more. */
size_t wadi_io_read_full(int fd, void *to, size_t n, const char *name, bool *out_failed);
/* All of it, or false; *out_done: how many bytes. */
bool wadi_io_write(int fd, const void *data, size_t n, const char *name, size_t *out_done);

/* Opens for reading, close on exec. A FIFO opens at once: reading waits for its writer. -1: errno. */
int wadi_io_open(const char *path);
/* Opens for writing something that exists, with more flags of open(): waits for the reader of a FIFO. -1: errno. */
int wadi_io_open_output(const char *path, int more);

#endif
