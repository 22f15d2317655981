/* The owner of a temporary file is whoever holds the lock on it. A killed process holds no lock, so nobody owns what it left,
 * and the next process may remove it.
 *
 * A file is visible before it is locked. So both sides lock first and then check that the name still means the file they have
 * locked. A maker whose file was removed in that moment makes another, and nobody removes a file that somebody owns. On a file
 * system without locks, every file counts as owned. */
#ifndef WADI_BASE_CLAIM_H
#define WADI_BASE_CLAIM_H

#include <stdbool.h>

typedef enum wadi_claim {
    WADI_CLAIM_HELD,    /* ours, until the descriptor is closed */
    WADI_CLAIM_LOST,    /* somebody else has locked it, or it no longer has that name */
    WADI_CLAIM_UNKNOWN, /* this file system has no locks */
} wadi_claim;

/* Claims the open file `fd`, which should be the file `name` in `folder` (a descriptor). Never waits. */
wadi_claim wadi_claim_file(int fd, int folder, const char *name);

/* Removes `name` in `folder` if it is a regular file that nobody owns; anything else is left alone. True: it is gone. */
bool wadi_claim_remove(int folder, const char *name);

#endif
