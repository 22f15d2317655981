/* Which folds go over all pairs of rows and columns, as the program tells it. Code generation looks again, at the code of an element
 * (codegen/kernel/pairs.h), and has the last word. */
#ifndef WADI_CODEGEN_ALL_PAIRS_H
#define WADI_CODEGEN_ALL_PAIRS_H

#include "graph/op.h"

/** Whether tiles have registers for such results: up to three fields, none of them complex. */
bool wadi_all_pairs_take(const wadi_elem *e);

/** Whether no array is read at an index that depends on both the row and the column of the result, the last two dimensions, and both matter. It
 *  is meant for folds before it is decided which arrays they read are stored; any producer counts as computed on the spot. */
bool wadi_folds_all_pairs(const wadi_module *m, const wadi_bind *fold);

#endif
