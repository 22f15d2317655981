/* Reading: an element of a value, its extents, a scalar function of elements. Each may need the others. */
#ifndef WADI_CODEGEN_KERNEL_READ_H
#define WADI_CODEGEN_KERNEL_READ_H

#include "codegen/kernel/lower.h"

/** Element ix of v, one value per field. */
void wadi_lower_read(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv *out);
/** The extent of v in dimension `dim`, an i64. */
wadi_lv wadi_lower_extent(wadi_lower *l, wadi_val v, int dim);
/** All extents of v. */
void wadi_lower_extents(wadi_lower *l, wadi_val v, wadi_lv *out);
/** A symbolic extent as code. */
wadi_lv wadi_lower_ext(wadi_lower *l, wadi_ext e);
/** The i64 in rank-0 array v. */
wadi_lv wadi_lower_scalar(wadi_lower *l, wadi_val v);
/** The product of extents. */
wadi_lv wadi_lower_size(wadi_lower *l, int rank, const wadi_lv *extent);
/** Code for the checks of `bind` and of all delayed bindings it reads: extents that must agree or not be negative. */
void wadi_lower_checks(wadi_lower *l, const wadi_bind *bind);
/** In front of the memory that is asked for array `v` of one shape for all elements: where that is impossible, those of these checks
 *  that need nothing but what its extents are computed from, so that the operator that makes a negative extent tells of it. */
void wadi_lower_shape_checks(wadi_lower *l, wadi_val v);
/** Element ix of v, checked; a fault names `op`. */
void wadi_lower_read_checked(wadi_lower *l, wadi_val v, const wadi_lv *ix, const char *op,
                             wadi_loc loc, wadi_lv *out);
/** The results of f for these arguments (scalar.c). */
void wadi_lower_apply(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv *out);
/** About how many instructions that takes; very many if it may fault, loops or calls the mathematical library. */
int wadi_lower_cost(const wadi_fun *f);
/** Element ix of the result of `bind`, computed on the spot. */
void wadi_lower_element(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);

#endif
