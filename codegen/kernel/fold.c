/* The operators fold and fold1: elements of their results, several at once, and from the results of blocks. */
#include <string.h>

#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "operators/reduce_tree.h"

enum { BLOCK = WADI_FOLD_BLOCK };

typedef struct source {
    wadi_val array;
    int rank, fields; /* of the array */
    const wadi_lv *ix;
    int parts; /* slot of block results, or -1 */
    int rows;  /* reduced together: this one and those after it */
    int folds; /* of one row, together */
} source;

static void source_element(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out) {
    const source *src = env;
    wadi_lv ix[WADI_MAX_RANK];
    if (src->rank > 1) memcpy(ix, src->ix, (size_t)(src->rank - 1) * sizeof *ix);
    ix[src->rank - 1] = i;
    for (int row = 0; row < src->rows; row++) {
        if (row > 0) ix[src->rank - 2] = bin(l, WADI_SOP_ADD, src->ix[src->rank - 2], num(l, row));
        wadi_lower_read(l, src->array, ix, out + row * src->fields);
    }
    for (int fold = 1; fold < src->folds; fold++)
        memcpy(out + fold * src->fields, out, (size_t)src->fields * sizeof *out);
}

static source source_of(const wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, array);
    return (source){array, t->rank, t->elem.fields, ix, -1, 1, 1};
}

wadi_lv wadi_lower_row_length(wadi_lower *l, const wadi_bind *bind) {
    const wadi_val array = bind->args[bind->nargs - 1];
    return wadi_lower_extent(l, array, wadi_type_of(l, array)->rank - 1);
}

static wadi_row row_of(wadi_lower *l, const wadi_bind *bind, source *src) {
    const wadi_elem *e = &wadi_type_of(l, src->array)->elem;
    return (wadi_row){.f = bind->funs[0],
                      .fields = e->fields * src->rows * src->folds,
                      .each = e->fields,
                      .type = e->type,
                      .n = wadi_lower_row_length(l, bind),
                      .elem = source_element,
                      .env = src,
                      .has_z = bind->nargs == 2,
                      .of_nothing = WADI_SAID_NO_DIMENSION,
                      .is_cheap = wadi_lower_is_cheap(l, src->array)};
}

void wadi_lower_fold_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    source src = source_of(l, bind, ix);
    const wadi_row r = row_of(l, bind, &src);
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, bind, &r, NULL, NULL, out);
}

/* One row has two SIMD accumulators of f32 and waits for them; four rows keep the adders busy. Wider types have more
 * accumulators to begin with. */
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

/* ---- several folds of one row (together.c) ---- */

void wadi_lower_fold_all(wadi_lower *l, int count, const wadi_bind *const *folds, wadi_lv *out) {
    source src = source_of(l, folds[0], NULL);
    src.folds = count;
    wadi_row r = row_of(l, folds[0], &src);
    r.folds = folds;
    if (l->status || l->b.failed) return;
    wadi_lower_fold_row(l, folds[0], &r, NULL, NULL, out);
}

/* ---- from the results of blocks ---- */

void wadi_lower_fold_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv blk,
                           wadi_lv *out) {
    source src = source_of(l, bind, ix);
    const wadi_row r = row_of(l, bind, &src);
    if (l->status || l->b.failed) return;
    wadi_lower_reduce_block(l, &r, wadi_lb_bin(&l->b, WADI_SOP_MUL, blk, num(l, BLOCK)), out);
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
