/* What each pass over arrays costs: bytes and operations, as formulas in the extents of the program. */
#ifndef WADI_CODEGEN_COST_H
#define WADI_CODEGEN_COST_H

#include "codegen/diag.h"
#include "codegen/named.h"

/** Adds the section "cost": for each pass over arrays the bytes that it reads and writes and its operations for an element, which arrays are
 *  read by several passes and by which, and the memory of each body. `scratch` is for the work. */
void wadi_cost_explain(const wadi_named *x, const wadi_diag *d, wadi_arena *scratch);

#endif
