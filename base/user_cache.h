/* The folder in which wadi keeps what it has made or learned for a user: compiled kernels and chunk sizes. */
#ifndef WADI_BASE_USER_CACHE_H
#define WADI_BASE_USER_CACHE_H

#include <stddef.h>

#include "wadi/status.h"

/* The folder, made where it is missing: $WADI_CACHE_DIR if it is set; else the first of $XDG_CACHE_HOME/wadi, $HOME/.cache/wadi and
 * wadi-UID in $TMPDIR or /tmp that can be used. What is kept there is run or trusted: one that others could write to is passed
 * over, and refused if it is the one that WADI_CACHE_DIR names. Errors: WADI_INVALID (refused), WADI_IO (there is none: then
 * one does without). */
WADI_NODISCARD wadi_status wadi_user_cache(char *out, size_t room, wadi_error *err);

#endif
