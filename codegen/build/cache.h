/* The kernel cache: compiled kernels, found again by what they were made from.
 *
 * An entry's name is the SHA-256 of the text, the options, the compiler and the processor. An entry is a shared object
 * followed by the digest of its bytes: one file, renamed into place, so that of two processes compiling the same text
 * one wins and both are right. An entry that is cut, changed or not ours is compiled anew. The directory belongs to
 * the user alone (mode 0700); one that others can write is refused, since its files are run.
 */
#ifndef WADI_CODEGEN_BUILD_CACHE_H
#define WADI_CODEGEN_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"

/* How a module came to be loaded. */
typedef struct wadi_cache_report {
    bool compiled;      /* false: found in the cache */
    bool damaged;       /* an entry was there and did not verify */
    char path[1024];    /* the entry */
    int64_t compile_ns; /* 0 when found */
} wadi_cache_report;

/* Where entries are kept: $WADI_CACHE_DIR, $XDG_CACHE_HOME/wadi or $HOME/.cache/wadi. Makes the directory.
 * Errors: WADI_IO when it cannot be made or others could write to it. */
WADI_NODISCARD wadi_status wadi_cache_directory(char *out, size_t room, wadi_error *err);

/* Loads the module with C text `source`, compiling it if the cache does not have it. The caller closes *out.
 * `report` may be NULL. Errors: WADI_COMPILE, WADI_IO. Thread-safe. */
WADI_NODISCARD wadi_status wadi_cache_load(const char *source, wadi_dl *out,
                                           wadi_cache_report *report, wadi_error *err);

#endif
