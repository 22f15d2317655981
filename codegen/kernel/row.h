/* Reductions of a row, the innermost dimension, by the fixed tree of operators/reduce_tree.h. */
#ifndef WADI_CODEGEN_KERNEL_ROW_H
#define WADI_CODEGEN_KERNEL_ROW_H

#include "codegen/kernel/lower.h"

typedef void (*wadi_row_elem)(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out);

/* One of several folds that share a loop over rows of one length. Its element is fields [at, at + fields) of theirs. */
typedef struct wadi_row_fold {
    const wadi_bind *bind;
    int at, fields;
    const wadi_type *type; /* [fields] */
    bool is_cheap;         /* computing its element twice costs no more than keeping it */
} wadi_row_fold;

typedef struct wadi_row {
    const wadi_fun *f;
    int fields;            /* of the elements of all rows that are reduced together */
    int each;              /* fields of one element; of the first fold's if there are several */
    const wadi_type *type; /* [each] */
    wadi_lv n;
    wadi_row_elem elem; /* element i, 0 <= i < n */
    void *env;
    int nfolds; /* several folds of rows of one length instead of several rows; else 0 */
    const wadi_row_fold *folds; /* [nfolds] */
    bool has_z;                 /* argument 0 is z, which comes before the row */
    const char *of_nothing;     /* the text of the fault if there are no elements and no z */
    int64_t blocks;             /* that a row has at most; 0: not known */
    bool is_cheap;              /* computing an element twice costs no more than keeping it */
    bool plain; /* minima and maxima of floats are found by plain comparison first */
    bool
        quiet; /* where f faults, that is noted in the i64 variable `bad` (check.h); f keeps the order then, and there is one fold */
    wadi_lv bad;
} wadi_row;

/** Computes the total of a row. */
typedef void (*wadi_row_total)(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out);

/** The identity of field `field` of f: the value that leaves the other argument unchanged. wadi_fun_has_any_order(f) holds. */
wadi_scalar wadi_row_identity(const wadi_fun *f, int field);
/** Reduces the block that starts at element `from`. */
void wadi_lower_reduce_block(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv *out);
/** Whether rows of fewer elements than lanes are worth a loop of their own. Beside the loop over blocks, which takes as long as the reduction of
 *  ten numbers, it is worth its code if elements are cheap. */
bool wadi_row_has_short_form(const wadi_lower *l, const wadi_row *r);
/** Reduces a row of 1 to WADI_FOLD_LANES - 1 elements; what it gives goes to the variables `total`. wadi_row_has_short_form holds. */
void wadi_lower_reduce_short(wadi_lower *l, const wadi_row *r, const wadi_lv *total);
/* Stretches of rows, no longer than a block, that teams of a group's lanes reduce side by side: each by WADI_FOLD_LANES lanes. */
typedef struct wadi_row_teams {
    wadi_lv first, all; /* number of the group's first stretch; of all stretches */
    wadi_row like; /* what the rows of all stretches have in common; wadi_fun_has_lanes(like.f) */
    /* the row of a stretch, and where the stretch begins in it; called once for each loop, in the lane */
    void (*begin)(wadi_lower *l, void *env, wadi_lv number, wadi_row *out, wadi_lv *out_from);
    /* stores what the stretch gives */
    void (*end)(wadi_lower *l, void *env, const wadi_row *r, wadi_row_total total, void *of_total);
    void *env;
} wadi_row_teams;
enum { WADI_ROW_TEAMS = WADI_GROUP_LANES / WADI_FOLD_LANES };
/** Reduces as many stretches as a group has teams. */
void wadi_row_by_teams(wadi_lower *l, const wadi_row_teams *t);

/** The result of block `blk` of a row whose blocks have been reduced already. */
typedef void (*wadi_row_block)(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out);
/** The total of such a row. `first` is the result of the first block, `later` gives those of the others. */
void wadi_row_combine_blocks(wadi_lower *l, const wadi_row *r, const wadi_lv *first,
                             wadi_row_block later, const void *env, wadi_lv *out);
/** The same where one piece of code gives the results of all blocks, in order. The row may be empty if the order of f is free. */
void wadi_row_combine_each(wadi_lower *l, const wadi_row *r, wadi_row_block each, const void *env,
                           wadi_lv *out);
/** The same by the lanes of a group, if wadi_lower_has_lanes; f must not fault. `each` gives the results of all blocks, in the lane. */
void wadi_row_combine_shared(wadi_lower *l, const wadi_row *r, wadi_row_block each, const void *env,
                             wadi_lv *out);
/** The same for an f that wadi_fun_has_any_order. */
void wadi_row_combine_any_order(wadi_lower *l, const wadi_row *r, wadi_row_block each,
                                const void *env, wadi_lv *out);

/* Rows of a fold, or blocks of them, numbered row by row. */
typedef struct wadi_fold_items {
    int count;
    const wadi_bind *const *folds; /* [count] share a loop */
    const wadi_lv *extent;  /* of what is written for each: the result, or the table of blocks */
    const wadi_lv *pointer; /* to its columns, fold after fold */
    wadi_lv each;           /* blocks of a row: those of the table; NONE: rows are taken whole */
    wadi_lv first, all;     /* the first item of the group; how many there are */
} wadi_fold_items;
/** How many of them a group takes at a time. */
int wadi_lower_fold_items_at_once(const wadi_lower *l, const wadi_bind *bind);
/** Writes them. */
void wadi_lower_fold_items(wadi_lower *l, const wadi_fold_items *items);

/** Element ix of the fold or fold1 `bind` (fold.c). */
void wadi_lower_fold_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
/** How many rows it pays to reduce together: neighbours in the innermost dimension of the result. */
int wadi_lower_fold_together(const wadi_lower *l, const wadi_bind *bind);
/** Elements ix, ix + 1, ... (of the innermost dimension) of a fold; out: [rows][fields]. */
void wadi_lower_fold_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, int rows,
                          wadi_lv *out);
/** How many of the n folds, from the first on, one loop computes without losing registers: at least 1 (together.c). */
int wadi_lower_folds_together(const wadi_lower *l, int n, const wadi_bind *const *folds);
/** Element ix of each of them, one after the other in `out`. Their rows have one length. */
void wadi_lower_fold_all(wadi_lower *l, int count, const wadi_bind *const *folds, const wadi_lv *ix,
                         wadi_lv *out);
/** Element ix of a fold whose block results are in slot `parts`, which has one more dimension. */
void wadi_lower_fold_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                           wadi_lv *out);
/** Element `block` of the table of parts of each of the folds, which share a loop; one after the other in `out`. */
void wadi_lower_fold_block(wadi_lower *l, int count, const wadi_bind *const *folds,
                           const wadi_lv *ix, wadi_lv block, wadi_lv *out);
/** Block `blk` of the row of `bind`, a fold of what `filter` keeps and does not store. Of the elements that are filtered, the block lies behind
 *  element `at` - 1; in front of element `at`, `before` have been kept. */
void wadi_lower_fold_masked_block(wadi_lower *l, const wadi_bind *bind, const wadi_bind *filter,
                                  wadi_lv at, wadi_lv before, wadi_lv blk, wadi_lv *out);
wadi_lv wadi_lower_row_length(wadi_lower *l, const wadi_bind *bind);
/** Element `blk` of the row at `ix` of the table of parts in `slot`. */
void wadi_lower_part(wadi_lower *l, int slot, const wadi_lv *ix, wadi_lv blk, wadi_lv *out);
/** The result of `bind`, a fold of any kind, for row r: z, if it has one, combined with the total of the row. For an empty row it is z,
 *  or a fault. `total` computes the total; NULL: by the law. */
void wadi_lower_fold_row(wadi_lower *l, const wadi_bind *bind, const wadi_row *r,
                         wadi_row_total total, void *env, wadi_lv *out);
/** MIN or MAX if `f` is one of them in field `field`; else CONST. */
wadi_sop wadi_row_extreme(const wadi_fun *f, int field);
/** Whether computing an element of v twice costs no more than keeping it. */
bool wadi_lower_is_cheap(const wadi_lower *l, wadi_val v);
/* Minima and maxima of floats by plain comparison. It gives the right number, but not always the right bits (NaN, zeros), so the result
 * may have to be settled by a second loop. */
/** The first value, and one step. */
wadi_lv wadi_lower_extreme_first(wadi_lower *l, wadi_sop op, wadi_lv x);
wadi_lv wadi_lower_extreme_next(wadi_lower *l, wadi_sop op, wadi_lv acc, wadi_lv x);
/** Whether the value found must be settled. If so: a variable, the step for each element, and the result. */
wadi_lv wadi_lower_extreme_open(wadi_lower *l, wadi_sop op, wadi_lv found);
wadi_lv wadi_lower_extreme_bits(wadi_lower *l, wadi_sop op, wadi_type t);
void wadi_lower_extreme_take(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found, wadi_lv x);
wadi_lv wadi_lower_extreme_settled(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found);

#endif
