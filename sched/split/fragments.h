/* Memory of several devices under one address, and who has which bytes of it.
 *
 * An address is that of the first device. Each other device gets memory for a block when it first takes part in it: as much as the whole block, so that
 * a place in it is the same everywhere. */
#ifndef WADI_SCHED_SPLIT_FRAGMENTS_H
#define WADI_SCHED_SPLIT_FRAGMENTS_H

#include "sched/residence.h"

typedef struct wadi_fragments wadi_fragments;

/* Borrows the residences. */
WADI_NODISCARD wadi_status wadi_fragments_create(int n, const wadi_residence *const *residence,
                                                 wadi_buffers *host, wadi_fragments **out,
                                                 wadi_error *err);
/* The memory in the form that a pool takes. The pool destroys it in the end. A block begins at the first device. */
wadi_memory wadi_fragments_memory(wadi_fragments *f);

/* bytes < 0: up to the end of the block. False: out of memory. What lies in no block is the first device's own, who has it alone. Only the compute
 * thread calls these. */

/* Whether it lies in a block. */
bool wadi_fragments_know(wadi_fragments *f, const void *at);
/* Bytes that device p lacks. */
int64_t wadi_fragments_lacks(wadi_fragments *f, const void *at, int64_t bytes, int p);
/* Copies to device p what it lacks. */
WADI_NODISCARD bool wadi_fragments_bring(wadi_fragments *f, const void *at, int64_t bytes, int p);
/* From now on device p alone has them. */
WADI_NODISCARD bool wadi_fragments_written(wadi_fragments *f, const void *at, int64_t bytes, int p);
/* Where device p has what is at `at`; NULL: out of memory. */
void *wadi_fragments_at(wadi_fragments *f, const void *at, int p);
/* The first device has all there is, alone. */
WADI_NODISCARD bool wadi_fragments_home(wadi_fragments *f);
/* Bytes from the host, which keeps a copy until somebody wants them; and to it. */
WADI_NODISCARD bool wadi_fragments_put(wadi_fragments *f, void *to, const void *from,
                                       int64_t bytes);
WADI_NODISCARD bool wadi_fragments_get(wadi_fragments *f, void *to, const void *from,
                                       int64_t bytes);
/* Bytes of columns copied so far. */
const wadi_traffic *wadi_fragments_moved(const wadi_fragments *f);

#endif
