/* Streams inside a kernel: what nested.c and collect.c share. */
#ifndef WADI_CODEGEN_KERNEL_NESTED_H
#define WADI_CODEGEN_KERNEL_NESTED_H

#include "codegen/kernel/state.h"

/* An element of a sequence: its components as places, arrays in memory and scalars in values. */
typedef struct wadi_inner_element {
    int n;
    const wadi_array_type *type; /* [n] */
    wadi_vloc *at;               /* [n] */
} wadi_inner_element;

/* One run over a sequence. */
typedef struct wadi_inner {
    wadi_lv kept;  /* variable: scratch taken in this round stays, so it is not given back */
    wadi_lv alive; /* variable: more elements are wanted; NONE: always */
} wadi_inner;

typedef void (*wadi_inner_taker)(wadi_lower *l, void *env, const wadi_inner_element *e);

/** Code that calls `take` for every element of sequence `s`, in order. */
void wadi_inner_each(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env);
/** Whether the number of elements is known before the first; then *out_n. */
bool wadi_inner_length(wadi_lower *l, wadi_val s, wadi_lv *out_n);
/** Scratch taken in this round stays. */
void wadi_inner_keep(wadi_lower *l, const wadi_inner *in);
/** Variables for a run. */
wadi_inner wadi_inner_start(wadi_lower *l);
/** The stored value `v` as a place that later code does not change. */
wadi_vloc wadi_inner_place(wadi_lower *l, wadi_val v);

/** elements, tabulate, tabulate_min, from_seq, fold_batch (collect.c). False: not one of them. */
bool wadi_inner_collect(wadi_lower *l, const wadi_bind *bind);

#endif
