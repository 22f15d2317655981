/* A stage under construction. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_STAGE_H
#define WADI_CODEGEN_PLAN_STAGE_H

#include "codegen/plan/planning.h"

/** Stage `number` of the stream; the pointer is valid until a stage is added. */
wadi_planned_stage *wadi_planning_stage_at(wadi_planning *p, int number);
/** Adds a stage that begins with binding b. Returns its number; -1 if out of memory. */
int wadi_planning_new_stage(wadi_planning *p, wadi_change_kind change, const wadi_bind *b);
/** The number of arrays in an element of `seq`. */
int wadi_planning_width(const wadi_planning *p, wadi_val seq);
/** Makes the tables of the components of `seq`, which `stage` gives. At first the components are neither values nor parts. */
wadi_status wadi_planning_components(wadi_planning *p, wadi_val seq, int stage);
/** Make component c of `seq`, or value v of the stage's body, a result of its stage. Return its number among the results. */
int wadi_planning_want(wadi_planning *p, wadi_val seq, int c);
int wadi_planning_want_value(wadi_planning *p, int stage, wadi_val v);
/** Tells the stage's body that `param` is in `slot`, where the runtime puts it. */
void wadi_planning_param_at(wadi_planning *p, wadi_val param, int slot);
/** The parameters of b's region, from number `first` on, become the components of sequence argument `arg`. */
void wadi_planning_params(wadi_planning *p, const wadi_bind *b, int arg, int first);

#endif
