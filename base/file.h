/* Whole files and directories. Streams of data are the connectors' business. */
#ifndef WADI_BASE_FILE_H
#define WADI_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

/* The whole file, with a NUL after its last byte that *out_n does not count. The caller frees *out. Errors: WADI_IO,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_file_read(const char *path, char **out, size_t *out_n,
                                          wadi_error *err);

/* All or nothing: writes a temporary neighbour, then renames it over path. mode is the final permission (0600, 0644), whatever
 * the umask; readers never see a part, and of two writers one wins. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_file_write(const char *path, const void *data, size_t n,
                                           unsigned mode, wadi_error *err);

/* Anything by that name. */
bool wadi_file_exists(const char *path);

/* Makes the directory and the missing ones above it, each with mode (less the umask). One that exists is fine. Errors:
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_dir_make(const char *path, unsigned mode, wadi_error *err);

#endif
