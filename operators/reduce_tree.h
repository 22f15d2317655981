/* The fixed order of reductions and scans: the law that makes results independent of threads,
 * chunks and schedules.
 *
 * Floating-point addition is not associative, so a sum is defined only together with its tree. The
 * tree below has room for SIMD lanes and for workers, and depends on nothing but the row's length n
 * and the function f.
 *
 * Blocks. A row is cut into blocks of WADI_TREE_FOLD_BLOCK elements; the last may be shorter. Each
 * block is reduced by itself, as below under Lanes. The results of the m blocks are combined as
 * below under Top, and that is the row's total.
 *
 * Lanes. Inside a block, if wadi_fun_has_lanes(f) and the block has at least WADI_TREE_FOLD_LANES
 * elements: let g be the number of full stripes, a stripe being L = WADI_TREE_FOLD_LANES elements,
 * one for each lane. Lane l starts as element l and takes elements l + L, l + 2L, ..., l + (g-1)L in
 * order (acc = f(acc, x)). Then the upper half of the lanes is taken into the lower one, lane l =
 * f(lane l, lane l + L/2), and so on with L/4, ..., 1, which leaves lane 0. The remaining
 * elements of the block (fewer than L) are
 * taken one by one from the first of them, t = f(t, x), and the block's result is f(lane 0, t). So
 * the two parts can be computed at the same time, which makes short rows fast. Otherwise
 * the block is taken one element after the other from its first. Lanes change the order of the
 * elements, so they are for functions that commute: per field one add, mul, min, max, and, or, xor
 * of the two arguments' fields. Of other functions only associativity is required (composition of
 * affine maps, for example, does not commute), and those keep the order of the elements.
 *
 * Top. One result is the total. The total of m > 1 results is f(left, right): left is the total of
 * the first p of them, p the greatest power of two less than m, and right that of the others. In
 * other words: neighbours are combined in pairs, an odd last one stays as it is, and the same is
 * done again with these results until one is left. So the tree is log2(m) applications of f deep,
 * rounded up, and the results keep their order. Code that takes the results one after the other
 * keeps one value per power of two.
 *
 * Results. fold: f(z, total), z used once; z for an empty row. fold1: total; an empty row is a
 * fault.
 *
 * Scans. scanl1 of a row: within a block of WADI_TREE_SCAN_BLOCK elements, local[i] is the
 * sequential scan of that block alone. In block 0 the result is local[i]; in block k > 0 it is
 * f(carry, local[i]), where carry combines k values, the last local of each of the blocks 0, ...,
 * k - 1: let p be the greatest power of two that divides k; then it is f(carry into block k - p, total
 * of the last p of these values as under Top), or that total alone where k = p. So all carries
 * together are a sweep up and a sweep down a binary tree. scanl: result[0] = z, result[i + 1] = f(z,
 * scan1[i]) with that scanl1.
 *
 * Integers and booleans. Where the function is a single add, mul, min, max, and, or, xor on
 * integers or booleans, any order gives the same bits, and kernels may choose one. The same holds of
 * min and max of floats, except for the bits of a NaN, which mean nothing.
 *
 * permute combines elements with one target one after the other, in the order of the source, unless
 * no order could change the result. */
#ifndef WADI_OPERATORS_REDUCE_TREE_H
#define WADI_OPERATORS_REDUCE_TREE_H

#include <stdbool.h>

#include "graph/ir/ir.h"

/** The first three numbers stand in sched/kernel.h under the names without TREE, for generated code;
 *  a test compares them. */
enum {
    WADI_TREE_FOLD_BLOCK = 4096,
    WADI_TREE_FOLD_LANES = 16,
    WADI_TREE_SCAN_BLOCK = 4096,
    WADI_TREE_RUNS = 52 /* values to keep, one per power of two: enough for the blocks of any row */
};

/** Whether each field of f(acc.., x..) is one operation of the list below, of that field of both. */
bool wadi_fun_is_commutative(const wadi_fun *f);

/** Whether f(acc.., x..) is, in each field i, one of add, mul, min, max, and, or, xor, land, lor
 *  of acc i and x i (in either order), so that the lanes of the law apply. This is decided when the
 *  type rule of the binding first runs (wadi_fun.lanes). So the order does not change if a pass
 *  simplifies the function to one of these. */
bool wadi_fun_has_lanes(const wadi_fun *f);

/** The same, and every field is an integer or a boolean, so that any order of combination gives the
 *  same bits. */
bool wadi_fun_has_any_order(const wadi_fun *f);

#endif
