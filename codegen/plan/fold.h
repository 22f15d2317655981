/* Planning of folds and scans: their states pass from element to element, and may change in place. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_FOLD_H
#define WADI_CODEGEN_PLAN_FOLD_H

#include "codegen/plan/stage.h"

/** Plans the body of fold or scan `b`. Its first state is the arguments from 1 on (fold.c). */
wadi_status wadi_planning_fold(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out);
/** The same for a fold over chunks. */
wadi_status wadi_planning_fold_chunk(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out);
/** Finds which arrays of a fold's state may change in place: out[i]. Region r has their parameters first; `slot` has the slots
 *  of these. The next state of such an array gets the same slot (in_place.c). */
void wadi_planning_in_place(wadi_planning *p, wadi_block *r, int nstate, const int *slot,
                            bool *out);
/** Whether exactly one binding reads v; a binding that reads only its extents does not count (in_place.c). */
bool wadi_planning_is_last_read(const wadi_planning *p, wadi_val v);

#endif
