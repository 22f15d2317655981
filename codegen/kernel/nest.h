/* Loop nests over all elements of an array, a row, or a part of one. */
#ifndef WADI_CODEGEN_KERNEL_NEST_H
#define WADI_CODEGEN_KERNEL_NEST_H

#include "codegen/kernel/lower.h"

/** The body of a loop nest: code for element ix; NULL for rank 0. */
typedef void (*wadi_nest_body)(wadi_lower *l, void *env, const wadi_lv *ix);
/** Writes a loop for each dimension, the innermost last. */
void wadi_lower_nest(wadi_lower *l, int rank, const wadi_lv *extent, wadi_nest_body body,
                     void *env);
/** Stores all elements of `bind`'s result through pointers; the result's extents are given. */
void wadi_lower_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer);
/** The same one by one, whatever else the skeleton knows. */
void wadi_lower_fill_elements(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer);
/** The same for elements [from, below) of one row (the innermost dimension). */
void wadi_lower_fill_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix, wadi_lv from,
                         wadi_lv below);
/** Computes the outer index of row number `row`. Each component is known to be in range. */
void wadi_lower_row_index(wadi_lower *l, wadi_lv row, int outer, const wadi_lv *extent,
                          wadi_lv *ix);
/** Writes a loop over the elements of the row at outer_ix. */
void wadi_lower_nest_row(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *outer_ix,
                         wadi_nest_body body, void *env);
/** Copies the elements of stored value v to the memory at the pointers. */
void wadi_lower_copy(wadi_lower *l, wadi_val v, const wadi_lv *extent, const wadi_lv *pointer);

#endif
