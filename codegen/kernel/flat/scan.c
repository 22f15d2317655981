/* Schedule flat of scans, in three steps: the last result of each block's own scan, the carries into the blocks, and the
 * results of the blocks. A single worker carries from block to block as it goes and needs only the last step. Short rows are
 * one unit each. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/scan_lanes.h"
#include "codegen/kernel/skeleton.h"
#include "operators/reduce_tree.h"

static int rank_of(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank;
}

static wadi_lv blocks_of(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, wadi_lower_row_length(l, bind), WADI_SCAN_BLOCK);
}

/* ---- the table: [row, block of the scanned row but the last] ---- */

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[rank_of(l, bind) - 1] =
        wadi_flat_pieces_but_last(l, wadi_lower_row_length(l, bind), WADI_SCAN_BLOCK);
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

/* ---- the results: a unit is a block of a row ---- */

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

/* The table of carries that the unit reads: its extents and pointers. */
static void read_table(wadi_lower *l, const wadi_unit *u, wadi_lv *entries, wadi_lv *entry) {
    wadi_lower_extents(l, u->bind->results[0], entries);
    table_extents(l, u->bind, entries);
    wadi_flat_table(l, u, entry);
}

static void block_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    const wadi_lv piece = wadi_flat_piece(l, u);
    const wadi_scan_table table = {entries, entry};
    read_table(l, u, entries, entry);
    wadi_lower_scan_block(l, u->bind, u->extent, u->pointer, &table, u->ix, piece, u->carried);
}

typedef struct names {
    const char *lasts, *carries;
} names;

/* Adds a slot for the table, and makes the names of the kernels that fill it. */
static wadi_status table_of(wadi_flat *c, const wadi_bind *bind, const char *tag, names *out,
                            int *out_slot) {
    const wadi_array_type *t = &c->y->m->values[bind->results[0]].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *before = tag ? tag : "";
    out->lasts = wadi_arena_printf(c->y->arena, "%slasts", before);
    out->carries = wadi_arena_printf(c->y->arena, "%scarries", before);
    if (!out->lasts || !out->carries) return wadi_flat_no_memory(c);
    return wadi_flat_slot(c, "carries", kind, t, out_slot);
}

/* The table of carries, for rows longer than one block. */
static wadi_status carries_into(wadi_flat *c, const wadi_bind *bind, const char *tag,
                                int *out_slot) {
    static const wadi_cut lasts = {table_extents, table_pieces, last_unit, .several = true};
    static const wadi_cut carries = {table_extents, one_if_any, carries_unit, .several = true};
    names n;
    WADI_TRY(table_of(c, bind, tag, &n, out_slot));
    WADI_TRY(wadi_flat_cut(c, bind, *out_slot, &lasts, n.lasts, -1, true));
    return wadi_flat_cut(c, bind, *out_slot, &carries, n.carries, -1, false);
}

static const wadi_cut blocks_cut = {.pieces = block_pieces, .unit = block_unit, .carried = chain};

/* ---- long rows of whole arrays: units are several blocks that are computed together, and the three steps run by rounds, so that
 * the last one finds in the cache what the first one has read. All three have units of the same numbers. ---- */

static wadi_lv groups_of_blocks(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return wadi_flat_pieces_of(l, block_pieces(l, bind, extent), WADI_SCAN_TOGETHER);
}

/* The same, but none if no block has an entry. */
static wadi_lv groups_of_entries(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return bin(l, WADI_SOP_MUL, one_if_any(l, bind, extent), groups_of_blocks(l, bind, extent));
}

static void runs_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const int last = rank_of(l, bind) - 1;
    for (int d = 0; d < last; d++) extent[d] = num(l, 1);
    extent[last] = num(l, WADI_TOP_ROOM);
}

static wadi_lv first_block(wadi_lower *l, const wadi_unit *u) {
    return bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, WADI_SCAN_TOGETHER));
}

static void lasts_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer, NULL};
    wadi_lower_scan_lasts(l, u->bind, &table, u->ix, first_block(l, u));
}

static void carry_on_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv runs[WADI_MAX_FIELDS];
    const wadi_scan_table table = {u->extent, u->pointer, NULL};
    if (u->table >= 0) wadi_flat_table(l, u, runs);
    wadi_lower_scan_carry_on(l, u->bind, &table, u->table >= 0 ? runs : NULL, u->ix,
                             first_block(l, u));
}

static void blocks_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    const wadi_lv first = first_block(l, u);
    const wadi_scan_table table = {entries, entry, NULL};
    read_table(l, u, entries, entry);
    wadi_lower_scan_blocks(l, u->bind, u->extent, u->pointer, &table, u->ix, first);
}

static wadi_status by_rounds(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut lasts = {.extents = table_extents,
                                   .pieces = groups_of_entries,
                                   .unit = lasts_unit,
                                   .each = WADI_SCAN_TOGETHER,
                                   .rounds = 2};
    static const wadi_cut carries = {.extents = table_extents,
                                     .pieces = groups_of_entries,
                                     .unit = carry_on_unit,
                                     .in_order = true};
    static const wadi_cut blocks = {.pieces = groups_of_blocks,
                                    .unit = blocks_unit,
                                    .each = WADI_SCAN_TOGETHER * WADI_SCAN_BLOCK};
    /* results stand one place behind their elements */
    static const wadi_cut behind_z = {.pieces = groups_of_blocks, .unit = blocks_unit};
    static const wadi_cut kept = {.extents = runs_extents};
    const wadi_cut *last = bind->nargs == 2 ? &behind_z : &blocks;
    const wadi_array_type *t = &c->y->m->values[bind->results[0]].type.array[0];
    names n;
    int table = 0, runs = -1;
    WADI_TRY(table_of(c, bind, tag, &n, &table));
    const char *runs_name = wadi_arena_printf(c->y->arena, "%sruns", tag ? tag : "");
    if (!runs_name) return wadi_flat_no_memory(c);
    if (!wadi_fun_has_any_order(bind->funs[0])) {
        WADI_TRY(wadi_flat_slot(c, "runs", WADI_SLOT_ONCE, t, &runs));
        WADI_TRY(wadi_flat_storage(c, bind, runs, &kept, runs_name));
    }
    WADI_TRY(wadi_flat_storage(c, bind, table, &lasts, n.lasts));
    WADI_TRY(wadi_flat_storage(c, bind, slot, last, tag));
    WADI_TRY(wadi_flat_cut(c, bind, table, &lasts, n.lasts, -1, false));
    WADI_TRY(wadi_flat_cut(c, bind, table, &carries, n.carries, runs, false));
    return wadi_flat_cut(c, bind, slot, last, tag, table, false);
}

/* In what order faults would be found cannot be said of blocks that are computed together. */
static bool has_rounds(wadi_flat *c, const wadi_bind *bind) {
    return !c->body->stream && c->level == 0 && wadi_flat_fun_is_harmless(c, bind->funs[0]) &&
           wadi_flat_is_harmless(c, bind->args[bind->nargs - 1], false);
}

static wadi_status long_rows(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    int table = 0;
    if (has_rounds(c, bind)) return by_rounds(c, bind, slot, tag);
    WADI_TRY(carries_into(c, bind, tag, &table));
    return wadi_flat_cut(c, bind, slot, &blocks_cut, tag, table, true);
}

static wadi_status beside(wadi_flat *c, const wadi_bind *bind, wadi_flat_part *out) {
    const wadi_val v = bind->results[0];
    if (c->y->grouped || !wadi_is_stored(c->y, v) ||
        !wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]))
        return WADI_OK;
    WADI_TRY(carries_into(c, bind, NULL, &out->table));
    out->cut = &blocks_cut;
    out->slot = c->y->slot_of[v];
    out->empty = bind->nargs == 2;
    c->known[v] = true;
    return WADI_OK;
}

/* ---- by groups: nothing is carried from unit to unit, and one worker takes all steps as well ---- */

/* Blocks of the row but the last, or of all of it, counted over all rows. */
static wadi_lv items_of(wadi_lower *l, const wadi_bind *bind, wadi_lv each) {
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    return bin(l, WADI_SOP_MUL, wadi_lower_size(l, rank_of(l, bind) - 1, extent), each);
}

static wadi_lv lasts_of_row(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_but_last(l, wadi_lower_row_length(l, bind), WADI_SCAN_BLOCK);
}

static wadi_lv units_of_lasts(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, items_of(l, bind, lasts_of_row(l, bind)),
                               wadi_lower_scan_items_at_once(l, bind));
}

static wadi_lv units_of_blocks(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, items_of(l, bind, block_pieces(l, bind, NULL)),
                               wadi_lower_scan_items_at_once(l, bind));
}

static wadi_lv first_item(wadi_lower *l, const wadi_unit *u) {
    return bin(l, WADI_SOP_MUL, u->piece, num(l, wadi_lower_scan_items_at_once(l, u->bind)));
}

static void lasts_by_lanes(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer};
    const wadi_lv each = lasts_of_row(l, u->bind);
    const wadi_scan_items items = {.bind = u->bind,
                                   .table = &table,
                                   .each = each,
                                   .first = first_item(l, u),
                                   .all = items_of(l, u->bind, each)};
    wadi_lower_scan_items(l, &items);
}

static void blocks_by_lanes(wadi_lower *l, const wadi_unit *u) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    const wadi_lv each = block_pieces(l, u->bind, NULL);
    const wadi_scan_table table = {entries, entry};
    wadi_scan_items items = {.bind = u->bind,
                             .extent = u->extent,
                             .pointer = u->pointer,
                             .each = each,
                             .first = first_item(l, u),
                             .all = items_of(l, u->bind, each)};
    if (u->table >= 0) {
        read_table(l, u, entries, entry);
        items.table = &table;
    }
    wadi_lower_scan_items(l, &items);
}

static void last_shared(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer};
    wadi_lower_scan_last_shared(l, u->bind, &table, u->ix, wadi_flat_piece(l, u));
}

static void carries_shared(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_table table = {u->extent, u->pointer};
    wadi_lower_scan_carries_shared(l, u->bind, &table, u->ix);
}

static void block_shared(wadi_lower *l, const wadi_unit *u) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    const wadi_lv piece = wadi_flat_piece(l, u);
    const wadi_scan_table table = {entries, entry};
    if (u->table >= 0) read_table(l, u, entries, entry);
    wadi_lower_scan_block_shared(l, u->bind, u->extent, u->pointer, u->table >= 0 ? &table : NULL,
                                 u->ix, piece);
}

static wadi_status by_groups(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag,
                             bool any_order) {
    static const wadi_cut items_lasts = {.extents = table_extents,
                                         .rows = units_of_lasts,
                                         .unit = lasts_by_lanes,
                                         .whole = true,
                                         .lanes = true};
    static const wadi_cut items = {
        .rows = units_of_blocks, .unit = blocks_by_lanes, .whole = true, .lanes = true};
    static const wadi_cut shared_lasts = {table_extents, table_pieces, last_shared, .lanes = true};
    static const wadi_cut shared = {.pieces = block_pieces, .unit = block_shared, .lanes = true};
    static const wadi_cut carries = {table_extents, one_if_any, carries_shared, .lanes = true};
    int table = -1;
    if (wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1])) {
        names n;
        WADI_TRY(table_of(c, bind, tag, &n, &table));
        WADI_TRY(wadi_flat_cut(c, bind, table, any_order ? &shared_lasts : &items_lasts, n.lasts,
                               -1, true));
        WADI_TRY(wadi_flat_cut(c, bind, table, &carries, n.carries, -1, false));
    }
    const bool one_row = c->y->slots.at[slot].rank == 1;
    return wadi_flat_cut(c, bind, slot, any_order && (table >= 0 || one_row) ? &shared : &items,
                         tag, table, true);
}

/* ---- short rows ---- */

static void row_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lower_scan_row(l, u->bind, u->extent, u->pointer, u->ix);
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut rows = {.unit = row_unit};
    if (c->y->grouped) return by_groups(c, bind, slot, tag, wadi_fun_has_any_order(bind->funs[0]));
    if (wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]))
        return long_rows(c, bind, slot, tag);
    return wadi_flat_cut(c, bind, slot, &rows, tag, -1, true);
}

const wadi_skeleton_row wadi_skeleton_scan = {
    .row = wadi_lower_scan_row, .beside = beside, .into_slot = into_slot};
