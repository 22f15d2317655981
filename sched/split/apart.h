/* A device made of several that have memory of their own (SPMD, section 3.2.2 of "Converting Data to Task-Parallelism by Rewrites").
 *
 * A launch whose units touch pieces of their own is cut: each device does some units where the pieces are, and what it writes stays
 * there. So the next launch that reads the same pieces copies nothing. What any unit may read is copied to each device once. All that cannot be cut,
 * and all that is not known to be cuttable (wadi_plan_touches), the first device does alone, with what it needs brought there.
 *
 * Data goes through host memory. Bytes are copied when somebody wants them, and only those that are not there already. A launch is cut if that
 * copies no more bytes than the first device alone would need: nothing else is compared. */
#ifndef WADI_SCHED_SPLIT_APART_H
#define WADI_SCHED_SPLIT_APART_H

#include "sched/split/split.h"

/* What was moved, for tests and reports: the caller's, and it outlives the device. */
typedef struct wadi_split_copies {
    int64_t put, got;   /* bytes of columns, to devices and from them */
    int64_t cut, whole; /* launches in which several devices had something to do, and others */
    int64_t cut_put, cut_got; /* bytes that cut launches have moved */
} wadi_split_copies;

/* Over n devices, 2 to WADI_SPLIT_MOST, of one kind, whose memory is their own: with these numbers, each with the threads of the options. open: that
 * of the kind's row (sched/devices.h). rule: NULL `cut`: by bytes, in proportion to workers; else every launch that can be cut is. count: NULL:
 * nobody wants it. Errors: WADI_INVALID (one has no memory of its own, or other kernels), WADI_MEMORY, WADI_IO (a thread), those of `open`. */
WADI_NODISCARD wadi_status wadi_split_open_alike(
    wadi_status (*open)(const wadi_device_options *options, wadi_device **out, wadi_error *err),
    const wadi_device_options *options, int n, const int *numbers, wadi_split_rule rule,
    wadi_split_copies *count, wadi_device **out, wadi_error *err);

#endif
