/* What operations on complex numbers mean. Internal to graph/ir: wadi_scalar_eval calls it. */
#ifndef WADI_GRAPH_IR_COMPLEX_EVAL_H
#define WADI_GRAPH_IR_COMPLEX_EVAL_H

#include "graph/ir/ir.h"

/** Evaluates a primitive whose first argument is complex; out->type is the result's. False: no such operation. */
bool wadi_complex_eval(wadi_sop op, wadi_type result, const wadi_scalar *args, wadi_scalar *out);

#endif
