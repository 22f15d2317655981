/* Shared by the files of schedule flat alone: flat.c and flat_*.c. */
#ifndef WADI_CODEGEN_KERNEL_FLAT_H
#define WADI_CODEGEN_KERNEL_FLAT_H

#include "codegen/kernel/lower.h"

typedef struct wadi_flat {
    wadi_layout *y;
    const wadi_body *body;
    bool *known; /* [value] has been computed by the steps so far */
    int *parts;  /* [value] slot of a fold's block results, or -1 */
    wadi_lmodule *out;
    WADI_VEC(wadi_plan_step) steps;
    int level;  /* of the steps being made */
    int *inner; /* [sequence value] slot with its elements, or -1; NULL: there are none */
} wadi_flat;

wadi_status wadi_flat_no_memory(const wadi_flat *c);
/** A name for a kernel of `bind`. */
const char *wadi_flat_name(wadi_flat *c, const wadi_bind *bind, const char *what);
/** Adds a step at the present level. */
wadi_status wadi_flat_push(wadi_flat *c, wadi_plan_step step);
const int *wadi_flat_one_slot(wadi_flat *c, int slot);
/** A new slot of the present level for arrays like `t`. */
wadi_status wadi_flat_slot(wadi_flat *c, const char *name, wadi_slot_kind kind,
                           const wadi_array_type *t, int *out_slot);
/** Starts a kernel at the present level; `s` is 0 until a loop over elements is opened. */
void wadi_flat_start(wadi_flat *c, wadi_lower *l, const char *name);
void wadi_flat_each_element(wadi_lower *l);
/** The steps of one binding. */
wadi_status wadi_flat_bind(wadi_flat *c, const wadi_bind *bind);
/** The steps that compute the result of `bind`, which is delayed, into `slot`. */
wadi_status wadi_flat_compute(wadi_flat *c, const wadi_bind *bind, int slot);
/** One kernel that goes through the elements of the level, as in schedule inside. */
wadi_status wadi_flat_elements(wadi_flat *c, const wadi_bind *bind);

/** One unit of work of a binding, by a wadi_cut. */
typedef struct wadi_unit {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of what the kernel writes */
    const wadi_lv *ix;               /* of the row */
    wadi_lv piece, pieces;           /* which of the row's units, of how many */
    const wadi_lv *table; /* pointers to the columns of a table made before, if there is one */
} wadi_unit;
/** How a skeleton's own file cuts the rows of what is written into units. */
typedef struct wadi_cut {
    /* changes the result's extents to those of what is written; NULL: it is the result */
    void (*extents)(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent);
    wadi_lv (*pieces)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent); /* of a row */
    void (*unit)(wadi_lower *l, const wadi_unit *u);
    bool apart; /* units are no parts of one order: a fault in one says nothing of those after it */
} wadi_cut;
/** Steps that fill `slot`, whose storage is made first if it is fresh. `table`: a slot the units read, or -1. */
wadi_status wadi_flat_cut(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *own,
                          const char *tag, int table, bool fresh);
/** Whether rows (the innermost dimension) of `array` may be longer than a unit. */
bool wadi_flat_has_long_rows(const wadi_flat *c, wadi_val array);
/** fold_seg and what follows it in its kernel, scan_seg, expand: whether `bind` is one, its steps, and the table of long
 *  segments that comes first (flat_segments.c); compact, partition (flat_compact.c). */
bool wadi_flat_is_segmented(const wadi_layout *y, const wadi_bind *bind);
wadi_status wadi_flat_fold_parts(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_segments(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
wadi_status wadi_flat_compact(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
/** Whether workers may share a permute, and its steps then (flat_permute.c). */
bool wadi_flat_has_tables(const wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_permute(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);

/** Whether workers may share a permute by the rows it goes to, and its steps then (flat_scatter.c). */
bool wadi_flat_shares(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_scatter(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);

/** What makes arrays of a sequence (flat_nested.c). */
wadi_status wadi_flat_consume(wadi_flat *c, const wadi_bind *bind);
/** foreign and lifted (flat_foreign.c). */
wadi_status wadi_flat_foreign(wadi_flat *c, const wadi_bind *bind);
/** acond and awhile (flat_levels.c). */
wadi_status wadi_flat_control(wadi_flat *c, const wadi_bind *bind);

#endif
