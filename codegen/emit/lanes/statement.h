/* Statements of device C. */
#ifndef WADI_CODEGEN_EMIT_LANES_STATEMENT_H
#define WADI_CODEGEN_EMIT_LANES_STATEMENT_H

#include "codegen/emit/c_like/expression.h"
#include "codegen/emit/lanes/order.h"

/* A kernel being written. */
typedef struct wadi_c_lanes {
    wadi_c_writer w;
    wadi_c_order order;
    bool grouped;            /* it has a loop by groups */
    const wadi_linst *lanes; /* the loop by lanes that is being written, or NULL */
    bool joins;              /* it has barriers, so WADI_JOIN stands where it is needed */
    bool parted;             /* lanes may have gone different ways since they were together last */
    int barriers;            /* that have been written */
    const char *wrong;       /* what cannot be written; NULL: nothing yet */
} wadi_c_lanes;

/** Writes the instructions of a scope. */
void wadi_c_lanes_scope(wadi_c_lanes *c, const wadi_lscope *s, int level);
/** Whether a lane can have a fault in the scope. `in_lanes`: the scope is in a loop by lanes; otherwise it counts what stands in such loops
 *  only. */
bool wadi_c_lanes_can_fail(const wadi_lscope *s, bool in_lanes);
/** Whether the name means something in one of the dialects, or here. */
bool wadi_c_lanes_is_taken(const char *name);

#endif
