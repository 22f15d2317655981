/* Values held in variables, and states that change from round to round. Branches, loops and streams inside a kernel share this
 * (structured.c, sequence/). */
#ifndef WADI_CODEGEN_KERNEL_STATE_H
#define WADI_CODEGEN_KERNEL_STATE_H

#include "codegen/kernel/lower.h"

/* Variables that hold one value: the fields of a scalar, or the pointers and extents of an array. */
typedef struct wadi_holder {
    wadi_val v;
    const wadi_array_type *t;
    bool opaque; /* its extents are known only at run time */
    bool
        written; /* a spare buffer: a value has been computed in its memory (wadi_round_state_aim) */
    wadi_lv field[WADI_MAX_FIELDS], extent[WADI_MAX_RANK];
} wadi_holder;

/** Makes holders for values of the types of `values`. */
wadi_holder *wadi_holders(wadi_lower *l, int n, const wadi_val *values, const char *name);
/** Sets the variables to stored value `from`. */
void wadi_holder_set(wadi_lower *l, const wadi_holder *h, wadi_val from);
/** The values of the variables now, as the location of a value. */
wadi_vloc wadi_holder_get(wadi_lower *l, const wadi_holder *h);

/* Values that are stored only as long as a scope is open; outside it they are delayed again. */
typedef struct wadi_borrowed {
    int n;
    wadi_val v[64];
} wadi_borrowed;
void wadi_borrow(wadi_lower *l, wadi_val v, wadi_borrowed *out);
void wadi_give_back(wadi_lower *l, const wadi_borrowed *values);
/** Computes a region's bindings and stores what it yields. */
void wadi_lower_run_region(wadi_lower *l, const wadi_block *r, wadi_borrowed *out);

/* A state of n values. If it keeps its shape, it has two buffers per array and swaps them, so scratch memory can be given back each
 * round. If it changes shape, it takes new scratch memory each round. */
typedef struct wadi_round_state {
    int n;
    const wadi_val *init, *params, *yields, *results;
    wadi_holder *now, *spare;
    bool keeps_shape;
} wadi_round_state;

void wadi_round_state_start(wadi_lower *l, wadi_round_state *s);
/** The parameters get the current state. */
void wadi_round_state_place(wadi_lower *l, const wadi_round_state *s, const wadi_val *params);
/** What the block computes of the next state goes straight to the buffers that are not in use. Called in front of its bindings. */
void wadi_round_state_aim(wadi_lower *l, const wadi_round_state *s, const wadi_block *block);
/** The memory that v is to be computed in, as pointers to its fields, if it was aimed at and is free. */
bool wadi_round_state_target(wadi_lower *l, wadi_val v, wadi_lv *pointer);
/** The yields, which must be stored, become the state. */
void wadi_round_state_next(wadi_lower *l, const wadi_round_state *s);

#endif
