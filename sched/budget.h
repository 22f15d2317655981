/* The memory budget: chunk size x measured bytes per element x chunks in flight <= budget.
 *
 * Bytes per element are learned from the chunks that pass: the larger of the average and the latest chunk. So a stream whose
 * elements grow is followed at once, and one whose elements shrink is followed slowly. Before the first chunk nothing is known
 * and nothing is capped; the builder of a source has its own limit in bytes for that. */
#ifndef WADI_SCHED_BUDGET_H
#define WADI_SCHED_BUDGET_H

#include <stdint.h>

typedef struct wadi_budget {
    int64_t bytes;  /* the budget */
    int64_t chunks; /* in flight at most */
    double average; /* bytes per element; 0: not known yet */
    double latest;
    int64_t
        most; /* elements that a chunk may have since memory was refused; 0: it was never refused */
} wadi_budget;

void wadi_budget_init(wadi_budget *b, int64_t bytes, int64_t chunks);
/* A chunk of `elements` took `bytes` in all stages together. */
void wadi_budget_observe(wadi_budget *b, int64_t elements, int64_t bytes);
/* There was no memory for a chunk of so many elements. From now on a chunk has at most half of them. */
void wadi_budget_refused(wadi_budget *b, int64_t elements);
/* How many of the wanted elements a chunk may have; at least 1. */
int64_t wadi_budget_cap(const wadi_budget *b, int64_t elements);
/* How many bytes one chunk may take. */
int64_t wadi_budget_chunk_bytes(const wadi_budget *b);

#endif
