/* A stage under construction. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_STAGE_H
#define WADI_CODEGEN_PLAN_STAGE_H

#include "codegen/plan/planning.h"

/** Stage `number` of the stream, good until another one is added. */
wadi_planned_stage *wadi_planning_stage_at(wadi_planning *p, int number);
/** A new stage that begins with binding b; -1 when out of memory. */
int wadi_planning_new_stage(wadi_planning *p, wadi_change_kind change, const wadi_bind *b);
/** How many arrays an element of `seq` has. */
int wadi_planning_width(const wadi_planning *p, wadi_val seq);
/** Tables for the components of `seq`, which comes out of `stage`: neither values nor parts yet. */
wadi_status wadi_planning_components(wadi_planning *p, wadi_val seq, int stage);
/** The number among its stage's results of component c of `seq`; of value v of a stage's body. */
int wadi_planning_want(wadi_planning *p, wadi_val seq, int c);
int wadi_planning_want_value(wadi_planning *p, int stage, wadi_val v);
/** A parameter becomes the value that the runtime puts into `slot`: there while this stage's body is planned. */
void wadi_planning_param_at(wadi_planning *p, wadi_val param, int slot);
/** Gives the parameters of b's region from number `first` on the components of sequence argument `arg`. */
void wadi_planning_params(wadi_planning *p, const wadi_bind *b, int arg, int first);

#endif
