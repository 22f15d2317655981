/* Making a slot from elements of other slots: branches and loops use it to join elements that they have divided. */
#ifndef WADI_SCHED_STEPS_MERGE_H
#define WADI_SCHED_STEPS_MERGE_H

#include "sched/device.h"

/* Slot `to` is cleared, described anew and gets the elements that a wadi_device_gather says; n >= 1. A REGULAR `to` gets the shape of its
 * first element, which all have. False when out of memory. */
bool wadi_merge(wadi_slots *s, wadi_device *device, int to, int64_t n,
                const wadi_device_source *source, const int32_t *which, const int64_t *index);

/* Whether the `n` elements of slot `from` are those of slot `to` by another descriptor over the same columns. */
bool wadi_merge_fits(const wadi_slots *s, int from, int to, int64_t n);
/* `to` gets the elements of slot `from` without copying them; with `take` it owns them and `from` is empty afterwards, else
 * it borrows them. The kinds fit. False when out of memory. */
bool wadi_merge_pass(wadi_slots *s, int from, int to, int64_t n, bool take);

#endif
