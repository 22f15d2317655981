/* Loading shared objects at run time, with the loader's own words as the error. */
#ifndef WADI_BASE_DL_H
#define WADI_BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

typedef struct wadi_dl {
    void *handle;
} wadi_dl;

/* Any function; the caller casts it to what it knows it to be. */
typedef void (*wadi_dl_fn)(void);

/* path as dlopen takes it: a name without a slash is searched for. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_dl_open(wadi_dl *d, const char *path, wadi_error *err);
/* Loads the open file `fd`, even if its name means another file by now. The caller may close fd afterwards. Needs /proc. Errors:
 * WADI_IO. */
WADI_NODISCARD wadi_status wadi_dl_open_fd(wadi_dl *d, int fd, wadi_error *err);
/* Loads n bytes of memory, for systems on which no file may be executed or made. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_dl_open_bytes(wadi_dl *d, const void *bytes, size_t n,
                                              wadi_error *err);
/* The file that was loaded, as the loader knows it: absolute where it was searched for. Borrowed until it is closed; "": not known. */
const char *wadi_dl_path(const wadi_dl *d);
/* Harmless when nothing is open. */
void wadi_dl_close(wadi_dl *d);

/* Errors: WADI_IO when the name is not there. */
WADI_NODISCARD wadi_status wadi_dl_function(const wadi_dl *d, const char *name, wadi_dl_fn *out,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_dl_symbol(const wadi_dl *d, const char *name, void **out,
                                          wadi_error *err);

#endif
