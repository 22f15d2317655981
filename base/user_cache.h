/* Where wadi keeps what it has made or learned for one user: compiled kernels, chunk sizes. */
#ifndef WADI_BASE_USER_CACHE_H
#define WADI_BASE_USER_CACHE_H

#include <stddef.h>

#include "wadi/status.h"

/* The directory's name, whether it exists or not. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_user_cache_name(char *out, size_t room, wadi_error *err);

/* $WADI_CACHE_DIR, $XDG_CACHE_HOME/wadi or $HOME/.cache/wadi. Makes the directory. What is kept there is run or trusted:
 * one that others could write to is refused. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_user_cache(char *out, size_t room, wadi_error *err);

#endif
