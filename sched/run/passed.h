/* What a source, a stage or an end has had so far: one thread counts, and any thread may look (view.c). */
#ifndef WADI_SCHED_RUN_PASSED_H
#define WADI_SCHED_RUN_PASSED_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct wadi_passed {
    atomic_int_least64_t elements, bytes, chunks;
} wadi_passed;

/* A chunk has come. */
static inline void wadi_passed_add(wadi_passed *t, int64_t elements, int64_t bytes) {
    atomic_fetch_add_explicit(&t->elements, elements, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->chunks, 1, memory_order_relaxed);
}

static inline int64_t wadi_passed_read(const atomic_int_least64_t *count) {
    return atomic_load_explicit(count, memory_order_relaxed);
}

#endif
