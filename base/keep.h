/* Things that are dear to make, kept for whoever wants the next one: threads, worker pools, memory.
 *
 * Somebody holds the shelf (an executable does, and each run); while nobody does nothing is kept, and when the last holder
 * drops it all that lies there is destroyed. So a process that has destroyed what it made has no threads and no memory left.
 *
 * What is taken from the shelf belongs to the taker alone. After fork() the child's shelf is empty: threads do not live in
 * it, so what the parent kept is of no use there. Every call is safe from any thread. */
#ifndef WADI_BASE_KEEP_H
#define WADI_BASE_KEEP_H

#include <stdint.h>

/* One kind of thing; static. */
typedef struct wadi_keep_kind {
    int most; /* kept at once; beyond, the one that has lain longest is destroyed */
    void (*destroy)(void *owned_thing);
} wadi_keep_kind;

void wadi_keep_hold(void);
void wadi_keep_drop(void);

/* The thing of that kind and key that was put last, or NULL. */
void *wadi_keep_take(const wadi_keep_kind *kind, int64_t key);
/* Keeps the thing, or destroys it when nobody holds the shelf. */
void wadi_keep_put(const wadi_keep_kind *kind, int64_t key, void *owned_thing);

#endif
