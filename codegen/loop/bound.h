/* The range of an index in loop IR: proofs, and bounds that are computed before a loop. */
#ifndef WADI_CODEGEN_LOOP_BOUND_H
#define WADI_CODEGEN_LOOP_BOUND_H

#include "codegen/loop/loop.h"

/** Whether it is proved that 0 <= index < extent wherever `index` is computed. */
bool wadi_bound_proved(wadi_lb *b, wadi_lv index, wadi_lv extent);

/** A condition, computed in the open scope `home`, under which 0 <= index < extent holds for every value that `index` takes
 *  in the loops inside `home`. NONE: there is none, because the index is no monotone function of loop variables and values from
 *  outside. */
wadi_lv wadi_bound_condition(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv extent);

/** The same for a truth: a condition in `home` under which `truth` holds in all rounds of the loops inside. */
wadi_lv wadi_bound_always(wadi_lb *b, wadi_lscope *home, wadi_lv truth);

/** The least and the greatest value that `index` takes in the loops inside `home`, computed there, and a condition under which
 *  they are right (NONE: always). False: it is no monotone function. */
bool wadi_bound_range(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv *out_least,
                      wadi_lv *out_most, wadi_lv *out_cond);

/** By how much `v` changes whenever `var` grows by one. False: not always by the same, or that is not known. */
bool wadi_bound_stride(wadi_lb *b, wadi_lv v, wadi_lv var, int64_t *out);

/** Whether x - y is proved to be a constant, which is then *out. */
bool wadi_bound_difference(wadi_lb *b, wadi_lv x, wadi_lv y, int64_t *out);

/** Whether `index` changes by a constant, not 0, when loop variable `var` grows by one. Then no two rounds have the same index. */
bool wadi_bound_steps(wadi_lb *b, wadi_lv index, wadi_lv var);

#endif
