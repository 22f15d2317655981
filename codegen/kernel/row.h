/* Reductions of a row, the innermost dimension, by the fixed tree of operators/reduce_tree.h. */
#ifndef WADI_CODEGEN_KERNEL_ROW_H
#define WADI_CODEGEN_KERNEL_ROW_H

#include "codegen/kernel/lower.h"

typedef void (*wadi_row_elem)(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out);

typedef struct wadi_row {
    const wadi_fun *f;
    int fields;            /* of all rows that are reduced together */
    int each;              /* of one element */
    const wadi_type *type; /* [each] */
    wadi_lv n;
    wadi_row_elem elem; /* element i, 0 <= i < n */
    void *env;
    const wadi_bind *const *folds; /* several folds of one row instead of several rows; else NULL */
    bool has_z;                    /* argument 0 is in front of it */
    const char *of_nothing;        /* what a fault says of no elements and no z */
    bool is_cheap;                 /* an element may as well be computed twice */
    bool plain;                    /* minima and maxima of floats are at work by plain comparison */
} wadi_row;

/** What leaves the other argument as it is in field `field` of f, which wadi_fun_has_any_order. */
wadi_scalar wadi_row_identity(const wadi_fun *f, int field);
/** The part of the block that starts at element `from`. */
void wadi_lower_reduce_block(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv *out);
/** The result of block `blk` of a row whose blocks have been reduced already. */
typedef void (*wadi_row_block)(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out);
/** total of such a row: the result of the first block, and what gives those behind it. */
void wadi_row_combine_blocks(wadi_lower *l, const wadi_row *r, const wadi_lv *first,
                             wadi_row_block later, const void *env, wadi_lv *out);
/** The same for an f that wadi_fun_has_any_order. */
void wadi_row_combine_any_order(wadi_lower *l, const wadi_row *r, wadi_row_block each,
                                const void *env, wadi_lv *out);
/** Element ix of the fold or fold1 `bind` (fold.c). */
void wadi_lower_fold_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
/** How many rows of the result's innermost dimension are worth reducing together. */
int wadi_lower_fold_together(const wadi_lower *l, const wadi_bind *bind);
/** Elements ix, ix + 1, ... (of the innermost dimension) of a fold; out: [rows][fields]. */
void wadi_lower_fold_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, int rows,
                          wadi_lv *out);
/** The fold of rank 0 binds[0] and those among the n bindings that one loop over its row can compute as well: out_folds[k], of
 *  at most WADI_MAX_FIELDS. Returns how many. */
int wadi_lower_folds_together(const wadi_lower *l, int n, const wadi_bind *const *binds,
                              const wadi_bind **out_folds);
/** Their elements; out: [count][fields]. */
void wadi_lower_fold_all(wadi_lower *l, int count, const wadi_bind *const *folds, wadi_lv *out);
/** The same from the results of the blocks, in slot `parts` with one more dimension. */
void wadi_lower_fold_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                           wadi_lv *out);
/** Element `block` of the table of parts. */
void wadi_lower_fold_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv block,
                           wadi_lv *out);
wadi_lv wadi_lower_row_length(wadi_lower *l, const wadi_bind *bind);
/** Element `blk`, behind the outer index `ix`, of the table of parts in `slot`. */
void wadi_lower_part(wadi_lower *l, int slot, const wadi_lv *ix, wadi_lv blk, wadi_lv *out);
/** What `bind`, a fold of whatever kind, gives for row r: with its z, if it has one; of no element: z, or a fault. `total`
 *  gives the row's own part, by default the total by the law. */
typedef void (*wadi_row_total)(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out);
void wadi_lower_fold_row(wadi_lower *l, const wadi_bind *bind, const wadi_row *r,
                         wadi_row_total total, void *env, wadi_lv *out);
/** Which of these `f` is in field `field` of accumulator and element; else CONST. */
wadi_sop wadi_row_extreme(const wadi_fun *f, int field);
/** Whether an element of v may as well be computed twice. */
bool wadi_lower_is_cheap(const wadi_lower *l, wadi_val v);
/** The plain comparison: what to begin with, one step. */
wadi_lv wadi_lower_extreme_first(wadi_lower *l, wadi_sop op, wadi_lv x);
wadi_lv wadi_lower_extreme_next(wadi_lower *l, wadi_sop op, wadi_lv acc, wadi_lv x);
/** Whether what it found must be settled: a variable, every element taken into it, the result. */
wadi_lv wadi_lower_extreme_open(wadi_lower *l, wadi_sop op, wadi_lv found);
wadi_lv wadi_lower_extreme_bits(wadi_lower *l, wadi_sop op, wadi_type t);
void wadi_lower_extreme_take(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found, wadi_lv x);
wadi_lv wadi_lower_extreme_settled(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found);

#endif
