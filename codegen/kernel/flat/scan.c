/* Schedule flat of scans, in three steps: the last result of each block's own scan, the carries into the blocks, and the
 * results of the blocks. A single worker carries from block to block as it goes and needs only the last step. Short rows are
 * one unit each. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/skeleton.h"
#include "operators/reduce_tree.h"

static int rank_of(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank;
}

static wadi_lv blocks_of(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, wadi_lower_row_length(l, bind), WADI_SCAN_BLOCK);
}

/* ---- the table: row, block of the scanned row but the last ---- */

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const wadi_lv carries = bin(l, WADI_SOP_SUB, blocks_of(l, bind), num(l, 1));
    extent[rank_of(l, bind) - 1] = bin(l, WADI_SOP_MAX, carries, num(l, 0));
}

static wadi_lv table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return extent[rank_of(l, bind) - 1];
}

static void last_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer};
    wadi_lower_scan_last(l, u->bind, &table, u->ix, wadi_flat_piece(l, u));
}

static wadi_lv one_if_any(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return bin(l, WADI_SOP_MIN, extent[rank_of(l, bind) - 1], num(l, 1));
}

static void carries_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer};
    wadi_lower_scan_carries(l, u->bind, &table, u->ix);
}

/* ---- the results: row, block of the scanned row ---- */

static wadi_lv block_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    const wadi_lv blocks = blocks_of(l, bind);
    return bind->nargs == 2 ? bin(l, WADI_SOP_MAX, blocks, num(l, 1)) : blocks;
}

static const void *chain(wadi_lower *l, const wadi_bind *bind) {
    wadi_scan_chain *c = WADI_NEW(l->y->arena, wadi_scan_chain);
    if (c)
        wadi_lower_scan_chain(l, bind, c);
    else
        l->b.failed = true;
    return c;
}

static void block_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    const wadi_lv piece = wadi_flat_piece(l, u);
    wadi_lower_extents(l, u->bind->results[0], entries);
    table_extents(l, u->bind, entries);
    wadi_flat_table(l, u, entry);
    const wadi_scan_table table = {entries, entry};
    wadi_lower_scan_block(l, u->bind, u->extent, u->pointer, &table, u->ix, piece, u->carried);
}

/* A table of what is carried into the blocks of rows longer than one. */
static wadi_status long_rows(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut lasts = {table_extents, table_pieces, last_unit, .several = true};
    static const wadi_cut carries = {table_extents, one_if_any, carries_unit, .several = true};
    static const wadi_cut blocks = {.pieces = block_pieces, .unit = block_unit, .carried = chain};
    const wadi_array_type *t = &c->y->m->values[bind->results[0]].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *before = tag ? tag : "";
    const char *last = wadi_arena_printf(c->y->arena, "%slasts", before);
    const char *carry = wadi_arena_printf(c->y->arena, "%scarries", before);
    int table = 0;
    if (!last || !carry) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_slot(c, "carries", kind, t, &table));
    WADI_TRY(wadi_flat_cut(c, bind, table, &lasts, last, -1, true));
    WADI_TRY(wadi_flat_cut(c, bind, table, &carries, carry, -1, false));
    return wadi_flat_cut(c, bind, slot, &blocks, tag, table, true);
}

/* ---- short rows ---- */

static void row_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lower_scan_row(l, u->bind, u->extent, u->pointer, u->ix);
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut rows = {.unit = row_unit};
    if (wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]))
        return long_rows(c, bind, slot, tag);
    return wadi_flat_cut(c, bind, slot, &rows, tag, -1, true);
}

const wadi_skeleton_row wadi_skeleton_scan = {.row = wadi_lower_scan_row, .into_slot = into_slot};
