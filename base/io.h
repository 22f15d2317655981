/* Reading and writing that end when the task of the calling thread is stopped (base/task.h), wherever they would block: on
 * silent pipes, on full pipes, and on FIFOs that nobody has opened at the other end. The watchdog knows what is waited for.
 *
 * Descriptors stay blocking or not, since other processes may share them. Errors are left in errno, for wadi_fail_errno;
 * ECANCELED means that the task was stopped. */
#ifndef WADI_BASE_IO_H
#define WADI_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "wadi/status.h"

/* Waits until fd is ready for `events` of poll(). name: what is read or written, for the watchdog. False: errno. */
bool wadi_io_wait(int fd, short events, const char *name);

/* Whether nothing is open there. wadi_process_begin keeps the number of a standard stream that is closed by a folder without a use. */
bool wadi_io_is_closed(int fd);
/* Errors: WADI_IO if standard input is closed. */
WADI_NODISCARD wadi_status wadi_io_check_stdin(wadi_error *err);

/* Like read(2), but waits: returns at least one byte, 0 at the end, or -1 after a failure. */
ssize_t wadi_io_read(int fd, void *to, size_t n, const char *name);
/* Reads n bytes, or fewer if the end or a failure comes first. Returns how many. If *out_failed, errno says why there are no more. */
size_t wadi_io_read_full(int fd, void *to, size_t n, const char *name, bool *out_failed);
/* Writes n bytes. False: errno; *out_done says how many bytes were written. */
bool wadi_io_write(int fd, const void *data, size_t n, const char *name, size_t *out_done);

/* At the end of a file of which `taken` bytes were read, and which had `had` bytes when it was opened (not above 0: it is no regular one) and has `now`.
 * Some files of the system say that they have more bytes than they ever give. Errors: WADI_IO (it has become shorter, so some may be missing). */
WADI_NODISCARD wadi_status wadi_io_check_end(const char *name, int64_t had, int64_t taken,
                                             int64_t now, wadi_error *err);

/* Opens for reading, close on exec. A FIFO opens at once; reading from it waits for the writer. -1: errno; EBADF for another
 * name of a standard stream, as /dev/stdin, that is closed. */
int wadi_io_open(const char *path);
/* stat(2) of what wadi_io_open would open. -1: errno. */
int wadi_io_stat(const char *path, struct stat *out);
/* Opens for writing something that exists. `more`: further flags of open(). Waits for the reader of a FIFO. -1: errno. */
int wadi_io_open_output(const char *path, int more);

#endif
