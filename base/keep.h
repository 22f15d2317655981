/* A shelf of things that are expensive to make: threads, worker pools, memory. They are kept for the next taker.
 *
 * Executables and runs hold the shelf. Without a holder nothing is kept, and when the last holder drops the shelf, all that
 * lies there is destroyed. So a process that has destroyed what it made has no threads and no memory left.
 *
 * Whatever is taken from the shelf belongs to the taker alone. After fork() the child's shelf is empty, because the parent's
 * threads do not live in the child. Every call is safe from any thread. */
#ifndef WADI_BASE_KEEP_H
#define WADI_BASE_KEEP_H

#include <stdint.h>

/* One kind of thing; static. */
typedef struct wadi_keep_kind {
    int most; /* how many are kept at once; when there are more, the oldest is destroyed */
    void (*destroy)(void *owned_thing);
} wadi_keep_kind;

void wadi_keep_hold(void);
void wadi_keep_drop(void);

/* Takes the thing of that kind and key that was put last, or NULL. */
void *wadi_keep_take(const wadi_keep_kind *kind, int64_t key);
/* Keeps the thing, or destroys it when nobody holds the shelf. */
void wadi_keep_put(const wadi_keep_kind *kind, int64_t key, void *owned_thing);

#endif
