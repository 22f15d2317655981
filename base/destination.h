/* What a name leads to when it is written: a file that may be replaced, or something that takes a stream. */
#ifndef WADI_BASE_DESTINATION_H
#define WADI_BASE_DESTINATION_H

#include <stdbool.h>
#include <sys/stat.h>

#include "wadi/status.h"

typedef struct wadi_destination {
    int stream; /* -1: a file. Else a descriptor open for writing: a device, a FIFO, or what this process has open already */
    int folder; /* a file's: descriptor of its folder, good for the ..at calls; else -1 */
    char *path; /* a file's, links resolved; else NULL */
    const char *name; /* its last part */
    bool exists;      /* it is there, a regular file of which `about` tells */
    struct stat about;
} wadi_destination;

/* Follows symbolic links, also one to a file that is not there yet. "-", /dev/stdout, /dev/fd/N and /proc/self/fd/N are what this
 * process has open: a descriptor of its own with the same position. Other links within /proc, devices and FIFOs are opened;
 * a FIFO waits for its reader. Errors: WADI_IO (a directory, a loop, a folder that is not there, a file that may not be
 * written), WADI_MEMORY. fini is due in any case. */
WADI_NODISCARD wadi_status wadi_destination_find(const char *path, wadi_destination *out,
                                                 wadi_error *err);
void wadi_destination_fini(wadi_destination *d);

#endif
