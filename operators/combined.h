/* Builders of folds and scans. Internal to operators/. */
#ifndef WADI_OPERATORS_COMBINED_H
#define WADI_OPERATORS_COMBINED_H

#include "graph/lang/node.h"
#include "operators/rules.h"

/** The fold or scan `op` of `a` by f, from `z` if it is not NULL. A fold's result has no innermost dimension. */
wadi_acc wadi_combined(const wadi_op *op, wadi_fn2_env f, void *env, const wadi_exp *z, wadi_acc a);
/** Ends a draft: adds f, a function of two elements of `t`, and makes the node. The result has `rank` and the elements of `t`. */
wadi_acc wadi_combined_end(wadi_draft *d, const wadi_op *op, wadi_fn2_env f, void *env,
                           const wadi_array_type *t, int rank);

#endif
