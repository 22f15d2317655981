/* Copies of expressions with other values in place of some of their parts. */
#ifndef WADI_CODEGEN_LOOP_COPY_H
#define WADI_CODEGEN_LOOP_COPY_H

#include "codegen/loop/loop.h"

/* Expressions that are copied to one place. */
typedef struct wadi_lcopy {
    wadi_lb *b;
    const wadi_lscope *of; /* what was made in this scope is copied; the rest is shared */
    uint32_t n;            /* values there were when copying began */
    wadi_lv *made;         /* [n] the copy of each; NONE: there is none yet */
} wadi_lcopy;

/** Begins copying what was made in `of`, a scope that is closed. */
wadi_lcopy wadi_lcopy_begin(wadi_lb *b, const wadi_lscope *of);
/** `to` stands for `from` in all copies. */
void wadi_lcopy_put(wadi_lcopy *c, wadi_lv from, wadi_lv to);
/** Whether a value of this kind can be copied: it depends on nothing but its arguments. */
bool wadi_lcopy_can(const wadi_linst *i);
/** A copy of `v` where code is written now. All that it is made of can be copied, or something stands for it. What was known of its range is
 *  forgotten, so it must exist here. */
wadi_lv wadi_lcopy_of(wadi_lcopy *c, wadi_lv v);

#endif
