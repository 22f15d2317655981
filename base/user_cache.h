/* The folder in which wadi keeps what it has made or learned for a user: compiled kernels and chunk sizes. */
#ifndef WADI_BASE_USER_CACHE_H
#define WADI_BASE_USER_CACHE_H

#include <stddef.h>

#include "wadi/status.h"

/* The path of the folder, which is made if it is missing. It is $WADI_CACHE_DIR if that is set. Otherwise it is the first that can be
 * used of $XDG_CACHE_HOME/wadi, $HOME/.cache/wadi, and wadi-UID in $TMPDIR or /tmp. wadi runs or trusts what is kept there. So a
 * folder that others could write to is skipped, or refused if WADI_CACHE_DIR names it. Errors: WADI_INVALID (refused), WADI_IO (no
 * folder can be used; the caller then works without a cache). */
WADI_NODISCARD wadi_status wadi_user_cache(char *out, size_t room, wadi_error *err);

#endif
