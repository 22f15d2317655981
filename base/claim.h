/* Who owns a temporary file: whoever holds the lock on it. A killed process holds none, so what it left is nobody's, and the
 * next one may remove it.
 *
 * A file is visible before it is locked. So both sides lock first and look afterwards whether the name still means what they
 * have locked: a maker whose file was taken for nobody's in that moment makes another, and nothing is removed that somebody
 * owns. Where a file system knows no locks, nothing counts as nobody's. */
#ifndef WADI_BASE_CLAIM_H
#define WADI_BASE_CLAIM_H

#include <stdbool.h>

typedef enum wadi_claim {
    WADI_CLAIM_HELD,    /* ours, until the descriptor is closed */
    WADI_CLAIM_LOST,    /* somebody else's, or no longer by that name */
    WADI_CLAIM_UNKNOWN, /* this file system has no locks */
} wadi_claim;

/* Claims the open file `fd`, which `name` in `folder` (a descriptor) is meant to be. Never waits. */
wadi_claim wadi_claim_file(int fd, int folder, const char *name);

/* Removes `name` in `folder` if it is a regular file and nobody's; anything else is left alone. True: it is gone. */
bool wadi_claim_remove(int folder, const char *name);

#endif
