/* Numbering and placing the instructions of loop IR, for build.c and simplify.c. */
#ifndef WADI_CODEGEN_LOOP_NUMBER_H
#define WADI_CODEGEN_LOOP_NUMBER_H

#include "codegen/loop/loop.h"

/** A scope inside the current one, not yet open for instructions. */
wadi_lscope *wadi_lb_scope_new(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner);
/** Puts the instruction at the end of `s`. */
void wadi_lb_append(wadi_lb *b, wadi_lscope *s, wadi_linst *i);
/** A numbered instruction that stands nowhere yet. */
wadi_linst *wadi_lb_new(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args);
/** Finds an instruction like `i`, or places it: as far out as `limit`, or here when that is NULL. */
wadi_lv wadi_lb_pure_within(wadi_lb *b, wadi_linst *i, const wadi_lscope *limit);
/** The same, as far out as its operands allow. */
static inline wadi_lv wadi_lb_pure(wadi_lb *b, wadi_linst *i) {
    return wadi_lb_pure_within(b, i, b->fun->body);
}

#endif
