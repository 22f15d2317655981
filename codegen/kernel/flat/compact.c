/* Schedule flat of compact and partition: blocks of a row are units, so that workers share a long row.
 *
 * The place of a block's elements depends on how many elements the blocks before it keep. So there are three steps: count each
 * block but the last, sum the counts along the row, and place the elements of every block. Rows of one block need no counts
 * and take one step.
 *
 * The program has usually counted what it keeps, to say how many elements there are. Where the blocks of that sum are at hand, they are the counts. Then
 * what decides is read once for the count and once for the places. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/kept.h"

enum { BLOCK = WADI_FOLD_BLOCK };

static int rank_of(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->args[1])->rank;
}

static wadi_lv row_length(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_extent(l, bind->args[1], rank_of(l, bind) - 1);
}

static wadi_lv blocks_of(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, row_length(l, bind), BLOCK);
}

/* ---- counts ---- */

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[rank_of(l, bind) - 1] = wadi_flat_pieces_but_last(l, row_length(l, bind), BLOCK);
}

static wadi_lv table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return extent[rank_of(l, bind) - 1];
}

static wadi_lv entry(wadi_lower *l, const wadi_unit *u, wadi_lv blk) {
    wadi_lv ix[WADI_MAX_RANK];
    const int rank = rank_of(l, u->bind);
    for (int d = 0; d + 1 < rank; d++) ix[d] = u->ix[d];
    ix[rank - 1] = blk;
    return wadi_lower_linear(l, rank, u->extent, ix);
}

static void count_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv piece = wadi_flat_piece(l, u);
    const wadi_lv from = bin(l, WADI_SOP_MUL, piece, num(l, BLOCK));
    const wadi_lv kept =
        wadi_lower_count_kept(l, u->bind, u->ix, from, bin(l, WADI_SOP_ADD, from, num(l, BLOCK)));
    wadi_lb_store(&l->b, u->pointer[0], entry(l, u, piece), kept);
}

/* ---- their sums ---- */

static wadi_lv one_if_any(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return bin(l, WADI_SOP_MIN, extent[rank_of(l, bind) - 1], num(l, 1));
}

static void sum_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    if (wadi_lower_has_lanes(l)) {
        const wadi_lv m = u->extent[rank_of(l, u->bind) - 1];
        wadi_lower_sum_counts(l, u->pointer[0], entry(l, u, num(l, 0)), m);
        return;
    }
    const wadi_lv sum = wadi_lb_var(b, WADI_I64, false, num(l, 0), "sum");
    const wadi_lv blk = wadi_lb_for(b, num(l, 0), u->extent[rank_of(l, u->bind) - 1], 1, "blk");
    const wadi_lv at = entry(l, u, blk);
    const wadi_lv before = wadi_lb_get(b, sum);
    const wadi_lv next = bin(l, WADI_SOP_ADD, before, wadi_lb_fresh(b, u->pointer[0], at));
    wadi_lb_set(b, sum, next);
    wadi_lb_store(b, u->pointer[0], at, next);
    wadi_lb_end(b);
}

/* ---- sums of the results of blocks that the program has counted ---- */

static void sum_parts_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    wadi_lv kept[WADI_MAX_FIELDS];
    const wadi_lv sum = wadi_lb_var(b, WADI_I64, false, num(l, 0), "sum");
    const wadi_lv blk = wadi_lb_for(b, num(l, 0), u->extent[0], 1, "blk");
    wadi_lower_part(l, u->table, NULL, blk, kept);
    const wadi_lv next = bin(l, WADI_SOP_ADD, wadi_lb_get(b, sum), kept[0]);
    wadi_lb_set(b, sum, next);
    wadi_lb_store(b, u->pointer[0], blk, next);
    wadi_lb_end(b);
}

/* The slot with the results of these blocks, or -1. Lanes of a group sum otherwise. */
static int counted(const wadi_flat *c, const wadi_bind *bind) {
    if (c->y->grouped || !wadi_op_has(bind->op, WADI_TRAIT_KEEPS)) return -1;
    return wadi_counts_kept(c->y->m, bind) ? c->parts[bind->args[0]] : -1;
}

/* ---- places ---- */

static wadi_lv place_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    return bin(l, WADI_SOP_MAX, blocks_of(l, bind), num(l, 1));
}

/* The sum of the counts before block `blk`, or `otherwise` if there is no table. */
static wadi_lv sum_before(wadi_lower *l, const wadi_unit *u, const wadi_lv *sums, wadi_lv blk,
                          wadi_lv there, wadi_lv otherwise) {
    wadi_lb *b = &l->b;
    wadi_lv table[WADI_MAX_RANK];
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, otherwise, "before");
    for (int d = 0; d + 1 < rank_of(l, u->bind); d++) table[d] = u->extent[d];
    table_extents(l, u->bind, table);
    wadi_lb_if(b, there);
    const wadi_unit t = {.bind = u->bind, .extent = table, .ix = u->ix};
    const wadi_lv at = entry(l, &t, bin(l, WADI_SOP_SUB, blk, num(l, 1)));
    wadi_lb_set(b, var, wadi_lb_load(b, sums[0], at, NULL));
    wadi_lb_end(b);
    return wadi_lb_get(b, var);
}

static void place_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv sums[WADI_MAX_FIELDS];
    const wadi_lv piece = wadi_flat_piece(l, u);
    wadi_flat_table(l, u, sums);
    const wadi_lv n = row_length(l, u->bind), next = bin(l, WADI_SOP_ADD, piece, num(l, 1));
    const wadi_lv count = wadi_lower_kept_count(l, u->bind, u->extent, u->ix);
    const wadi_lv from = bin(l, WADI_SOP_MUL, piece, num(l, BLOCK));
    const wadi_lv is_last = bin(l, WADI_SOP_GE, next, u->pieces);
    const wadi_lv upto = sum_before(l, u, sums, next, bin(l, WADI_SOP_LT, next, u->pieces), count);
    const wadi_kept_part part = {
        .bind = u->bind,
        .extent = u->extent,
        .pointer = u->pointer,
        .ix = u->ix,
        .from = from,
        .below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, BLOCK)), n),
        .before = sum_before(l, u, sums, piece, bin(l, WADI_SOP_GT, piece, num(l, 0)), num(l, 0)),
        .limit = bin(l, WADI_SOP_MIN, upto, count), /* a stated count may be too small */
        .count = count,
        .many = true};
    const wadi_lv kept = wadi_lower_place_kept(l, &part);
    wadi_lb_if(&l->b, is_last);
    wadi_lower_expect_count(l, u->bind, count, kept);
    wadi_lb_end(&l->b);
}

wadi_status wadi_flat_kept_sums(wadi_flat *c, const wadi_bind *bind, const char *tag,
                                int *out_slot) {
    static const wadi_cut counts = {table_extents, table_pieces, count_unit, .lanes = true};
    static const wadi_cut sums = {table_extents, one_if_any, sum_unit, .lanes = true};
    static const wadi_cut of_parts = {table_extents, one_if_any, sum_parts_unit};
    const wadi_array_type table = {.rank = c->y->m->values[bind->args[1]].type.array[0].rank,
                                   .elem = wadi_elem_scalar(WADI_I64)};
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *before = tag ? tag : "";
    const char *counting = wadi_arena_printf(c->y->arena, "%scounts", before);
    const char *summing = wadi_arena_printf(c->y->arena, "%ssums", before);
    if (!counting || !summing) return wadi_flat_no_memory(c);
    const int parts = counted(c, bind);
    WADI_TRY(wadi_flat_slot(c, "counts", kind, &table, out_slot));
    if (parts >= 0) return wadi_flat_cut(c, bind, *out_slot, &of_parts, summing, parts, true);
    WADI_TRY(wadi_flat_cut(c, bind, *out_slot, &counts, counting, -1, true));
    return wadi_flat_cut(c, bind, *out_slot, &sums, summing, -1, false);
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut places = {NULL, place_pieces, place_unit, .lanes = true};
    int t = -1;
    WADI_TRY(wadi_flat_kept_sums(c, bind, tag, &t));
    return wadi_flat_cut(c, bind, slot, &places, tag, t, true);
}

const wadi_skeleton_row wadi_skeleton_compact = {.fill = wadi_lower_compact,
                                                 .into_slot = into_slot};
const wadi_skeleton_row wadi_skeleton_partition = {.row = wadi_lower_partition_row,
                                                   .into_slot = into_slot};
