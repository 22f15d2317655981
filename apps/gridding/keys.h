/* CURVE keys from files, so that none stands on a command line. A key is 40 characters of Z85 on a line of its own; empty lines and
 * those that begin with '#' are passed over. */
#ifndef WADI_APPS_GRIDDING_KEYS_H
#define WADI_APPS_GRIDDING_KEYS_H

#include "base/vec.h"
#include "wadi/stream.h"

typedef struct grid_keys {
    WADI_VEC(char *) own;    /* public, secret */
    WADI_VEC(char *) others; /* public keys of those at the other end, ended by NULL */
} grid_keys;

/* fini is due in any case. Errors: WADI_IO, WADI_INVALID (no two keys in `own`, none in `others`, a line that is no key),
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_keys_read(grid_keys *k, const char *own, const char *others,
                                          wadi_error *err);
void grid_keys_fini(grid_keys *k);
/* Makes a pair: both keys in `path`, for its owner alone, the public one in `path`.pub as well. Errors: WADI_INVALID where there is
 * such a file, WADI_UNSUPPORTED where ZeroMQ was built without CURVE, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_keys_make(const char *path, wadi_error *err);
/* Puts them into the options of the side that binds, or of the one that connects; borrows. Without keys nothing happens. */
void grid_keys_receive(const grid_keys *k, wadi_link_options *link);
void grid_keys_send(const grid_keys *k, wadi_link_options *link);

#endif
