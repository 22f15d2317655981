/* Whether a filter is told the right number of elements. */
#ifndef WADI_CODEGEN_KEPT_H
#define WADI_CODEGEN_KEPT_H

#include "graph/op.h"

/** Whether argument 0 of `filter`, which has WADI_TRAIT_KEEPS, is seen to be how many elements its predicate keeps: the sum, from zero or without a start,
 *  of 1 for each of them and 0 for all others, over the same arrays by the same function. The filter's own
 *  predicate cannot fault then, because it has run already; what the count does not read may. */
bool wadi_counts_kept(const wadi_module *m, const wadi_bind *filter);

#endif
