/* A file that grows a line at a time and has one owner: the found words.
 *
 * Its lock (flock) is held while the file is open, so a second process is refused. The lock ends with the process, however that ends. A
 * file that is not regular (a pipe, a terminal, /dev/stdout) is a stream: it is only written to. */
#ifndef APPS_MD5_LOG_FILE_H
#define APPS_MD5_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct md5_log {
    int fd;
    char *path; /* of the file itself, with links resolved; for a stream, its name in messages */
    bool stream;
    int64_t length; /* of a file */
} md5_log;

/* Opens the file. If it does not exist, makes it with the permissions `mode` less the umask, and forces its name onto the disk. "-" is
 * standard output. Errors: WADI_IO, also if another process uses the file; WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_log_open(const char *path, unsigned mode, md5_log *out,
                                        wadi_error *err);
/* Closes and unlocks the file. An empty file is removed. Harmless if all zero. */
void md5_log_close(md5_log *log);

/* Reads the whole file; the caller frees *out, which ends with a NUL. A stream is empty. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_log_read(const md5_log *log, char **out, wadi_error *err);
/* Appends the data; to a file, all or nothing. Errors: WADI_IO. */
WADI_NODISCARD wadi_status md5_log_add(md5_log *log, const void *data, size_t n, wadi_error *err);
/* Keeps the first `length` bytes. */
WADI_NODISCARD wadi_status md5_log_cut(md5_log *log, int64_t length, wadi_error *err);
/* Waits until a file is on the disk. */
WADI_NODISCARD wadi_status md5_log_sync(const md5_log *log, wadi_error *err);

#endif
