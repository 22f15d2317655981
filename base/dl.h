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
/* The open file `fd`, whatever its name leads to by now; the caller closes fd when it likes. Needs /proc. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_dl_open_fd(wadi_dl *d, int fd, wadi_error *err);
/* The same of bytes in memory, where no file may be run or none be made. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_dl_open_bytes(wadi_dl *d, const void *bytes, size_t n,
                                              wadi_error *err);
/* Harmless when nothing is open. */
void wadi_dl_close(wadi_dl *d);

/* Errors: WADI_IO when the name is not there. */
WADI_NODISCARD wadi_status wadi_dl_function(const wadi_dl *d, const char *name, wadi_dl_fn *out,
                                            wadi_error *err);
WADI_NODISCARD wadi_status wadi_dl_symbol(const wadi_dl *d, const char *name, void **out,
                                          wadi_error *err);

#endif
