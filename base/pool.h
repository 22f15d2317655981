/* A pool of workers that share the iterations of one loop at a time.
 *
 *     static void add(void *env, int worker, int64_t begin, int64_t end) { ... }
 *     wadi_pool_for(pool, n, 64, add, &work);
 *
 * Ranges of `grain` iterations are handed out in order to whichever worker is free, so the grain determines the balance. There
 * is no queue of tasks and no nesting: a loop body must not start a loop on the same pool. */
#ifndef WADI_BASE_POOL_H
#define WADI_BASE_POOL_H

#include <stdint.h>

#include "wadi/status.h"

typedef struct wadi_pool wadi_pool;

/* threads counts the caller of wadi_pool_for: 1 starts none; 0 means one per processor. A destroyed pool is kept for the next
 * one with as many threads while somebody holds the shelf (keep.h): its workers sleep. */
WADI_NODISCARD wadi_status wadi_pool_create(int threads, wadi_pool **out, wadi_error *err);
void wadi_pool_destroy(wadi_pool *owned_p);

/* At least 1. */
int wadi_pool_threads(const wadi_pool *p);

/* Runs iterations begin <= i < end; worker is 0 for the calling thread and below wadi_pool_threads for all, and no two
 * concurrent calls have the same. */
typedef void (*wadi_pool_fn)(void *env, int worker, int64_t begin, int64_t end);

/* Runs 0 <= i < n in ranges of grain (the last may be shorter; below 1 means 1) and returns when all are done; what the workers
 * wrote is then visible to the caller. Several threads may call: their loops run one after another. */
void wadi_pool_for(wadi_pool *p, int64_t n, int64_t grain, wadi_pool_fn fn, void *env);

/* Time spent inside loop bodies, summed over workers, since create. Never falls: the difference of two readings around
 * wadi_pool_for, divided by threads and elapsed time, is the utilisation. Any thread may ask. */
int64_t wadi_pool_busy_ns(const wadi_pool *p);

#endif
