/* Whether each lane of a loop uses places of memory of its own. */
#ifndef WADI_CODEGEN_LOOP_OWN_H
#define WADI_CODEGEN_LOOP_OWN_H

#include "codegen/loop/loop.h"

/** Whether `v` was made in `scope` or in a scope within. */
bool wadi_own_is_made_in(const wadi_lfun *f, wadi_lv v, const wadi_lscope *scope);
/** Whether no two lanes of `loop`, a loop by lanes, use the same place by index `at`. False also if that cannot be seen. */
bool wadi_own_is_apart(const wadi_lfun *f, const wadi_linst *loop, wadi_lv at);
/** Whether no place that the lanes of `loop` use by index `x` is one that they use by index `y`. */
bool wadi_own_are_disjoint(const wadi_lfun *f, const wadi_linst *loop, wadi_lv x, wadi_lv y);
/** Whether each lane has a row of places, as many as every other lane, and by both indices uses those of its own alone. */
bool wadi_own_are_in_one_row(const wadi_lfun *f, const wadi_linst *loop, wadi_lv x, wadi_lv y);
/** The index without RANGE instructions around it, which only state bounds. */
wadi_lv wadi_own_plain(const wadi_lfun *f, wadi_lv at);

#endif
