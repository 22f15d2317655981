/* The operators fold and fold1: one element of the result, several at once, and an element from the results of blocks. */
#include <string.h>

#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/masked.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "operators/reduce_tree.h"

enum { BLOCK = WADI_FOLD_BLOCK };

typedef struct source {
    wadi_val array;
    int rank, fields; /* of the array */
    const wadi_lv *ix;
    int parts;                  /* slot of the table of block results, or -1 */
    int rows;                   /* reduced together: this row and those after it */
    int nfolds;                 /* folds that share a loop over their rows; else 0 */
    const wadi_row_fold *folds; /* [nfolds] */
    const wadi_bind *filter;    /* the fold goes through what is filtered; NULL: it does not */
} source;

/* The array that a fold reduces. */
static wadi_val reduced_by(const wadi_bind *fold) {
    return fold->args[fold->nargs - 1];
}

static void source_element(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out) {
    const source *src = env;
    wadi_lv ix[WADI_MAX_RANK];
    if (src->rank > 1) memcpy(ix, src->ix, (size_t)(src->rank - 1) * sizeof *ix);
    ix[src->rank - 1] = i;
    for (int row = 0; row < src->rows; row++) {
        if (row > 0) ix[src->rank - 2] = bin(l, WADI_SOP_ADD, src->ix[src->rank - 2], num(l, row));
        wadi_lower_read(l, src->array, ix, out + row * src->fields);
    }
    for (int k = 1; k < src->nfolds; k++)
        wadi_lower_read(l, reduced_by(src->folds[k].bind), ix, out + src->folds[k].at);
}

static source source_of(const wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix) {
    const wadi_val array = reduced_by(bind);
    const wadi_array_type *t = wadi_type_of(l, array);
    return (source){array, t->rank, t->elem.fields, ix, -1, 1, 0, NULL, NULL};
}

wadi_lv wadi_lower_row_length(wadi_lower *l, const wadi_bind *bind) {
    const wadi_val array = reduced_by(bind);
    return wadi_lower_extent(l, array, wadi_type_of(l, array)->rank - 1);
}

static wadi_row row_of(wadi_lower *l, const wadi_bind *bind, source *src) {
    const wadi_elem *e = &wadi_type_of(l, src->array)->elem;
    const wadi_row_fold *last = src->nfolds > 0 ? &src->folds[src->nfolds - 1] : NULL;
    return (wadi_row){.f = bind->funs[0],
                      .fields = last ? last->at + last->fields : e->fields * src->rows,
                      .each = e->fields,
                      .type = e->type,
                      .n = wadi_lower_row_length(l, bind),
                      .elem = source_element,
                      .env = src,
                      .nfolds = src->nfolds,
                      .folds = src->folds,
                      .has_z = bind->nargs == 2,
                      .of_nothing = WADI_SAID_NO_DIMENSION,
                      .is_cheap = wadi_lower_is_cheap(l, src->array)};
}

/* Fills `of` for the folds. Returns the source of their rows at `ix`. */
static source source_of_all(wadi_lower *l, int count, const wadi_bind *const *folds,
                            const wadi_lv *ix, wadi_row_fold *of) {
    source src = source_of(l, folds[0], ix);
    for (int k = 0, at = 0; k < count; k++) {
        const wadi_elem *e = &wadi_type_of(l, folds[k]->results[0])->elem;
        of[k] = (wadi_row_fold){.bind = folds[k],
                                .at = at,
                                .fields = e->fields,
                                .type = e->type,
                                .is_cheap = wadi_lower_is_cheap(l, reduced_by(folds[k]))};
        at += e->fields;
    }
    src.nfolds = count > 1 ? count : 0;
    src.folds = of;
    return src;
}

static void total_of_kept(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    const source *src = env;
    wadi_lower_masked_total(l, r, src->filter, out);
}

void wadi_lower_fold_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    source src = source_of(l, bind, ix);
    const wadi_row r = row_of(l, bind, &src);
    src.filter = wadi_lower_masked_by(l->y, l->of.known, reduced_by(bind));
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, bind, &r, src.filter ? total_of_kept : NULL, &src, out);
}

/* One row of f32 has only two SIMD accumulators, so each addition waits for the one before; four rows keep the adders busy.
 * Wider types have more accumulators already. */
int wadi_lower_fold_together(const wadi_lower *l, const wadi_bind *bind) {
    if (!wadi_fun_has_lanes(bind->funs[0])) return 1;
    const wadi_elem *e = &wadi_type_of(l, bind->results[0])->elem;
    return e->fields == 1 && e->type[0] == WADI_F32 ? 4 : 1;
}

void wadi_lower_fold_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, int rows,
                          wadi_lv *out) {
    source src = source_of(l, bind, ix);
    src.rows = rows;
    const wadi_row r = row_of(l, bind, &src);
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, bind, &r, NULL, NULL, out);
}

/* ---- by the lanes of a group ---- */

typedef struct teaming {
    const wadi_fold_items *items;
    source src;
    wadi_row_fold of[WADI_MAX_FIELDS];
    wadi_lv ix[WADI_MAX_RANK]; /* of the row; of a block, its number behind that */
} teaming;

/* What is written has rank `outer`, and one more for blocks. */
static int outer_rank(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank;
}

/* Where item `number` goes. */
static void index_of(wadi_lower *l, const wadi_fold_items *w, wadi_lv number, wadi_lv *ix) {
    const int outer = outer_rank(l, w->folds[0]);
    wadi_lv row = number;
    if (w->each != WADI_LV_NONE) {
        row = bin(l, WADI_SOP_QUOT, number, w->each);
        ix[outer] = outer == 0 ? number : bin(l, WADI_SOP_REM, number, w->each);
        wadi_lb_inst(&l->b, ix[outer])->nonneg = true;
    }
    wadi_lower_row_index(l, row, outer, w->extent, ix);
}

static int fields_of_all(const wadi_lower *l, const wadi_fold_items *w) {
    int fields = 0;
    for (int k = 0; k < w->count; k++)
        fields += wadi_type_of(l, w->folds[k]->results[0])->elem.fields;
    return fields;
}

static void store_item(wadi_lower *l, const wadi_fold_items *w, const wadi_lv *ix,
                       const wadi_lv *x) {
    const int rank = outer_rank(l, w->folds[0]) + (w->each != WADI_LV_NONE);
    const wadi_lv at = wadi_lower_linear(l, rank, w->extent, ix);
    wadi_lanes alone;
    wadi_lanes_alone(l, &alone);
    for (int f = 0; f < fields_of_all(l, w); f++) wadi_lb_store(&l->b, w->pointer[f], at, x[f]);
    wadi_lanes_end(l, &alone);
}

static void begin_item(wadi_lower *l, void *env, wadi_lv number, wadi_row *out, wadi_lv *out_from) {
    teaming *t = env;
    const wadi_fold_items *w = t->items;
    index_of(l, w, number, t->ix);
    t->src = source_of_all(l, w->count, w->folds, t->ix, t->of);
    *out = row_of(l, w->folds[0], &t->src);
    *out_from = num(l, 0);
    if (w->each != WADI_LV_NONE)
        *out_from = bin(l, WADI_SOP_MUL, t->ix[outer_rank(l, w->folds[0])], num(l, BLOCK));
}

static void end_item(wadi_lower *l, void *env, const wadi_row *r, wadi_row_total total,
                     void *of_total) {
    const teaming *t = env;
    wadi_lv x[WADI_MAX_FIELDS];
    if (t->items->each != WADI_LV_NONE)
        total(l, r, of_total, x);
    else
        wadi_lower_fold_row(l, t->items->folds[0], r, total, of_total, x);
    store_item(l, t->items, t->ix, x);
}

static void by_teams(wadi_lower *l, const wadi_fold_items *w) {
    const wadi_bind *first = w->folds[0];
    const wadi_elem *e = &wadi_type_of(l, first->results[0])->elem;
    teaming t = {.items = w};
    const source src = source_of_all(l, w->count, w->folds, NULL, t.of);
    const wadi_row_teams teams = {.first = w->first,
                                  .all = w->all,
                                  .like = {.f = first->funs[0],
                                           .fields = fields_of_all(l, w),
                                           .each = e->fields,
                                           .type = e->type,
                                           .nfolds = src.nfolds,
                                           .folds = t.of},
                                  .begin = begin_item,
                                  .end = end_item,
                                  .env = &t};
    wadi_row_by_teams(l, &teams);
}

/* One item: by the lanes of a group for one row, or in the lane. */
static void one_item(wadi_lower *l, const wadi_fold_items *w, wadi_lv number) {
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    const int outer = outer_rank(l, w->folds[0]);
    index_of(l, w, number, ix);
    for (int d = 0; d < outer && w->each == WADI_LV_NONE; d++) l->position.ix[d] = ix[d];
    const wadi_lower_position around = wadi_lower_at_element(l, outer, ix);
    if (w->each != WADI_LV_NONE)
        wadi_lower_fold_block(l, w->count, w->folds, ix, ix[outer], x);
    else
        wadi_lower_fold_all(l, w->count, w->folds, outer > 0 ? ix : NULL, x);
    l->position = around;
    store_item(l, w, ix, x);
}

static bool has_teams(const wadi_lower *l, const wadi_bind *bind) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_ext e = wadi_shapes_extent(l->y->shapes, array, 0, wadi_type_of(l, array)->rank - 1);
    int64_t n = 0;
    if (!wadi_fun_has_lanes(bind->funs[0])) return false;
    return e == WADI_EXT_NONE || !wadi_ext_is_const(l->y->shapes->extents, e, &n) ||
           n >= WADI_FOLD_LANES;
}

int wadi_lower_fold_items_at_once(const wadi_lower *l, const wadi_bind *bind) {
    return has_teams(l, bind) ? WADI_ROW_TEAMS : WADI_GROUP_LANES;
}

/* Teams are ahead of each other, so faults would be told out of order: what may fault is done row by row. */
static void build_items(wadi_lower *l, void *env) {
    const wadi_fold_items *w = env;
    const wadi_lv rest = bin(l, WADI_SOP_SUB, w->all, w->first);
    wadi_trial trial;
    wadi_lanes open;
    if (!has_teams(l, w->folds[0])) {
        const wadi_lv n = bin(l, WADI_SOP_MIN, rest, num(l, WADI_GROUP_LANES));
        const wadi_lv lane = wadi_lanes_first(l, n, &open);
        one_item(l, w, bin(l, WADI_SOP_ADD, w->first, lane));
        wadi_lanes_end(l, &open);
        return;
    }
    wadi_lower_try(l, &trial);
    by_teams(l, w);
    if (wadi_lower_tried(l, &trial)) {
        wadi_lb_merge(&l->b, trial.aside);
        return;
    }
    const wadi_lv n = bin(l, WADI_SOP_MIN, rest, num(l, WADI_ROW_TEAMS));
    const wadi_lv item = wadi_lb_for(&l->b, num(l, 0), n, 1, "item");
    one_item(l, w, bin(l, WADI_SOP_ADD, w->first, item));
    wadi_lb_end(&l->b);
}

void wadi_lower_fold_items(wadi_lower *l, const wadi_fold_items *items) {
    wadi_fold_items w = *items;
    if (l->status || l->b.failed) return;
    const wadi_lower_position before =
        items->each == WADI_LV_NONE ? wadi_lower_in_array(l, outer_rank(l, w.folds[0]), w.extent)
                                    : l->position;
    wadi_lower_versions(l, build_items, &w);
    l->position = before;
}

/* ---- several folds in one loop (together.c) ---- */

void wadi_lower_fold_all(wadi_lower *l, int count, const wadi_bind *const *folds, const wadi_lv *ix,
                         wadi_lv *out) {
    wadi_row_fold of[WADI_MAX_FIELDS];
    source src = source_of_all(l, count, folds, ix, of);
    const wadi_row r = row_of(l, folds[0], &src);
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, folds[0], &r, NULL, NULL, out);
}

/* ---- from the results of blocks ---- */

void wadi_lower_fold_block(wadi_lower *l, int count, const wadi_bind *const *folds,
                           const wadi_lv *ix, wadi_lv blk, wadi_lv *out) {
    wadi_row_fold of[WADI_MAX_FIELDS];
    source src = source_of_all(l, count, folds, ix, of);
    const wadi_row r = row_of(l, folds[0], &src);
    if (l->status || l->b.failed) return;
    wadi_lower_reduce_block(l, &r, wadi_lb_bin(&l->b, WADI_SOP_MUL, blk, num(l, BLOCK)), out);
}

void wadi_lower_fold_masked_block(wadi_lower *l, const wadi_bind *bind, const wadi_bind *filter,
                                  wadi_lv at, wadi_lv before, wadi_lv blk, wadi_lv *out) {
    source src = source_of(l, bind, NULL);
    const wadi_row r = row_of(l, bind, &src);
    if (l->status || l->b.failed) return;
    wadi_lower_masked_block(l, &r, filter, at, before, blk, out);
}

void wadi_lower_part(wadi_lower *l, int slot, const wadi_lv *ix, wadi_lv blk, wadi_lv *out) {
    wadi_lb *b = &l->b;
    const wadi_plan_slot *p = &l->y->slots.at[slot];
    const bool irregular = p->kind == WADI_SLOT_IRREGULAR;
    const wadi_lv s = irregular ? wadi_lower_number_in(l, slot) : WADI_LV_NONE;
    wadi_lv extent[WADI_MAX_RANK], at[WADI_MAX_RANK];
    for (int d = 0; d < p->rank; d++) {
        extent[d] = wadi_lb_leaf(b, WADI_L_SHAPE, slot, d, s);
        at[d] = d + 1 < p->rank ? ix[d] : blk;
    }
    const wadi_lv linear = wadi_lower_linear(l, p->rank, extent, at);
    for (int f = 0; f < p->fields; f++) {
        wadi_lv column = wadi_lb_column(b, slot, f, p->type[f]);
        if (irregular)
            column = wadi_lb_advance(b, column, wadi_lb_leaf(b, WADI_L_OFFSET, slot, 0, s));
        out[f] = wadi_lb_load(b, column, linear, NULL);
    }
}

/* Entry `blk` of the table of parts. */
static void part_of(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out) {
    const source *src = env;
    wadi_lower_part(l, src->parts, src->ix, blk, out);
}

static void total_of_parts(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    const source *src = env;
    wadi_lv first[WADI_MAX_FIELDS];
    if (wadi_lower_has_lanes(l) && wadi_lower_cost(r->f) < WADI_SHARE_CHEAP) {
        wadi_row_combine_shared(l, r, part_of, src, out);
        return;
    }
    if (wadi_fun_has_any_order(r->f)) {
        wadi_row_combine_any_order(l, r, part_of, src, out);
        return;
    }
    part_of(l, src, num(l, 0), first);
    wadi_row_combine_blocks(l, r, first, part_of, src, out);
}

void wadi_lower_fold_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                           wadi_lv *out) {
    source src = source_of(l, bind, ix);
    src.parts = parts;
    const wadi_row r = row_of(l, bind, &src);
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, bind, &r, total_of_parts, &src, out);
}
