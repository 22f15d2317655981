/* The phases of a plan, from the main block down to the stages of one stream. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_PHASES_H
#define WADI_CODEGEN_PLAN_PHASES_H

#include "codegen/plan/planning.h"

/** All bindings of the main block, each after what it needs; consumers of one stream together (order.c). */
wadi_status wadi_planning_main(wadi_planning *p);
/** Array bindings that are pending become a phase (arrays.c). */
wadi_status wadi_planning_array_phase(wadi_planning *p);
/** An array that the run binds; one that the program holds (arrays.c). */
wadi_status wadi_planning_input(wadi_planning *p, const wadi_bind *b);
wadi_status wadi_planning_use(wadi_planning *p, const wadi_bind *b);
/** A phase for the stream that the n consumers eat (stream.c). */
wadi_status wadi_planning_stream_phase(wadi_planning *p, int n, const wadi_bind *const *consumers);
/** The end that consumer `b` is (end.c). */
wadi_status wadi_planning_end(wadi_planning *p, const wadi_bind *b);
/** Gives sequence `seq`, and those it is made of, a stage; into: the stage whose sources it joins, or -1 (visit.c). */
wadi_status wadi_planning_visit(wadi_planning *p, wadi_val seq, int into);

#endif
