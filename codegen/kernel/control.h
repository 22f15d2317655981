/* Bindings whose results are computed at once: branches, loops, regions, routines, what sequences within an element give. */
#ifndef WADI_CODEGEN_KERNEL_CONTROL_H
#define WADI_CODEGEN_KERNEL_CONTROL_H

#include "codegen/kernel/lower.h"

/** Whether the binding calls a library routine in this version of its body (foreign.c). */
bool wadi_lower_calls(const wadi_lower *l, const wadi_bind *bind);
/** Calls it. The arguments are stored, the results have their places. */
void wadi_lower_call(wadi_lower *l, const wadi_bind *bind);
/** What a routine or a manual lifting means: region 0. The results are then another name for what it yields. */
void wadi_lower_region(wadi_lower *l, const wadi_bind *bind);
/** The same, with a check that its extents are those the binding is given. */
void wadi_lower_region_checked(wadi_lower *l, const wadi_bind *bind);
/** What makes arrays of a sequence within an element (sequence/consume.c); results are then in memory or scalars. */
void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind);
/** A branch: one of two regions (structured.c). Results are then in memory or scalars. */
void wadi_lower_cond(wadi_lower *l, const wadi_bind *bind);
/** A loop: a region while another says so. */
void wadi_lower_loop(wadi_lower *l, const wadi_bind *bind);

#endif
