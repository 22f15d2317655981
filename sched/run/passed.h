/* What a source, a stage or an end has had so far, and how long that took: one thread at a time counts, and any thread may look (view.c). */
#ifndef WADI_SCHED_RUN_PASSED_H
#define WADI_SCHED_RUN_PASSED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

typedef struct wadi_passed {
    atomic_int_least64_t elements, bytes, chunks;
    atomic_int_least64_t busy_ns; /* without the work that has not ended */
    atomic_int_least64_t
        since_ns;      /* clock when that began; 0: there is none; -1: it is being added up */
    atomic_bool asked; /* somebody wants to see values of the next chunk (tap.c) */
    struct wadi_sample *sample; /* of the last one that was asked for; by the run's lock */
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

/* ---- busy times ---- */

/* The thread that counts works for it from now on. */
static inline void wadi_passed_works(wadi_passed *t, int64_t now_ns) {
    atomic_store(&t->since_ns, now_ns);
}

/* It works for it no more. */
static inline void wadi_passed_rests(wadi_passed *t, int64_t now_ns) {
    const int64_t since = atomic_exchange(&t->since_ns, -1);
    if (since > 0) atomic_fetch_add(&t->busy_ns, now_ns - since);
    atomic_store(&t->since_ns, 0);
}

/* Goes to the work for `to`, from that for `from`; NULL: to or from none. Returns `from`. Only a change reads the clock. */
static inline wadi_passed *wadi_passed_turn(wadi_passed **from, wadi_passed *to) {
    wadi_passed *before = *from;
    if (before == to) return before;
    const int64_t now = wadi_clock_ns();
    if (before != NULL) wadi_passed_rests(before, now);
    if (to != NULL) wadi_passed_works(to, now);
    *from = to;
    return before;
}

/* Nanoseconds up to now, with the work that has not ended. */
static inline int64_t wadi_passed_busy(const wadi_passed *t) {
    for (;;) {
        const int64_t since = atomic_load(&t->since_ns), busy = atomic_load(&t->busy_ns);
        if (since < 0 || since != atomic_load(&t->since_ns)) continue;
        return since > 0 ? busy + (wadi_clock_ns() - since) : busy;
    }
}

#endif
