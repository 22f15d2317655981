/* Which arrays a kernel over units touches, and whether a unit touches a piece of its own alone. */
#ifndef WADI_CODEGEN_LOOP_REACH_H
#define WADI_CODEGEN_LOOP_REACH_H

#include "codegen/loop/loop.h"

enum { WADI_REACH_FIND = -1 };

typedef struct wadi_reach_units {
    int target, rank; /* the slot whose pieces units write, and its rank */
    int64_t piece; /* elements of such a piece; FIND: what the kernel shows; 0: units have none */
    bool whole;    /* units are no parts of rows */
} wadi_reach_units;

/** What kernel `f` touches, in `keep`, and whether it is quiet. What cannot be seen is `all`, or makes the whole unknown. */
wadi_plan_touches wadi_reach_of(const wadi_lfun *f, const wadi_reach_units *units,
                                wadi_arena *keep);

#endif
