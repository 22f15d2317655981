/* A file that grows a line at a time and has one owner: the session, and the found words.
 *
 * Its lock (flock) is held while it is open, so a second process is refused, and goes with the process, however that ends. What is
 * not a regular file (a pipe, a terminal, /dev/stdout) is a stream: it is written to, and that is all. */
#ifndef APPS_MD5_LOG_FILE_H
#define APPS_MD5_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct md5_log {
    int fd;
    char *path; /* of the file itself, behind links; what to call a stream */
    bool stream;
    int64_t length; /* of a file */
} md5_log;

/* Whether what stands there is written to as a stream. */
bool md5_log_is_stream(const char *path);
/* Opens the file, or makes it with those permissions less the umask, its name on the disk; "-" is standard output. Errors: WADI_IO, also when another process
 * has it, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_log_open(const char *path, unsigned mode, md5_log *out,
                                        wadi_error *err);
/* Unlocks. A file that is empty is removed. All zero is fine. */
void md5_log_close(md5_log *log);

/* All of a file; the caller frees *out, which ends in a NUL. A stream holds nothing. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_log_read(const md5_log *log, char **out, wadi_error *err);
/* Behind what is there, all or, of a file, nothing. Errors: WADI_IO. */
WADI_NODISCARD wadi_status md5_log_add(md5_log *log, const void *data, size_t n, wadi_error *err);
/* Over what is there from byte `at` on. */
WADI_NODISCARD wadi_status md5_log_put(md5_log *log, int64_t at, const void *data, size_t n,
                                       wadi_error *err);
/* Keeps the first `length` bytes. */
WADI_NODISCARD wadi_status md5_log_cut(md5_log *log, int64_t length, wadi_error *err);
/* Waits until a file is on the disk. */
WADI_NODISCARD wadi_status md5_log_sync(const md5_log *log, wadi_error *err);
/* Takes the file's name away, while it is still locked. */
void md5_log_remove(md5_log *log);

#endif
