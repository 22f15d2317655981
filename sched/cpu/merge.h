/* Slots made from elements of other slots: what branches and loops need to give back what they have taken apart. */
#ifndef WADI_SCHED_CPU_MERGE_H
#define WADI_SCHED_CPU_MERGE_H

#include "base/pool.h"
#include "sched/slots.h"

/* Where elements come from; borrowed. */
typedef struct wadi_merge_source {
    wadi_slot_kind kind;
    wadi_slot slot;
} wadi_merge_source;

/* Element i of `to`, 0 <= i < n, n >= 1, becomes a copy of element index[i] of source which[i]. which NULL: source 0 alone;
 * index NULL: element i. A ONCE source has one element, whatever the index. A REGULAR `to` gets the shape of its first
 * element, which all have. `to` is cleared first. False when out of memory. */
bool wadi_merge(wadi_slots *s, wadi_pool *pool, int to, int64_t n, const wadi_merge_source *source,
                const int32_t *which, const int64_t *index);

/* Whether the `n` elements of slot `from` are those of slot `to` by another descriptor over the same columns. */
bool wadi_merge_fits(const wadi_slots *s, int from, int to, int64_t n);
/* `to` gets the elements of slot `from` without copying them; with `take` it owns them and `from` is empty afterwards, else
 * it borrows them. The kinds fit. False when out of memory. */
bool wadi_merge_pass(wadi_slots *s, int from, int to, int64_t n, bool take);

#endif
