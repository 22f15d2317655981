/* The tools of passes that rewrite: who reads which value, and replacing one value by another.
 *
 * A value is read as an argument, inside a scalar function (element, or extent alone), or as the yield of a region. All of
 * these are visited here and nowhere else, so a new way to read a value is added once. */
#ifndef WADI_CODEGEN_REWRITE_H
#define WADI_CODEGEN_REWRITE_H

#include "graph/op.h"

typedef enum wadi_read_kind {
    WADI_READ_ARG,    /* argument number `number` of `bind` */
    WADI_READ_THE,    /* in function `number` of `bind` */
    WADI_READ_INDEX,  /* `!` or `!!` in function `number` of `bind` */
    WADI_READ_EXTENT, /* in function `number` of `bind`; never blocks anything */
    WADI_READ_YIELD   /* yield `number` of `block`; `bind` is NULL */
} wadi_read_kind;

typedef struct wadi_read {
    wadi_read_kind kind;
    wadi_bind *bind;
    wadi_block *block; /* the block of the read */
    int number;
    wadi_val *at; /* where the value's number is kept; may be overwritten */
} wadi_read;

typedef void (*wadi_read_fn)(void *env, const wadi_read *r);

/** Visits every read of binding `b`, which is in `block`: those of its arguments and functions, not those of its regions. */
void wadi_reads_own(wadi_block *block, wadi_bind *b, wadi_read_fn fn, void *env);
/** The same, and every read in its regions, their yields last. */
void wadi_reads_deep(wadi_block *block, wadi_bind *b, wadi_read_fn fn, void *env);
/** Visits every read in a block: its bindings with their regions in program order, then its yields. */
void wadi_reads_block(wadi_block *block, wadi_read_fn fn, void *env);

/** Replacements of values. If a replaces b and c replaces a, then c replaces b. Values made after init are not replaced. */
typedef struct wadi_subst {
    wadi_val *to;
    uint32_t n;
} wadi_subst;

/** Memory comes from `scratch`. False when out of memory. */
bool wadi_subst_init(wadi_subst *s, wadi_arena *scratch, const wadi_module *m);
void wadi_subst_put(wadi_subst *s, wadi_val from, wadi_val to);
wadi_val wadi_subst_get(const wadi_subst *s, wadi_val v);
void wadi_subst_own(const wadi_subst *s, wadi_block *block, wadi_bind *b);
void wadi_subst_yields(const wadi_subst *s, wadi_block *block);
void wadi_subst_block(const wadi_subst *s, wadi_block *block);

/** Whether `inner` is `outer` or lies in it. */
bool wadi_rewrite_within(const wadi_block *inner, const wadi_block *outer);
/** The block that each value is defined in. A pass that moves bindings must update `of` itself. */
typedef struct wadi_homes {
    wadi_block **of; /* [nvalues] */
    uint32_t n;
} wadi_homes;
bool wadi_homes_init(wadi_homes *h, wadi_arena *scratch, wadi_module *m);
/** The block of v. NULL: a constant, which every block may read. */
wadi_block *wadi_homes_get(const wadi_homes *h, wadi_val v);

/** Replaces the bindings of a block by `n` others; false when out of memory. */
bool wadi_rewrite_set_block(wadi_module *m, wadi_block *block, int n, wadi_bind *const *binds);
/** Makes the regions of a binding children of `block` (after the binding moved there). */
void wadi_rewrite_moved(wadi_bind *b, wadi_block *block);

#endif
