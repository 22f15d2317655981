/* Deals work to the lanes of a group (codegen/loop/loop.h), in kernels of schedule group. In other kernels the same calls open plain
 * loops. */
#ifndef WADI_CODEGEN_KERNEL_LANES_H
#define WADI_CODEGEN_KERNEL_LANES_H

#include "codegen/kernel/check.h"

/* A loop that is open. */
typedef struct wadi_lanes {
    wadi_lower_position before;
    wadi_lv lane; /* the number of the lane, where there are any */
    int loops;    /* to be closed: two where one is over what the group takes at a time */
} wadi_lanes;

/** Opens a loop from `from` below `below`. Neighbouring lanes do neighbouring rounds. Returns the number of the round. */
wadi_lv wadi_lanes_each(wadi_lower *l, wadi_lv from, wadi_lv below, const char *name,
                        wadi_lanes *out);
/** Opens a loop by lanes below `n`, which is WADI_GROUP_LANES at most. Allowed only if wadi_lower_has_lanes. Returns the lane. */
wadi_lv wadi_lanes_first(wadi_lower *l, wadi_lv n, wadi_lanes *out);
/** The same over all lanes of a group. */
wadi_lv wadi_lanes_all(wadi_lower *l, wadi_lanes *out);
/** Makes one lane do what follows, if there are lanes. */
void wadi_lanes_alone(wadi_lower *l, wadi_lanes *out);
/** Closes what one of the functions above has opened. */
void wadi_lanes_end(wadi_lower *l, const wadi_lanes *opened);

#endif
