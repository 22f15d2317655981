/* Schedule flat of folds. The first step reduces blocks, which are its units, into a table. The second combines each row's
 * entries by the top of the tree (top.c). The tree is the same as in every other schedule. Short rows are reduced whole. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/pairs.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/skeleton.h"
#include "operators/reduce_tree.h"

enum { UNIT = WADI_FLAT_UNIT, BLOCK = WADI_FOLD_BLOCK };

/* ---- the table: [element of the result, block of the reduced row] ---- */

static int table_rank(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank + 1;
}

static wadi_lv table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return extent[table_rank(l, bind) - 1];
}

static void table_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv x[WADI_MAX_FIELDS], ix[WADI_MAX_RANK];
    const int rank = table_rank(l, u->bind);
    int fields = 0;
    for (int d = 0; d + 1 < rank; d++) ix[d] = u->ix[d];
    for (int k = 0; k < u->count; k++)
        fields += wadi_type_of(l, u->binds[k]->results[0])->elem.fields;
    wadi_lower_fold_block(l, u->count, u->binds, ix, wadi_flat_piece(l, u), x);
    ix[rank - 1] = u->piece;
    const wadi_lv at = wadi_lower_linear(l, rank, u->extent, ix);
    for (int f = 0; f < fields; f++) wadi_lb_store(&l->b, u->pointer[f], at, x[f]);
}

/* ---- by groups: so many rows, or blocks of rows, as its teams or lanes take at a time ---- */

static wadi_lv rows_of(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    return wadi_lower_size(l, table_rank(l, bind) - 1, extent);
}

static wadi_lv blocks_of_row(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, wadi_lower_row_length(l, bind), BLOCK);
}

static wadi_lv units_of_rows(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, rows_of(l, bind), wadi_lower_fold_items_at_once(l, bind));
}

static wadi_lv units_of_blocks(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv all = bin(l, WADI_SOP_MUL, rows_of(l, bind), blocks_of_row(l, bind));
    return wadi_flat_pieces_of(l, all, wadi_lower_fold_items_at_once(l, bind));
}

static void items_unit(wadi_lower *l, const wadi_unit *u, wadi_lv each, wadi_lv all) {
    const int64_t at_once = wadi_lower_fold_items_at_once(l, u->bind);
    const wadi_fold_items items = {.count = u->count,
                                   .folds = u->binds,
                                   .extent = u->extent,
                                   .pointer = u->pointer,
                                   .each = each,
                                   .first = bin(l, WADI_SOP_MUL, u->piece, num(l, at_once)),
                                   .all = all};
    wadi_lower_fold_items(l, &items);
}

static void rows_unit(wadi_lower *l, const wadi_unit *u) {
    items_unit(l, u, WADI_LV_NONE, rows_of(l, u->bind));
}

static void blocks_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv each = blocks_of_row(l, u->bind);
    items_unit(l, u, each, bin(l, WADI_SOP_MUL, rows_of(l, u->bind), each));
}

static const wadi_cut *table_cut(const wadi_flat *c, bool pairs) {
    static const wadi_cut of_pairs = {.extents = wadi_flat_pairs_table,
                                      .uncounted = true,
                                      .pieces = table_pieces,
                                      .unit = table_unit,
                                      .each = 1,
                                      .joins = true};
    static const wadi_cut by_one = {.extents = wadi_flat_fold_extents,
                                    .pieces = table_pieces,
                                    .unit = table_unit,
                                    .each = 1,
                                    .joins = true};
    static const wadi_cut by_groups = {.extents = wadi_flat_fold_extents,
                                       .rows = units_of_blocks,
                                       .unit = blocks_unit,
                                       .whole = true,
                                       .lanes = true,
                                       .joins = true};
    return pairs ? &of_pairs : c->y->grouped ? &by_groups : &by_one;
}

static void done_into(wadi_flat *c, const wadi_bind *bind, int slot) {
    const wadi_val v = bind->results[0];
    c->parts[v] = slot;
    if (!wadi_is_stored(c->y, v)) c->known[v] = true;
}

static wadi_status blocks(wadi_flat *c, const wadi_bind *bind) {
    int slot = -1;
    WADI_TRY(wadi_flat_masked(c, bind, &slot));
    if (slot < 0) {
        if (!wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1])) return WADI_OK;
        WADI_TRY(wadi_flat_fold_table(c, bind, &slot));
        const wadi_cut *cut = table_cut(c, wadi_flat_has_pairs(c, bind));
        WADI_TRY(wadi_flat_cut(c, bind, slot, cut, "parts", -1, true));
    }
    done_into(c, bind, slot);
    return WADI_OK;
}

/* A group of lanes takes so many blocks at a time only if each has lanes. Tiles share more than siblings do. */
static wadi_status beside(wadi_flat *c, const wadi_bind *bind, wadi_flat_part *out) {
    if (!wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]) ||
        (c->y->grouped && !wadi_fun_has_lanes(bind->funs[0])) || wadi_flat_has_pairs(c, bind))
        return WADI_OK;
    WADI_TRY(wadi_flat_fold_table(c, bind, &out->slot));
    out->cut = table_cut(c, false);
    out->tag = "parts";
    done_into(c, bind, out->slot);
    return WADI_OK;
}

/* ---- rows reduced whole: several make a unit ---- */

static wadi_lv whole_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    const wadi_lv rows = extent[wadi_type_of(l, bind->results[0])->rank - 1];
    return wadi_flat_pieces_of(l, rows, wadi_flat_rows_per_unit(l, bind));
}

static void whole_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_flat_unit_of(l, u, wadi_flat_rows_per_unit(l, u->bind));
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.pieces = whole_pieces, .unit = whole_unit};
    static const wadi_cut by_groups = {
        .rows = units_of_rows, .unit = rows_unit, .whole = true, .lanes = true};
    if (wadi_flat_has_pairs(c, bind)) return wadi_flat_pairs(c, bind, slot, tag);
    if (c->parts[bind->results[0]] >= 0) return wadi_flat_pieces(c, bind, slot, tag);
    const bool groups = c->y->grouped && c->y->slots.at[slot].rank > 0;
    return wadi_flat_cut(c, bind, slot, groups ? &by_groups : &cut, tag, -1, true);
}

const wadi_skeleton_row wadi_skeleton_fold = {.element = wadi_lower_fold_at,
                                              .element_of_parts = wadi_lower_fold_parts,
                                              .together = wadi_lower_fold_together,
                                              .elements = wadi_lower_fold_rows,
                                              .tiles = wadi_lower_pairs_fill,
                                              .blocks = blocks,
                                              .beside = beside,
                                              .into_slot = into_slot};
