/* Reading: code for an element of a value, for its extents, and for a scalar function of elements. Each of the three may need the others. */
#ifndef WADI_CODEGEN_KERNEL_READ_H
#define WADI_CODEGEN_KERNEL_READ_H

#include "codegen/kernel/lower.h"

/** Element ix of v, one value per field. */
void wadi_lower_read(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv *out);
/** The same for code that must tell no fault: zeros where there is no such element, and the i64 variable `bad` becomes 1. */
void wadi_lower_read_quietly(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv bad,
                             wadi_lv *out);
/** The extent of v in dimension `dim`, an i64. */
wadi_lv wadi_lower_extent(wadi_lower *l, wadi_val v, int dim);
/** All extents of v. */
void wadi_lower_extents(wadi_lower *l, wadi_val v, wadi_lv *out);
/** The i64 in rank-0 array v. */
wadi_lv wadi_lower_scalar(wadi_lower *l, wadi_val v);
/** The product of extents. */
wadi_lv wadi_lower_size(wadi_lower *l, int rank, const wadi_lv *extent);
/** Writes the checks of `bind` and of all delayed bindings that it reads: extents must agree, or must not be negative. */
void wadi_lower_checks(wadi_lower *l, const wadi_bind *bind);
/** Called before memory is requested for array `v`, which has one shape for all elements. Writes those of the checks above that read only
 *  what the extents of v are computed from. They run if an extent is negative, so that the fault names the operator that makes it. */
void wadi_lower_shape_checks(wadi_lower *l, wadi_val v);
/** Element ix of v, checked; a fault names `op`. */
void wadi_lower_read_checked(wadi_lower *l, wadi_val v, const wadi_lv *ix, const char *op,
                             wadi_loc loc, wadi_lv *out);
/** The results of f for these arguments (scalar.c). */
void wadi_lower_apply(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv *out);
/** f(args), noted where it faults; then out means nothing. */
void wadi_lower_apply_quietly(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv bad,
                              wadi_lv *out);
/** The approximate number of instructions of f; very large if it may fault, loops or calls the mathematical library. */
int wadi_lower_cost(const wadi_fun *f);
/** Computes element ix of the result of `bind` in place. */
void wadi_lower_element(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);

#endif
