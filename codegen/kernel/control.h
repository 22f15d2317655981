/* Bindings whose results are computed as a whole, not element by element: branches, loops, regions, library routines, and consumers of
 * sequences within an element. */
#ifndef WADI_CODEGEN_KERNEL_CONTROL_H
#define WADI_CODEGEN_KERNEL_CONTROL_H

#include "codegen/kernel/lower.h"

/** Whether the binding calls a library routine in this version of its body (foreign.c). */
bool wadi_lower_calls(const wadi_lower *l, const wadi_bind *bind);
/** Calls the routine. The arguments must be stored, and the results must have memory. */
void wadi_lower_call(wadi_lower *l, const wadi_bind *bind);
/** Computes region 0, the meaning of a routine or a manual lifting. The results become aliases of what the region yields. */
void wadi_lower_region(wadi_lower *l, const wadi_bind *bind);
/** The same, with a check that the extents are those that the binding states. */
void wadi_lower_region_checked(wadi_lower *l, const wadi_bind *bind);
/** Computes arrays from a sequence within an element (sequence/consume.c). The results are then in memory or scalars. */
void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind);
/** Writes a branch: one of two regions runs (structured.c). The results are then in memory or scalars. */
void wadi_lower_cond(wadi_lower *l, const wadi_bind *bind);
/** Writes a loop: one region runs while the predicate, another region, holds. */
void wadi_lower_loop(wadi_lower *l, const wadi_bind *bind);

#endif
