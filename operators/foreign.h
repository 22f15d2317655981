/* The builder of `foreign`, for the builder functions of particular libraries. */
#ifndef WADI_OPERATORS_FOREIGN_H
#define WADI_OPERATORS_FOREIGN_H

#include "graph/lang/node.h"

enum {
    WADI_FOREIGN_ARRAYS = 4
}; /* arguments and results of a routine at most: WADI_CALL_ARRAYS of sched/kernel.h */

/** The result of library routine `routine` on array `a`. The `dims` innermost dimensions of `a` are one problem, the others a batch.
 *  The result has the extents given, and `fallback` computes it in the language. */
wadi_acc wadi_routine_env(const char *routine, int dims, wadi_acc a, wadi_ix extents,
                          wadi_acc_fn1_env fallback, void *env);

#endif
