/* Schedule flat of folds over all pairs (kernel/pairs.h): a unit is a part of the rows and columns of one matrix of the result. Whether numbers of
 * rows, columns and places suit tiles is known only at run time, as a rule. If they do not, units are those of any other fold, and only
 * then its table of blocks has entries. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/pairs.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"

/* Rows and columns of a unit, about. Packing an operand costs as much as some products, and is shared by so many. Packed rows of f64 for a
 * thousand places take 0.8 MB, which a nearer cache holds. */
enum { UNIT_ROWS = WADI_PAIRS_UNIT_ROWS, UNIT_COLUMNS = 256 };

static bool has_pairs(wadi_lower *l, const wadi_bind *bind) {
    if (!wadi_lower_pairs_may(l, bind)) return false;
    wadi_flat_each_element(l);
    const bool has = wadi_lower_pairs_has(l, bind);
    wadi_lb_end(&l->b);
    return has;
}

bool wadi_flat_has_pairs(wadi_flat *c, const wadi_bind *bind) {
    return wadi_is_stored(c->y, bind->results[0]) && wadi_flat_tells(c, bind, has_pairs);
}

void wadi_flat_pairs_table(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    wadi_flat_fold_extents(l, bind, extent);
    extent[rank] =
        wadi_lb_select(&l->b, WADI_I64, wadi_lower_pairs_fit(l, bind), num(l, 0), extent[rank]);
}

/* ---- units ---- */

/* Into how many parts n rows or columns are cut. */
static wadi_lv parts_of(wadi_lower *l, wadi_lv n, int64_t size) {
    return bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_QUOT, n, num(l, size)), num(l, 1));
}

/* Where part number `part` of `parts` begins. */
static wadi_lv part_at(wadi_lower *l, wadi_lv n, wadi_lv part, wadi_lv parts) {
    return bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_MUL, n, part), parts);
}

static wadi_lv rows_of_parts(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    const wadi_lv matrices = wadi_lower_size(l, rank - 2, extent);
    const wadi_lv each = bin(l, WADI_SOP_MUL, parts_of(l, extent[rank - 2], UNIT_ROWS),
                             parts_of(l, extent[rank - 1], UNIT_COLUMNS));
    return bin(l, WADI_SOP_MUL, matrices, each);
}

/* The elements of a row that a unit has where there are no tiles. */
static wadi_lv pieces_of_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    return wadi_flat_pieces_of(l, extent[rank - 1], wadi_flat_rows_per_unit(l, bind));
}

static wadi_lv units(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    const wadi_lv others =
        bin(l, WADI_SOP_MUL, wadi_lower_size(l, rank - 1, extent), pieces_of_row(l, bind, extent));
    return wadi_lb_select(&l->b, WADI_I64, wadi_lower_pairs_fit(l, bind),
                          rows_of_parts(l, bind, extent), others);
}

static void by_tiles(wadi_lower *l, const wadi_unit *u) {
    const int rank = wadi_type_of(l, u->bind->results[0])->rank;
    static const int64_t size[] = {UNIT_ROWS, UNIT_COLUMNS};
    wadi_lv ix[WADI_MAX_RANK], number = wadi_flat_piece(l, u);
    wadi_pairs_part part = {.bind = u->bind, .ix = ix, .extent = u->extent, .pointer = u->pointer};
    for (int side = 1; side >= 0; side--) {
        const wadi_lv n = u->extent[rank - 2 + side], parts = parts_of(l, n, size[side]);
        const wadi_lv at = bin(l, WADI_SOP_REM, number, parts);
        number = bin(l, WADI_SOP_QUOT, number, parts);
        part.from[side] = part_at(l, n, at, parts);
        part.below[side] = part_at(l, n, bin(l, WADI_SOP_ADD, at, num(l, 1)), parts);
    }
    wadi_lower_row_index(l, number, rank - 2, u->extent, ix);
    wadi_vloc *at = &l->loc[u->bind->results[0]];
    const wadi_vloc parts = *at;
    *at = (wadi_vloc){.kind = WADI_LOC_NONE}; /* there are no blocks */
    wadi_lower_pairs_part(l, &part);
    *at = parts;
}

static void by_rows(wadi_lower *l, const wadi_unit *u) {
    const int rank = wadi_type_of(l, u->bind->results[0])->rank;
    wadi_lv ix[WADI_MAX_RANK];
    wadi_unit row = *u;
    const wadi_lv number = wadi_flat_piece(l, u);
    row.ix = ix;
    row.pieces = pieces_of_row(l, u->bind, u->extent);
    row.piece = bin(l, WADI_SOP_REM, number, row.pieces);
    wadi_lower_row_index(l, bin(l, WADI_SOP_QUOT, number, row.pieces), rank - 1, u->extent, ix);
    wadi_flat_unit_of(l, &row, wadi_flat_rows_per_unit(l, u->bind));
}

static void unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv fit = wadi_lower_pairs_fit(l, u->bind);
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, fit, &known)) { /* the trial has shown that it is no other */
        by_tiles(l, u);
        return;
    }
    wadi_lb_if(&l->b, fit);
    by_tiles(l, u);
    wadi_lb_else(&l->b);
    by_rows(l, u);
    wadi_lb_end(&l->b);
}

wadi_status wadi_flat_pairs(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.rows = units, .unit = unit, .whole = true, .apart = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}
