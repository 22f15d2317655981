/* Reading whole files, and folders. Streams of data are read and written by connectors. */
#ifndef WADI_BASE_FILE_H
#define WADI_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

enum {
    WADI_FILE_SECRET = 64 << 10, /* keys, tokens, credentials */
    WADI_FILE_TEXT = 64 << 20    /* what people write */
};

/* The whole file, with a NUL after its last byte that *out_n does not count. The caller frees *out. Errors: WADI_IO,
 * WADI_MEMORY (also of a file, or a device without end, of more than three quarters of the machine's memory). */
WADI_NODISCARD wadi_status wadi_file_read(const char *path, char **out, size_t *out_n,
                                          wadi_error *err);

/* The same of one that has at most `most` bytes (0: as above). Errors: also WADI_INVALID: it has more. */
WADI_NODISCARD wadi_status wadi_file_read_most(const char *path, size_t most, char **out,
                                               size_t *out_n, wadi_error *err);

/* The same of an open file, from where it stands; `name` is for messages. */
WADI_NODISCARD wadi_status wadi_file_read_fd(int fd, const char *name, size_t most, char **out,
                                             size_t *out_n, wadi_error *err);

/* Writes the whole file or nothing, and forces it onto the disk before it returns (base/outfile.h). mode is the final permission
 * (0600, 0644), whatever the umask. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_file_write(const char *path, const void *data, size_t n,
                                           unsigned mode, wadi_error *err);

/* Whether there is anything of that name: a file, a folder, a device. */
bool wadi_file_exists(const char *path);

/* Makes the directory and the missing ones above it, each with mode (less the umask). One that exists is fine. Errors:
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_dir_make(const char *path, unsigned mode, wadi_error *err);

#endif
