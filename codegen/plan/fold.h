/* States that pass from element to element, and what they need of the stages they read. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_FOLD_H
#define WADI_CODEGEN_PLAN_FOLD_H

#include "codegen/plan/stage.h"

/** The body of fold or scan `b`, whose state begins with argument 1 (fold.c). */
wadi_status wadi_planning_fold(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out);
/** The same of a fold over chunks. */
wadi_status wadi_planning_fold_chunk(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out);
/** Which states of a fold, whose parameters come first in region r and are in `slot`, may change in place: out[i]. Their next
 *  values get the same slots (in_place.c). */
void wadi_planning_in_place(wadi_planning *p, wadi_block *r, int nstate, const int *slot,
                            bool *out);
/** Whether one binding reads v, and nothing else does but for its extents (in_place.c). */
bool wadi_planning_is_last_read(const wadi_planning *p, wadi_val v);

#endif
