/* Planning, from the main block through its phases to the stages of a stream. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_PHASES_H
#define WADI_CODEGEN_PLAN_PHASES_H

#include "codegen/plan/planning.h"

/** Plans all bindings of the main block, each after those that it needs. Consumers of one stream are planned together (order.c). */
wadi_status wadi_planning_main(wadi_planning *p);
/** Makes a phase of the pending array bindings (arrays.c). */
wadi_status wadi_planning_array_phase(wadi_planning *p);
/** Plan an input, whose array the run binds, and host data, which the program holds (arrays.c). */
wadi_status wadi_planning_input(wadi_planning *p, const wadi_bind *b);
wadi_status wadi_planning_use(wadi_planning *p, const wadi_bind *b);
/** Finds which pending arrays may be written into the memory of others that nobody reads any more (in_place.c). */
void wadi_planning_place_arrays(wadi_planning *p);
/** Adds a phase for the stream that n consumers read (stream.c). */
wadi_status wadi_planning_stream_phase(wadi_planning *p, int n, const wadi_bind *const *consumers);
/** Adds the end for consumer `b` (end.c). */
wadi_status wadi_planning_end(wadi_planning *p, const wadi_bind *b);
/** Plans the stages of sequence `seq` and of those that it is made of. into: the stage whose sources it joins, or -1 (visit.c). */
wadi_status wadi_planning_visit(wadi_planning *p, wadi_val seq, int into);

/** Which results of the body nobody but the body reads; *out is NULL if there is none (inner.c). */
wadi_status wadi_planning_inner(wadi_planning *p, const wadi_body *body, const bool **out);

#endif
