/* What the files of this folder share: runs over a sequence within an element, and elements of such sequences. */
#ifndef WADI_CODEGEN_KERNEL_NESTED_H
#define WADI_CODEGEN_KERNEL_NESTED_H

#include "codegen/kernel/state.h"

/* An element of a sequence: the locations of its components. Arrays are in memory, scalars are values. */
typedef struct wadi_inner_element {
    int n;
    const wadi_array_type *type; /* [n] */
    wadi_vloc *at;               /* [n] */
} wadi_inner_element;

/* One run over a sequence: a loop, possibly in a round of another one. */
typedef struct wadi_inner {
    const struct wadi_inner *around; /* NULL: none */
    wadi_lv
        kept; /* variable: whether scratch memory taken in this round is still needed after it */
    wadi_lv alive; /* variable: more elements are wanted; NONE: always */
} wadi_inner;

typedef void (*wadi_inner_taker)(wadi_lower *l, void *env, const wadi_inner_element *e);

/** Code that calls `take` for every element of sequence `s`, in order. */
void wadi_inner_each(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env);
/** The same for sequences that ask for their elements (pull.c). */
void wadi_inner_pull(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env);

/* ---- rounds (inner.c) ---- */

/** Variables for a loop. */
wadi_inner wadi_inner_start(wadi_lower *l, const wadi_inner *around);
/** Notes that scratch memory taken in this round is needed after it, also in the loops around up to `home`; NULL: in all of them. */
void wadi_inner_keep(wadi_lower *l, const wadi_inner *in, const wadi_inner *home);
/** Begin and end of the loop's scope. */
void wadi_inner_open(wadi_lower *l, const wadi_inner *in);
void wadi_inner_close(wadi_lower *l, const wadi_inner *in);

/* ---- elements (inner.c) ---- */

/** Room for an element of `s`. */
wadi_inner_element wadi_inner_new(wadi_lower *l, wadi_val s);
/** The location of stored value `v`, in a form that later code does not change. */
wadi_vloc wadi_inner_place(wadi_lower *l, wadi_val v);
/** The present value of variable `var`, which holds an extent. */
wadi_lv wadi_inner_extent(wadi_lower *l, wadi_lv var);
/** The parameters from number `first` on become the components of an element of `s`. Returns the number of the next parameter. */
int wadi_inner_params(wadi_lower *l, const wadi_block *r, int first, wadi_val s,
                      const wadi_inner_element *e);
/** Computes a region, which may have been computed for another reader; its yields are stored. */
void wadi_inner_compute(wadi_lower *l, const wadi_block *r, wadi_borrowed *values);
/** Computes region `r` of sequence `s`; its yields are the element. */
wadi_inner_element wadi_inner_run(wadi_lower *l, wadi_val s, const wadi_block *r);
/** The number that is argument `arg` of b. If it is less than 1, it is a fault that names it `what`. */
wadi_lv wadi_inner_at_least_1(wadi_lower *l, const wadi_bind *b, int arg, const char *what);
/** Whether any element of `s` can be computed from its number alone. */
bool wadi_inner_is_indexed(const wadi_lower *l, wadi_val s);
/** Element i of such a sequence. */
wadi_inner_element wadi_inner_at(wadi_lower *l, wadi_val s, wadi_lv i);
/** Whether the number of elements is known before the first; then *out_n. */
bool wadi_inner_length(wadi_lower *l, wadi_val s, wadi_lv *out_n);
/** The arrays that expansion `b` makes of element `e` and then cuts into slices; NULL: failed. */
wadi_vloc *wadi_inner_wholes(wadi_lower *l, const wadi_bind *b, const wadi_inner_element *e);
/** How many slices the arrays of expansion `b` have, which must agree; slice j of one of them. */
wadi_lv wadi_inner_slices(wadi_lower *l, const wadi_bind *b, const wadi_vloc *whole);
void wadi_inner_slice(wadi_lower *l, const wadi_vloc *whole, const wadi_array_type *t, wadi_lv j,
                      wadi_vloc *out);

/** The state of scan or fold `b`, not started. */
wadi_round_state wadi_inner_state(const wadi_bind *b);
/** One step of scan `b` with element `e`: gives the next state, which is an element of the result. */
wadi_inner_element wadi_inner_step(wadi_lower *l, const wadi_inner *in, wadi_round_state *state,
                                   const wadi_bind *b, const wadi_inner_element *e);

/** Writes the consumers that need all elements at once: COLLECT and FOLD_CHUNK (collect.c). False: `bind` has another form. */
bool wadi_inner_collect(wadi_lower *l, const wadi_bind *bind);

#endif
