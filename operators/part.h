/* The rule and the builder that take and drop share: a dimension and a number. Internal to operators/. */
#ifndef WADI_OPERATORS_PART_H
#define WADI_OPERATORS_PART_H

#include "graph/lang/node.h"
#include "operators/rules.h"

WADI_NODISCARD wadi_status wadi_part_type(wadi_module *m, wadi_bind *b, wadi_error *err);
/** The node: `op` with number n along dimension `dim`, or along the innermost dimension if `innermost`. */
wadi_acc wadi_part_of(const wadi_op *op, bool innermost, int dim, wadi_exp n, wadi_acc a);

#endif
