/* How much memory the whole arrays of a program need at a time. */
#ifndef WADI_CODEGEN_COST_PEAK_H
#define WADI_CODEGEN_COST_PEAK_H

#include "codegen/diag.h"
#include "codegen/named.h"

/** Adds "16*n bytes at a time, in computing b; 48*n bytes stored in all" for the arrays that are computed in the main block. `scratch` is for the work. */
void wadi_cost_peak_explain(const wadi_named *x, const wadi_diag *d, wadi_block *main,
                            wadi_arena *scratch);

#endif
