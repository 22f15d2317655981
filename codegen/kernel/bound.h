/* What loop IR knows about the range of an index: proofs, and bounds computed in front of a loop. */
#ifndef WADI_CODEGEN_KERNEL_BOUND_H
#define WADI_CODEGEN_KERNEL_BOUND_H

#include "codegen/kernel/loop.h"

/** Proved: 0 <= index and index < extent, wherever `index` is computed. */
bool wadi_bound_proved(wadi_lb *b, wadi_lv index, wadi_lv extent);

/** A condition, computed in the open scope `home`, under which 0 <= index < extent holds for every value `index` takes
 *  in the loops inside `home`. NONE: the index is no monotone function of loop variables and of values from outside. */
wadi_lv wadi_bound_condition(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv extent);

#endif
