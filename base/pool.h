/* A pool of workers that share the iterations of one loop at a time.
 *
 *     static void add(void *env, int worker, int64_t begin, int64_t end) { ... }
 *     wadi_pool_for(pool, n, 64, add, &work);
 *
 * Each worker has a share of neighbouring ranges of `grain` iterations, which it runs in order; one that has none left takes the last of
 * another's. So the grain determines the balance. Two loops of one length and grain have the same shares: what a worker has written, it mostly reads
 * itself. There is no queue of tasks and no nesting: a loop body must not start a loop on the same pool. */
#ifndef WADI_BASE_POOL_H
#define WADI_BASE_POOL_H

#include <stdint.h>

#include "wadi/status.h"

typedef struct wadi_pool wadi_pool;

/* `threads` counts the caller of wadi_pool_for, so 1 starts no thread; 0 means one per processor. While somebody holds the shelf
 * (keep.h), a destroyed pool is kept for the next one with as many threads; its workers sleep. */
WADI_NODISCARD wadi_status wadi_pool_create(int threads, wadi_pool **out, wadi_error *err);
/* For loops whose bodies start loops on other pools. These pools are kept on a shelf of their own, so that no pool is around another one
 * now and inside it later: locks are always taken in the same order. */
wadi_status wadi_pool_create_around(int threads, wadi_pool **out, wadi_error *err);
void wadi_pool_destroy(wadi_pool *owned_p);

/* At least 1. */
int wadi_pool_threads(const wadi_pool *p);

/* Runs the iterations begin <= i < end. `worker` is 0 for the calling thread and always less than wadi_pool_threads; no two
 * concurrent calls have the same. */
typedef void (*wadi_pool_fn)(void *env, int worker, int64_t begin, int64_t end);

/* Runs 0 <= i < n in ranges of `grain` iterations (the last may be shorter; a grain below 1 means 1; more than 2^32 ranges become longer ones). Returns when all are done.
 * What the workers wrote is then visible to the caller. Several threads may call; their loops run one after another. */
void wadi_pool_for(wadi_pool *p, int64_t n, int64_t grain, wadi_pool_fn fn, void *env);

/* Time spent inside loop bodies since create, summed over workers. It never falls. For the utilisation, take the difference of two
 * readings around wadi_pool_for and divide it by the number of threads and the elapsed time. Any thread may ask. */
int64_t wadi_pool_busy_ns(const wadi_pool *p);

#endif
