/* What a name leads to when it is written: a file that may be replaced, or something that takes a stream. */
#ifndef WADI_BASE_DESTINATION_H
#define WADI_BASE_DESTINATION_H

#include <stdbool.h>
#include <sys/stat.h>

#include "wadi/status.h"

typedef struct wadi_destination {
    int stream; /* -1: a file. Else a descriptor open for writing: a device, a FIFO, or what this process has open already */
    int folder; /* of a file: descriptor of its folder, for openat() and the like; else -1 */
    char *path; /* of a file: its path with links resolved; else NULL */
    const char *name; /* the last part of path */
    bool exists;      /* the file exists, and is a regular file that `about` describes */
    struct stat about;
} wadi_destination;

/* Follows symbolic links, also one to a file that does not exist yet. "-", /dev/stdout, /dev/fd/N and /proc/self/fd/N are open in
 * this process; they give a duplicate of the descriptor, with the same position. Other links within /proc, devices and FIFOs are
 * opened; opening a FIFO waits for its reader. Errors: WADI_IO (a directory, a loop of links, a folder that does not exist, a file
 * that may not be written), WADI_MEMORY. The caller calls fini in any case. */
WADI_NODISCARD wadi_status wadi_destination_find(const char *path, wadi_destination *out,
                                                 wadi_error *err);
void wadi_destination_fini(wadi_destination *d);

/* Whether both names lead to one file, which need not exist. Nothing is opened: what is no file is never the same. */
bool wadi_destination_is_same(const char *path, const char *other);

#endif
