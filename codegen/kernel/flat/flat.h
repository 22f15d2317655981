/* What the files of schedule flat share. */
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
/** Adds a step at level c->level. */
wadi_status wadi_flat_push(wadi_flat *c, wadi_plan_step step);
const int *wadi_flat_one_slot(wadi_flat *c, int slot);
/** A new slot at level c->level, for arrays of type `t`. */
wadi_status wadi_flat_slot(wadi_flat *c, const char *name, wadi_slot_kind kind,
                           const wadi_array_type *t, int *out_slot);
/** Starts a kernel at level c->level; `s` is 0 until a loop over elements is opened. */
void wadi_flat_start(wadi_flat *c, wadi_lower *l, const char *name);
/** What `ask` tells, which writes code to find it out; the code is thrown away. False if that cannot be written. */
bool wadi_flat_tells(wadi_flat *c, const wadi_bind *bind,
                     bool (*ask)(wadi_lower *l, const wadi_bind *bind));
/** Opens the loop over the elements. */
void wadi_flat_each_element(wadi_lower *l);
/** The steps of n bindings in order. */
wadi_status wadi_flat_binds(wadi_flat *c, int n, const wadi_bind *const *binds);
/** The steps that compute the result of `bind`, which is delayed, into `slot`. */
wadi_status wadi_flat_compute(wadi_flat *c, const wadi_bind *bind, int slot);
/** Adds the steps that store the result of `bind`, which is delayed, in a slot of its own: from here on, whoever reads it finds it there. */
wadi_status wadi_flat_store(wadi_flat *c, const wadi_bind *bind);
/** One kernel that goes through the elements of the level, as in schedule inside. */
wadi_status wadi_flat_elements(wadi_flat *c, const wadi_bind *bind);

/** One unit of work of a binding, by a wadi_cut. */
typedef struct wadi_unit {
    const wadi_bind *bind; /* the first of `binds` */
    int count;             /* bindings that share the innermost loop; 1 unless the cut `joins` */
    const wadi_bind *const *binds; /* [count] */
    const wadi_lv *extent,
        *pointer;      /* of what the kernel writes; the columns of one binding after the other */
    const wadi_lv *ix; /* of the row; nothing if the cut is `whole` */
    wadi_lv piece,
        pieces;          /* the number of the unit within the row, and how many units the row has */
    int table;           /* slot of a table made before, or -1 */
    const void *carried; /* variables that the cut carries from unit to unit */
} wadi_unit;
/** Pointers to the columns of the table that the unit reads. */
void wadi_flat_table(wadi_lower *l, const wadi_unit *u, wadi_lv *out);
/** The number of the unit within its row, with the knowledge that it is not negative. */
static inline wadi_lv wadi_flat_piece(wadi_lower *l, const wadi_unit *u) {
    return wadi_lb_range(&l->b, u->piece, wadi_lb_i64(&l->b, 0), WADI_LV_NONE);
}

/** How a skeleton cuts the rows of what is written into units. */
typedef struct wadi_cut {
    /* changes the result's extents to those of what is written; NULL: it is the result */
    void (*extents)(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent);
    /* units of a row, which has a rank of 1 at least; NULL: one */
    wadi_lv (*pieces)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent);
    void (*unit)(wadi_lower *l, const wadi_unit *u);
    /* rows; NULL: those of what is written */
    wadi_lv (*rows)(wadi_lower *l, const wadi_bind *bind);
    /* variables in front of a kernel's loop over its units, in the arena; NULL: none */
    const void *(*carried)(wadi_lower *l, const wadi_bind *bind);
    int64_t
        each; /* elements of a piece, where a unit writes one and nothing else; 0: it does otherwise */
    bool whole; /* a unit is no part of a row: `piece` is its number within the element */
    bool
        several; /* the step is useful only if there are several workers; one worker leaves it out */
    bool lanes;  /* `unit` deals the work to the lanes of a group; else one lane does all of it */
    bool apart;  /* units have no order: a fault in one does not make later ones unneeded */
    bool
        uncounted; /* another step computes as much if this one does nothing, and counts for both */
    bool joins;    /* bindings that share a loop are given to `unit` together */
    bool in_order; /* one worker computes all units, one after the other */
    int rounds;    /* so many steps behind this one run with it by rounds (plan.h) */
} wadi_cut;

/** One of several bindings whose units are computed by one kernel, one after the other. All have as many units. */
typedef struct wadi_flat_part {
    const wadi_bind *bind;
    int slot;
    const wadi_cut *cut;
    const char *tag;
    int table;  /* a slot that the units read, or -1 */
    bool empty; /* a row without elements has a unit as well */
    int together; /* this part and those behind it that share its loop; 0: it shares the loop of one before it */
} wadi_flat_part;
/** Adds the steps that fill all their slots: storage is made, and one pass computes them. */
wadi_status wadi_flat_cut_all(wadi_flat *c, int n, const wadi_flat_part *parts);
/** If the first of the n bindings has siblings, computes them with it (siblings.c). Then their `known` or `parts` are set. */
wadi_status wadi_flat_siblings(wadi_flat *c, int n, const wadi_bind *const *binds);
/** If a step of the first of the n bindings and of those behind it can run in strips, adds the steps of all (strips.c). Then they are known. */
wadi_status wadi_flat_strips(wadi_flat *c, int n, const wadi_bind *const *binds);
/** If turns of the loop, whose steps have just been made, may run together, k->turns says so (turns.c). */
wadi_status wadi_flat_turns(wadi_flat *c, const wadi_bind *loop, wadi_plan_control *k);
/** The cut of a skeleton that has none of its own: pieces of rows. */
extern const wadi_cut wadi_flat_pieces_cut;
/** Adds the steps that fill `slot`; if `fresh`, its storage is made first. `table`: a slot that the units read, or -1. */
wadi_status wadi_flat_cut(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut,
                          const char *tag, int table, bool fresh);
/** Makes the shape of `slot` alone. */
wadi_status wadi_flat_shape(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut);
/** Makes the storage of `slot` alone. */
wadi_status wadi_flat_storage(wadi_flat *c, const wadi_bind *bind, int slot, const wadi_cut *cut,
                              const char *tag);
/** How many pieces of length `piece` n elements are cut into. */
wadi_lv wadi_flat_pieces_of(wadi_lower *l, wadi_lv n, int64_t piece);
/** How many of these pieces have another one behind them: all but the last. */
wadi_lv wadi_flat_pieces_but_last(wadi_lower *l, wadi_lv n, int64_t piece);
/** Fills a unit that is a piece of a row, of `piece` elements at most. */
void wadi_flat_unit_of(wadi_lower *l, const wadi_unit *u, int64_t piece);
/** For skeletons that have no cut of their own: rows are cut into pieces of WADI_FLAT_UNIT elements. */
enum { WADI_FLAT_UNIT = 4096 };
wadi_status wadi_flat_pieces(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
/** The steps of a compact or partition that make a new slot: how many elements each block of a row and those before it keep, but the last. */
wadi_status wadi_flat_kept_sums(wadi_flat *c, const wadi_bind *bind, const char *tag,
                                int *out_slot);
/** The steps of `fold` that make its blocks, if it folds what a filter keeps and that is not stored (masked.c): *out_slot is their table. It stays
 *  -1 if the fold is like any other, which it is after this where lanes share the work. */
wadi_status wadi_flat_masked(wadi_flat *c, const wadi_bind *fold, int *out_slot);
/** A slot for the table of the blocks of a fold. */
wadi_status wadi_flat_fold_table(wadi_flat *c, const wadi_bind *bind, int *out_slot);
/** Changes the extents of the result of a fold to those of that table. */
void wadi_flat_fold_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent);
/** Whether a fold that is stored is computed by tiles where its extents allow it (kernel/pairs.h). Then: the steps that compute it into `slot`, and
 *  the extents of its table of blocks, which has no blocks if they do. */
bool wadi_flat_has_pairs(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_pairs(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
void wadi_flat_pairs_table(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent);
/** How many rows of a fold make a unit. */
int64_t wadi_flat_rows_per_unit(const wadi_lower *l, const wadi_bind *bind);
/** Whether rows (the innermost dimension) of `array` may be longer than a unit. */
bool wadi_flat_has_long_rows(const wadi_flat *c, wadi_val array);
/** Whether elements of `array` can be read in any order, since no fault can come of it; if `cheap`, computing one twice costs no more than keeping
 *  it. */
bool wadi_flat_is_harmless(wadi_flat *c, wadi_val array, bool cheap);
/** Whether what they may fault in can be noted instead (wadi_lower_read_quietly). */
bool wadi_flat_is_noted(wadi_flat *c, wadi_val array);
/** Whether f can be applied in any order, to anything. */
bool wadi_flat_fun_is_harmless(wadi_flat *c, const wadi_fun *f);
/** Whether what it may fault in can be noted instead (wadi_lower_apply_quietly). */
bool wadi_flat_fun_is_noted(wadi_flat *c, const wadi_fun *f);
/** Whether workers may share the rows of a permute; then the steps of such a permute (scatter.c). */
bool wadi_flat_shares(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_scatter(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);

/** The kernels and steps of a body in schedule flat. wadi_lower_inside makes those of inside and across (inside.h). */
wadi_status wadi_lower_flat(wadi_layout *y, const wadi_body *body, const bool *known,
                            wadi_lmodule *out, wadi_plan_version *out_version);

#endif
