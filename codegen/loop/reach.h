/* Which arrays a kernel over units touches, and whether a unit touches a piece of its own alone. */
#ifndef WADI_CODEGEN_LOOP_REACH_H
#define WADI_CODEGEN_LOOP_REACH_H

#include "codegen/loop/loop.h"

/** What kernel `f` touches, in `keep`. target: the slot whose pieces its units write; its rank is `rank`. piece: elements of such a piece;
 *  0: units have no pieces. What cannot be seen is `all`, or makes the whole unknown. */
wadi_plan_touches wadi_reach_of(const wadi_lfun *f, int target, int rank, int64_t piece,
                                wadi_arena *keep);

#endif
