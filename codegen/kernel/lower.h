/* Lowering: from values of a module to loop IR. Shared by the files of this folder; codegen/plan uses the last part.
 *
 * Every array value is somewhere (`wadi_vloc`): in a slot, in scratch memory, in scalars, or nowhere, in which case it is
 * delayed and whoever reads an element computes it on the spot. `wadi_lower_read` is that one question.
 */
#ifndef WADI_CODEGEN_KERNEL_LOWER_H
#define WADI_CODEGEN_KERNEL_LOWER_H

#include "base/vec.h"
#include "codegen/kernel/top.h"
#include "codegen/loop/loop.h"
#include "graph/analysis/shape.h"
#include "graph/op.h"
#include "sched/plan.h"

typedef enum wadi_vloc_kind {
    WADI_LOC_NONE,   /* delayed, or not computed yet */
    WADI_LOC_SLOT,   /* in slot `slot` */
    WADI_LOC_MEMORY, /* field[] are pointers to its elements */
    WADI_LOC_SCALAR, /* rank 0: field[] are its fields */
    WADI_LOC_PARTS,  /* a fold whose block results are in slot `slot` */
    WADI_LOC_ALIAS   /* the same as value `alias` */
} wadi_vloc_kind;

typedef struct wadi_vloc {
    wadi_vloc_kind kind;
    int slot;
    wadi_val alias;
    wadi_lv field[WADI_MAX_FIELDS];
    bool own_extents; /* extent[] is the truth; else what shape analysis says */
    wadi_lv extent[WADI_MAX_RANK];
} wadi_vloc;

/** What all kernels of a plan share. Owned by codegen/plan/plan.c. */
typedef struct wadi_layout {
    const wadi_module *m;
    const struct wadi_skeleton_row *const *skeletons; /* by wadi_skeleton (skeleton.h) */
    wadi_shapes *shapes;
    wadi_arena *arena; /* of loop IR and tables: gone when the plan is made */
    wadi_arena *keep;  /* of the plan */
    wadi_error *err;
    bool unchecked; /* no bounds checks */
    bool pure;      /* the language's own computations instead of library routines */
    bool grouped;   /* units are work of groups, elements and accumulators that of their lanes */
    int counted;    /* slot of stream indices that kernels compute themselves; -1: none */
    int *slot_of;   /* [value] slot, or -1 */
    bool *forced;   /* [value] stored although it is marked as delayed */
    bool *apart;    /* [value] comes from another body: its extents are what its slot says */
    wadi_val *alias_of;    /* [value] a parameter's argument, or WADI_NONE */
    wadi_val *takes;       /* [value] whose memory it is written into, or WADI_NONE */
    wadi_val **components; /* [sequence value] its components as array values, or NULL */
    WADI_VEC(wadi_plan_slot) slots;
    WADI_VEC(wadi_plan_level) levels; /* 1, 2, ... */
    WADI_VEC(wadi_plan_place) places;
    bool failed; /* out of memory */
} wadi_layout;

/** Row of the table of places; equal places share one. */
int wadi_layout_place(wadi_layout *y, const char *op, const char *what, wadi_loc loc);

/** The ONCE slot of constant `v`, made when first asked for. */
int wadi_layout_constant(wadi_layout *y, wadi_val v);

/** A body as lowering sees it: bindings in order, over one element. */
typedef struct wadi_body {
    const char *name;
    int nbinds;
    const wadi_bind **binds;
    int nresults;
    const wadi_val *results; /* values stored for others; each has a slot */
    bool stream;
    int level;        /* whose elements it is run for */
    const int *parts; /* [value] slot of a fold's block results, or -1; NULL: there are none */
    const int *inner; /* [sequence value] slot with its elements, scalars, or -1; NULL: none */
    int ncopies;      /* values written to further slots at the end of an element, by `emit` */
    const struct wadi_copy {
        wadi_val v;
        int slot;
    } * copies;
    bool in_order; /* all elements are run in order, by one worker */
    int ncarried;  /* rank-0 values that go from element to element */
    const struct wadi_carried {
        wadi_val param, next; /* before and after an element */
        int slot;             /* ONCE: where it comes from, and is put behind the last element */
        int after;            /* REGULAR: gets it after each element; -1: nothing does */
    } * carried;
} wadi_body;

/* Two versions of a loop are made when checks can be decided in front of it. */
typedef struct wadi_version {
    struct wadi_version
        *outer; /* around it, in which its checks may be decided as well, and better; or NULL */
    wadi_lscope *home; /* around the loop */
    wadi_lscope *body; /* what is chosen by the condition */
    bool fast;         /* checks are collected in cond */
    wadi_lv cond;
} wadi_version;

typedef struct wadi_memo {
    wadi_val v;
    int rank, fields;
    wadi_lv ix[WADI_MAX_RANK];
    wadi_lv field[WADI_MAX_FIELDS];
    wadi_lscope *scope; /* the results hold as long as it is open */
} wadi_memo;

/* A check that was written: 0 <= index < extent from there on. */
typedef struct wadi_checked {
    wadi_lv index, extent;
    wadi_lscope *scope;
} wadi_checked;

typedef struct wadi_ahead wadi_ahead; /* ahead.c */

/* Where code stands, for the faults in it. One value: who goes further in keeps the one before and puts it back. */
typedef struct wadi_position {
    int rank; /* of the array whose elements are computed; -1: none */
    wadi_lv ix[WADI_MAX_RANK], extent[WADI_MAX_RANK]; /* which one, as far as loops are open */
    int element_rank;       /* of the array that an operator's rule computes an element of, */
    const wadi_lv *element; /* and the index of that */
    bool in_group, in_lane; /* in a loop by groups; by lanes */
} wadi_position;

/* Code is being written that must not run where it is not needed; it is taken only if it turns out to be harmless. */
typedef struct wadi_trial {
    wadi_lscope *aside; /* what has been written */
    bool harmful;
    struct wadi_trial *around;
} wadi_trial;

/* How checks are made in the code that is being written. */
typedef struct wadi_checking {
    wadi_version *version; /* in front of whose loop they may be decided; NULL: none */
    wadi_ahead *ahead;     /* they are made for a group of lanes at once; NULL: not */
    wadi_trial *trial;     /* there must be none; NULL: they may be */
} wadi_checking;

/* What a kernel is written for. */
typedef struct wadi_lowered {
    const char *name;  /* of the kernel */
    const bool *known; /* [value] is there, in its slot, before the kernel */
    int level;         /* whose elements it is run for */
    const int *parts;  /* [value] slot of a fold's block results, or -1; NULL: there are none */
    const int *inner;  /* [sequence value] slot with its elements, scalars, or -1; NULL: none */
} wadi_lowered;

/** A kernel being written. What it is written for stays; where it stands and how checks are made are values, put back by who sets
 *  them; the rest is found on the way. */
typedef struct wadi_lower {
    wadi_layout *y;
    const wadi_module *m;
    wadi_lowered of;
    wadi_lb b;
    wadi_lv s;                      /* the element at work, of level of.level */
    const struct wadi_share *share; /* of its rows, of what is written in place; NULL: all */
    wadi_position position;
    wadi_checking checking;
    wadi_vloc *loc;                 /* [value] */
    WADI_VEC(wadi_memo) memo;       /* elements that have been computed */
    WADI_VEC(wadi_checked) checked; /* checks that have been made */
    uint8_t *seen;                  /* [value] by wadi_lower_checks, which is at work */
    int depth;                      /* of delayed values computed inside each other */
    wadi_status status;             /* the first failure */
} wadi_lower;

/* ---- life (lower.c) ---- */
/** Starts a kernel. Values that are known are in their slots; the others are not computed yet. Borrows what `of` points to. */
void wadi_lower_init(wadi_lower *l, wadi_layout *y, const wadi_lowered *of);
/** Ends it; adds it to `out` if nothing failed. */
wadi_status wadi_lower_fini(wadi_lower *l, wadi_lmodule *out);
void wadi_lower_fail(wadi_lower *l, wadi_loc loc, wadi_status status, const char *format, ...)
    WADI_PRINTF(4, 5);

/* ---- values (lower.c) ---- */
static inline const wadi_array_type *wadi_type_of(const wadi_lower *l, wadi_val v) {
    return &l->m->values[v].type.array[0];
}
/** Whether the binding makes arrays of a sequence. */
static inline bool wadi_is_consumer(const wadi_module *m, const wadi_bind *bind) {
    return bind->op->kind == WADI_OP_SEQUENCE && bind->nresults > 0 &&
           !m->values[bind->results[0]].type.is_seq;
}
/** Whether the value is stored by a kernel of its own. */
bool wadi_is_stored(const wadi_layout *y, wadi_val v);
wadi_val wadi_lower_resolve(const wadi_lower *l, wadi_val v); /* through aliases */
/** Whether v is written into the memory of `other`. */
bool wadi_lower_lies_in(const wadi_lower *l, wadi_val v, wadi_val other);
/** Element ix of v, one value per field. */
void wadi_lower_read(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv *out);
/** Pointer to the elements of field `f` of stored value v. */
wadi_lv wadi_lower_pointer(wadi_lower *l, wadi_val v, int f);
/** What field `f` of v is called in emitted code; NULL: nothing. */
const char *wadi_lower_name_of(wadi_lower *l, wadi_val v, int f);
/** The same of a slot, at the element at work. */
wadi_lv wadi_lower_slot_pointer(wadi_lower *l, int slot, int f, const char *name);
wadi_lv wadi_lower_linear(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *ix);

/** The number of the element at work in `level`, which is this kernel's or one around it (level.c). */
wadi_lv wadi_lower_number(wadi_lower *l, int level);
/** The same in the level of a slot. */
wadi_lv wadi_lower_number_in(wadi_lower *l, int slot);

/* ---- extents (extent.c) ---- */
wadi_lv wadi_lower_extent(wadi_lower *l, wadi_val v, int dim);
void wadi_lower_extents(wadi_lower *l, wadi_val v, wadi_lv *out);
wadi_lv wadi_lower_ext(wadi_lower *l, wadi_ext e);
/** The i64 in rank-0 array v. */
wadi_lv wadi_lower_scalar(wadi_lower *l, wadi_val v);
wadi_lv wadi_lower_size(wadi_lower *l, int rank, const wadi_lv *extent);
/** Code for the checks of `bind` and of all delayed bindings it reads: extents that must agree or not be negative. */
void wadi_lower_checks(wadi_lower *l, const wadi_bind *bind);
/** In front of the memory that is asked for array `v` of one shape for all elements: where that is impossible, those of these checks
 *  that need nothing but what its extents are computed from, so that the operator that makes a negative extent tells of it. */
void wadi_lower_shape_checks(wadi_lower *l, wadi_val v);

/* ---- faults and versions (check.c) ---- */
void wadi_lower_fault(wadi_lower *l, wadi_fault_kind kind, int place, wadi_lv v0, wadi_lv v1);
/** The same with all [WADI_FAULT_VALUES] values. */
void wadi_lower_fault_of(wadi_lower *l, wadi_fault_kind kind, int place, const wadi_lv *value);
/** Memory that is asked for from now on is for `v`: what there is none for names its operator. */
void wadi_lower_at_work(wadi_lower *l, wadi_val v);
/** A text that lives as long as the plan. */
const char *wadi_lower_words(wadi_lower *l, const char *format, ...) WADI_PRINTF(2, 3);
/** A fault unless 0 <= index < extent. Returns the scope from which on that is known, NULL: here alone. */
/** "in dimension 2": where an index stands. */
const char *wadi_lower_dimension(int d);
const wadi_lscope *wadi_lower_in_range(wadi_lower *l, wadi_lv index, wadi_lv extent, const char *op,
                                       const char *where, wadi_loc loc);
/** Element ix of v, checked; a fault names `op`. */
void wadi_lower_read_checked(wadi_lower *l, wadi_val v, const wadi_lv *ix, const char *op,
                             wadi_loc loc, wadi_lv *out);
/** Whether a loop that is opened here can be one by lanes. */
static inline bool wadi_lower_has_lanes(const wadi_lower *l) {
    return l->position.in_group && !l->position.in_lane;
}
/** The loop just opened is one by lanes until it ends. Returns the position before, which is put back then. */
wadi_position wadi_lower_by_lanes(wadi_lower *l);
/** What follows is computed for elements of an array of that shape; for element ix of an array of that rank. Returns the position
 *  before, to be put back. */
wadi_position wadi_lower_in_array(wadi_lower *l, int rank, const wadi_lv *extent);
wadi_position wadi_lower_at_element(wadi_lower *l, int rank, const wadi_lv *ix);
/** Begins a trial: what follows is written aside. Ends it; true: it is harmless and complete, and may be merged. */
void wadi_lower_try(wadi_lower *l, wadi_trial *t);
bool wadi_lower_tried(wadi_lower *l, wadi_trial *t);
/** What is being written is not harmless. True: it was tried. */
bool wadi_lower_not_harmless(wadi_lower *l);
typedef void (*wadi_build)(wadi_lower *l, void *env);
/** Builds code in which checks that can be decided here are taken out: `if (fine) fast else careful`. What the code
 *  computes must leave through variables or memory. */
void wadi_lower_versions(wadi_lower *l, wadi_build build, void *env);
/** The same inside `outer`, which is asked first. */
void wadi_lower_versions_within(wadi_lower *l, wadi_version *outer, wadi_build build, void *env);
/** One more thing that must hold for the fast version at work. */
void wadi_lower_demand(wadi_lower *l, wadi_lv condition);

/* ---- checks ahead of a group of lanes (ahead.c) ---- */
/** `build` writes one loop over lanes. It may be called several times: then, while wadi_lower_only_checks, for the sake of the
 *  lanes' checks alone, and nothing is to be stored. */
void wadi_lower_ahead(wadi_lower *l, wadi_build build, void *env);
bool wadi_lower_only_checks(const wadi_lower *l);
/** Whether this check is made ahead of the group, or has been. */
bool wadi_lower_is_ahead(wadi_lower *l, wadi_lv index, wadi_lv extent);

/* ---- scalar functions (scalar.c) ---- */
void wadi_lower_apply(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv *out);
/** About how many instructions that takes; very many if it may fault, loops or calls the mathematical library. */
int wadi_lower_cost(const wadi_fun *f);

/* ---- rows (row.c): reductions by the fixed tree ---- */
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
/** total of a row of n >= 1 elements. */
void wadi_lower_reduce(wadi_lower *l, const wadi_row *r, wadi_lv *out);
/** The part of the block that starts at element `from`. */
void wadi_lower_reduce_block(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv *out);
/** total of a row whose blocks have been reduced already: the result of the first, and what gives those behind it. */
typedef void (*wadi_row_block)(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out);
void wadi_row_combine_blocks(wadi_lower *l, const wadi_row *r, const wadi_lv *first,
                             wadi_row_block later, const void *env, wadi_lv *out);
/** Element ix of the fold or fold1 `bind`. */
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
 *  gives the row's own part, by default wadi_lower_reduce. */
typedef void (*wadi_row_total)(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out);
void wadi_lower_fold_row(wadi_lower *l, const wadi_bind *bind, const wadi_row *r,
                         wadi_row_total total, void *env, wadi_lv *out);

/* ---- least and greatest floats (extremes.c): `op` is MIN or MAX ---- */
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

/* ---- segments (segment.c): argument `arg` holds offsets ---- */
wadi_lv wadi_lower_offset(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j); /* as i64 */
wadi_lv wadi_lower_segments(wadi_lower *l, const wadi_bind *bind, int arg);          /* how many */
/** Where segment j begins and how long it is; a fault unless it lies in 0..extent. */
void wadi_lower_segment(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j, wadi_lv extent,
                        wadi_lv *out_from, wadi_lv *out_n);
/** Element ix of the fold_seg or fold1_seg `bind`. */
void wadi_lower_fold_seg_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
/** The same where the blocks of a segment behind its first are in slot `parts`. */
void wadi_lower_fold_seg_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                               wadi_lv *out);
/** Block g of that table, if there is such a block: the table's row is at `extent` and `pointer`. */
void wadi_lower_fold_seg_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                               const wadi_lv *pointer, const wadi_lv *ix, wadi_lv g);
/** The least j in 0..n for which the condition holds, n if there is none; it holds for all greater ones. */
typedef wadi_lv (*wadi_search_test)(wadi_lower *l, void *env, wadi_lv j);
wadi_lv wadi_lower_search(wadi_lower *l, wadi_lv n, wadi_search_test holds, void *env);

/* ---- loop nests and skeletons ---- */
typedef void (*wadi_nest_body)(wadi_lower *l, void *env, const wadi_lv *ix);
/** A loop per dimension, innermost last. */
void wadi_lower_nest(wadi_lower *l, int rank, const wadi_lv *extent, wadi_nest_body body,
                     void *env);
/** Stores all elements of `bind`'s result through pointers; the result's extents are given. */
void wadi_lower_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer);
/** One row (or part of a row, [from, below) of the innermost dimension) of a GENERATE or FOLD result. */
void wadi_lower_fill_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix, wadi_lv from,
                         wadi_lv below);
/** The element of a rank-0 result. */
void wadi_lower_element(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
void wadi_lower_scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix); /* scan.c */
/** Part of a row of a scan: elements [from, from + n) of the source, results from `to` on, z in front if there is one. */
typedef struct wadi_scan_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, to, n;
    bool has_z; /* argument 0 */
} wadi_scan_part;
void wadi_lower_scan_part(wadi_lower *l, const wadi_scan_part *p);

/* A scan's blocks apart from each other (scan_blocks.c). Blocks but the last of a row have an entry in a table. */
typedef struct wadi_scan_table {
    const wadi_lv *extent; /* of the table: the row's dimensions, then blocks */
    const wadi_lv *pointer;
} wadi_scan_table;
/** What a kernel carries from one block to the next, outside of its loop over blocks. */
typedef struct wadi_scan_chain {
    wadi_lv started; /* variable: the next block's carry is the total of `top` */
    wadi_top top;
} wadi_scan_chain;
/** Entry `blk`: the last element of the block's own scan. */
void wadi_lower_scan_last(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                          const wadi_lv *ix, wadi_lv blk);
/** The row's entries become those of the whole row's scan. */
void wadi_lower_scan_carries(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                             const wadi_lv *ix);
void wadi_lower_scan_chain(wadi_lower *l, const wadi_bind *bind, wadi_scan_chain *out);
/** The results of a block, from the chain or, where the kernel begins, the table. */
void wadi_lower_scan_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                           wadi_lv blk, const wadi_scan_chain *chain);
/** Segments [from, below) of a row of a SCAN_SEG result, of which bind, extent, pointer and ix are given; the places of the
 *  row that belong to no segment (segment_scan.c). */
void wadi_lower_scan_segments(wadi_lower *l, const wadi_scan_part *row, wadi_lv from,
                              wadi_lv below);
void wadi_lower_scan_outside(wadi_lower *l, const wadi_scan_part *row);
void wadi_lower_partition_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix); /* compact.c */
/** Elements [from, below) of a row of a COMPACT or PARTITION result, in front of which `before` have been kept. */
typedef struct wadi_kept_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, below, before;
    wadi_lv limit; /* compact: places from here on belong to others */
    wadi_lv count; /* of the whole row */
} wadi_kept_part;
/** Places them; returns how many of the row have been kept now. */
wadi_lv wadi_lower_place_kept(wadi_lower *l, const wadi_kept_part *p);
/** How many of the row's elements [from, below) are kept; how many of the row the binding says are kept; a fault unless
 *  these are. */
wadi_lv wadi_lower_count_kept(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                              wadi_lv below);
wadi_lv wadi_lower_kept_count(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *ix);
void wadi_lower_expect_count(wadi_lower *l, const wadi_bind *bind, wadi_lv count, wadi_lv kept);
void wadi_lower_compact(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);
void wadi_lower_expand(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer);
/** Results [first, end) of elements [from, below) of an EXPAND; the offsets' ends are checked by element 0. */
void wadi_lower_expand_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, wadi_lv from, wadi_lv below, wadi_lv first,
                            wadi_lv end);
/** Ends an innermost loop; one with a straight body is marked as independent. */
void wadi_lower_end_innermost(wadi_lower *l);
void wadi_lower_permute(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);
/** A share of the target's rows (its outermost dimension): those whose number, shifted, is `number` under the mask. */
enum { WADI_SHARE_SHIFT = 4 };
/** A combination of a shared permute costs less: one that may fault is dearer, and might look at what a fault leaves behind. */
enum { WADI_SHARE_CHEAP = 100 };
typedef struct wadi_share {
    wadi_lv number, mask;
} wadi_share;
/** The elements of its source combined into what the pointers lead to; NULL: all of them. */
void wadi_lower_scatter(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, const wadi_share *share);
/** How many units, a power of two, share `all` elements in patches of `patch` (share.c). */
wadi_lv wadi_lower_shares(wadi_lower *l, wadi_lv all, wadi_lv patch);
/** Whether a permute adds patches to a state where it lies, so that workers may share its rows. */
bool wadi_lower_is_shared(const wadi_layout *y, const wadi_bind *bind);
/** Whether the rows that a patch of the two innermost dimensions goes to are known in front of it, and one for each row of the
 *  patch. Code is tried in l and of no use afterwards. */
bool wadi_lower_has_rows(wadi_lower *l, const wadi_bind *bind);
/** Elements [from, below) of its source, a vector, combined into what the pointers lead to. */
void wadi_lower_permute_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below);
/** Part of a row: the outer index that row number `row` stands for, and a loop over its elements. */
void wadi_lower_row_index(wadi_lower *l, wadi_lv row, int outer, const wadi_lv *extent,
                          wadi_lv *ix);
void wadi_lower_nest_row(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *outer_ix,
                         wadi_nest_body body, void *env);
/** Whether the binding calls a library routine in this version of its body (foreign.c). */
bool wadi_lower_calls(const wadi_lower *l, const wadi_bind *bind);
/** Calls it. The arguments are stored, the results have their places. */
void wadi_lower_call(wadi_lower *l, const wadi_bind *bind);
/** What a routine or a manual lifting means: region 0. The results are then another name for what it yields. */
void wadi_lower_region(wadi_lower *l, const wadi_bind *bind);
/** The same, with a check that its extents are those the binding is given. */
void wadi_lower_region_checked(wadi_lower *l, const wadi_bind *bind);
/** Code for such a binding within an element (sequence/consume.c); results are then in memory or scalars. */
void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind);
/** Puts a mark of the scratch memory in front of the current scope, if code in it takes any; else NONE (body.c). */
wadi_lv wadi_lower_mark_front(wadi_lower *l);
/** acond and awhile; results are then in memory or scalars. */
void wadi_lower_cond(wadi_lower *l, const wadi_bind *bind);
void wadi_lower_loop(wadi_lower *l, const wadi_bind *bind);

/* ---- bodies (body.c): what schedules inside and across share ---- */
/** Computes the stored results of the bindings into scratch, scalars, or their slots if they are among `results`. */
void wadi_lower_binds(wadi_lower *l, int n, const wadi_bind *const *binds, const bool *is_result);
/** Values that go from element to element (carry.c): variables in front of the loop, which are its values in it, get the next
 *  ones at the end of an element, and are put back behind the loop. */
wadi_lv *wadi_carry_begin(wadi_lower *l, const wadi_body *body);
void wadi_carry_get(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
void wadi_carry_next(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
void wadi_carry_end(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** Makes `v` a stored value: nothing to do if it is, else it is computed into scratch or scalars. */
void wadi_lower_store(wadi_lower *l, wadi_val v);
/** Copies the elements of stored v to pointers. */
void wadi_lower_copy(wadi_lower *l, wadi_val v, const wadi_lv *extent, const wadi_lv *pointer);
/** The states whose memory this body writes: what is read of them is read anew for each element. */
void wadi_lower_renew_states(wadi_lower *l);
/** Copies v, which is stored elsewhere or is another's slot, into emitted storage of `slot`. */
void wadi_lower_copy_out(wadi_lower *l, wadi_val v, int slot);

/* ---- what codegen/plan calls ---- */
/** Kernels of one schedule; steps are allocated in the layout's arena. `known`: values in slots before the body. */
wadi_status wadi_lower_inside(wadi_layout *y, const wadi_body *body, const bool *known, bool across,
                              wadi_lmodule *out, wadi_plan_version *out_version);
wadi_status wadi_lower_flat(wadi_layout *y, const wadi_body *body, const bool *known,
                            wadi_lmodule *out, wadi_plan_version *out_version);

#endif
