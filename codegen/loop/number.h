/* Numbering and placing the instructions of loop IR, for build.c and simplify.c. */
#ifndef WADI_CODEGEN_LOOP_NUMBER_H
#define WADI_CODEGEN_LOOP_NUMBER_H

#include "codegen/loop/loop.h"

/** A new scope inside the current one. Instructions do not go there yet. */
wadi_lscope *wadi_lb_scope_new(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner);
/** Puts the instruction at the end of `s`. */
void wadi_lb_append(wadi_lb *b, wadi_lscope *s, wadi_linst *i);
/** A new instruction with a number, which is in no scope yet. */
wadi_linst *wadi_lb_new(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args);
/** Finds an instruction equal to `i`, or places `i`: as far out as possible within `limit`; NULL: in the current scope. */
wadi_lv wadi_lb_pure_within(wadi_lb *b, wadi_linst *i, const wadi_lscope *limit);
/** The same; `i` may go as far out as its operands allow. */
static inline wadi_lv wadi_lb_pure(wadi_lb *b, wadi_linst *i) {
    return wadi_lb_pure_within(b, i, b->fun->body);
}

#endif
