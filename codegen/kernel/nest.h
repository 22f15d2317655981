/* Loop nests over all elements of an array, a row, or a part of one. */
#ifndef WADI_CODEGEN_KERNEL_NEST_H
#define WADI_CODEGEN_KERNEL_NEST_H

#include "codegen/kernel/lower.h"

/** The body of a loop nest: code for element ix; NULL for rank 0. */
typedef void (*wadi_nest_body)(wadi_lower *l, void *env, const wadi_lv *ix);
/** A loop per dimension, innermost last. */
void wadi_lower_nest(wadi_lower *l, int rank, const wadi_lv *extent, wadi_nest_body body,
                     void *env);
/** Stores all elements of `bind`'s result through pointers; the result's extents are given. */
void wadi_lower_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer);
/** One row (or part of a row, [from, below) of the innermost dimension) of it. */
void wadi_lower_fill_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix, wadi_lv from,
                         wadi_lv below);
/** Ends an innermost loop; one with a straight body is marked as independent. */
void wadi_lower_end_innermost(wadi_lower *l);
/** The outer index that row number `row` stands for; each is known to lie in its dimension. */
void wadi_lower_row_index(wadi_lower *l, wadi_lv row, int outer, const wadi_lv *extent,
                          wadi_lv *ix);
/** A loop over the elements of the row behind outer_ix. */
void wadi_lower_nest_row(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *outer_ix,
                         wadi_nest_body body, void *env);
/** Copies the elements of stored v to pointers. */
void wadi_lower_copy(wadi_lower *l, wadi_val v, const wadi_lv *extent, const wadi_lv *pointer);

#endif
