/* Schedule flat of operators over segments: units of equal work, however skewed the segments are.
 *
 * Segments are cut where the number of elements and segments so far is a multiple of the unit's size. A search in the offsets
 * finds the place, so nothing is counted beforehand. Blocks of segments that are longer than one block are first reduced by
 * units of their own, so no segment is too long for one worker. Segments longer than a unit are scanned by blocks, in three steps as long rows
 * are (scan.c here), if several workers are there to share them. Results of expand are cut on their own.
 *
 * Offsets that do not fit must not go unnoticed. The cuts lead from unit to unit from the first segment to the last, so every
 * segment is checked, whatever the search makes of bad offsets. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/scan_lanes.h"
#include "codegen/kernel/segment.h"
#include "codegen/kernel/segment_folds.h"
#include "codegen/kernel/segment_lanes.h"
#include "codegen/kernel/skeleton.h"

/* A search costs as much as some hundred elements. A device wants more groups than there are workers. */
enum { PIECE = 16 * WADI_FOLD_BLOCK, GROUP_PIECE = 4 * WADI_FOLD_BLOCK, BLOCK = WADI_FOLD_BLOCK };

static int64_t piece_of(const wadi_lower *l) {
    return l->y->grouped ? GROUP_PIECE : PIECE;
}

/* The reduction of segments whose results `bind` reads element by element, `bind` itself if it is one; NULL if there is none. */
static const wadi_bind *folded(const wadi_layout *y, const bool *known, const wadi_bind *bind) {
    if (bind->op->skeleton == WADI_SKEL_FOLD_SEG) return bind;
    for (int i = 0; bind->op->one_to_one && i < bind->nargs; i++) {
        const wadi_value *v = &y->m->values[bind->args[i]];
        if (v->def != WADI_DEF_BIND || wadi_is_stored(y, bind->args[i]) || known[bind->args[i]])
            continue;
        const wadi_bind *below = folded(y, known, v->bind);
        if (below) return below;
    }
    return NULL;
}

/* The binding whose arguments are the offsets. */
static const wadi_bind *segmented(const wadi_lower *l, const wadi_bind *bind) {
    const wadi_bind *fold = folded(l->y, l->of.known, bind);
    return fold ? fold : bind;
}

static int offsets_of(const wadi_bind *bind) {
    return bind->op->skeleton == WADI_SKEL_EXPAND ? 1 : bind->nargs - 2;
}

static wadi_lv innermost(wadi_lower *l, wadi_val v) {
    return wadi_lower_extent(l, v, wadi_type_of(l, v)->rank - 1);
}

/* ---- where a unit begins ---- */

typedef struct search {
    const wadi_bind *bind;
    wadi_lv place;
} search;

static wadi_lv passed(wadi_lower *l, void *env, wadi_lv j) {
    const search *s = env;
    const wadi_lv offset = wadi_lower_offset(l, s->bind, offsets_of(s->bind), j);
    return bin(l, WADI_SOP_GE, bin(l, WADI_SOP_ADD, offset, j), s->place);
}

/* The units of a row: its elements and segments together, divided by a unit's size. */
static wadi_lv pieces_of_segments(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    bind = segmented(l, bind);
    const wadi_lv n = wadi_lower_segments(l, bind, offsets_of(bind));
    const wadi_lv most = innermost(l, bind->args[bind->nargs - 1]);
    const wadi_lv end = wadi_lower_offset(l, bind, offsets_of(bind), n);
    const wadi_lv inside = bin(l, WADI_SOP_MAX, num(l, 0), bin(l, WADI_SOP_MIN, end, most));
    const wadi_lv all = bin(l, WADI_SOP_ADD, inside, n);
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_QUOT, all, num(l, piece_of(l))), num(l, 1));
}

/* The first segment of unit `piece`; n after the last unit. */
static wadi_lv first_segment(wadi_lower *l, const wadi_unit *u, wadi_lv piece, wadi_lv n) {
    wadi_lb *b = &l->b;
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(l, 0), "first");
    search s = {segmented(l, u->bind), bin(l, WADI_SOP_MUL, piece, num(l, piece_of(l)))};
    wadi_lb_if(b, bin(l, WADI_SOP_GT, piece, num(l, 0)));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, piece, u->pieces));
    const wadi_lv end = bin(l, WADI_SOP_ADD, innermost(l, s.bind->args[s.bind->nargs - 1]), n);
    wadi_lb_set(b, var, wadi_lower_search_near(l, n, s.place, end, passed, &s));
    wadi_lb_else(b);
    wadi_lb_set(b, var, n);
    wadi_lb_end(b);
    wadi_lb_end(b);
    return wadi_lb_fact(b, wadi_lb_get(b, var), num(l, 0), n);
}

/* Of u only the pieces are used that are cut like this. */
static void segments_of_unit(wadi_lower *l, const wadi_unit *u, wadi_lv piece, wadi_lv *out_from,
                             wadi_lv *out_below) {
    const wadi_bind *bind = segmented(l, u->bind);
    const wadi_lv n = wadi_lower_segments(l, bind, offsets_of(bind));
    *out_from = first_segment(l, u, piece, n);
    *out_below = first_segment(l, u, bin(l, WADI_SOP_ADD, piece, num(l, 1)), n);
}

/* ---- fold_seg, fold1_seg ---- */

static void fold_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv from, below;
    segments_of_unit(l, u, wadi_flat_piece(l, u), &from, &below);
    wadi_lower_fill_row(l, u->bind, u->extent, u->pointer, u->ix, from, below);
}

/* How folds of segments may go through elements. */
typedef enum order {
    IN_TURN, /* faults have to be told where they are met */
    NOTED,   /* faults of elements and of f can be noted, and told by code that goes in order */
    QUIETLY, /* so can those of elements; f has none */
    ANYHOW   /* there are no faults */
} order;

/* The same by teams of a group's lanes. All segments but the last begin and end among the unit's elements. */
static void by_teams(wadi_lower *l, const wadi_unit *u, order o) {
    const wadi_vloc *at = &l->loc[u->bind->results[0]];
    wadi_fold_stretches w = {.bind = u->bind,
                             .extent = u->extent,
                             .pointer = u->pointer,
                             .ix = u->ix,
                             .parts = at->kind == WADI_LOC_PARTS ? at->slot : -1,
                             .quiet = o != ANYHOW,
                             .faulty = o == NOTED};
    segments_of_unit(l, u, wadi_flat_piece(l, u), &w.first, &w.below);
    wadi_lower_fold_segments(l, &w, piece_of(l));
}

static void team_unit(wadi_lower *l, const wadi_unit *u) {
    by_teams(l, u, ANYHOW);
}

static void quiet_team_unit(wadi_lower *l, const wadi_unit *u) {
    by_teams(l, u, QUIETLY);
}

static void noted_team_unit(wadi_lower *l, const wadi_unit *u) {
    by_teams(l, u, NOTED);
}

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const wadi_lv blocks =
        bin(l, WADI_SOP_QUOT, innermost(l, bind->args[bind->nargs - 1]), num(l, BLOCK));
    extent[wadi_type_of(l, bind->results[0])->rank - 1] = bin(l, WADI_SOP_ADD, blocks, num(l, 1));
}

/* Entry 0 belongs to no segment. */
static wadi_lv table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    return bin(l, WADI_SOP_SUB, extent[rank - 1], num(l, 1));
}

static void table_entry(wadi_lower *l, const wadi_unit *u, bool quiet) {
    wadi_lower_fold_seg_block(l, u->bind, u->extent, u->pointer, u->ix,
                              bin(l, WADI_SOP_ADD, wadi_flat_piece(l, u), num(l, 1)), quiet);
}

static void table_unit(wadi_lower *l, const wadi_unit *u) {
    table_entry(l, u, false);
}

static void quiet_table_unit(wadi_lower *l, const wadi_unit *u) {
    table_entry(l, u, true);
}

static wadi_lv team_table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return wadi_flat_pieces_of(l, table_pieces(l, bind, extent),
                               wadi_lower_fold_entries_at_once(l, bind));
}

static void table_by_teams(wadi_lower *l, const wadi_unit *u, order o) {
    const int rank = wadi_type_of(l, u->bind->results[0])->rank;
    const wadi_lv before = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u),
                               num(l, wadi_lower_fold_entries_at_once(l, u->bind)));
    const wadi_fold_stretches w = {.bind = u->bind,
                                   .extent = u->extent,
                                   .pointer = u->pointer,
                                   .ix = u->ix,
                                   .first = bin(l, WADI_SOP_ADD, before, num(l, 1)),
                                   .below = u->extent[rank - 1],
                                   .parts = -1,
                                   .quiet = o != ANYHOW,
                                   .faulty = o == NOTED};
    wadi_lower_fold_entries(l, &w);
}

static void team_table_unit(wadi_lower *l, const wadi_unit *u) {
    table_by_teams(l, u, ANYHOW);
}

static void quiet_team_table_unit(wadi_lower *l, const wadi_unit *u) {
    table_by_teams(l, u, QUIETLY);
}

static void noted_team_table_unit(wadi_lower *l, const wadi_unit *u) {
    table_by_teams(l, u, NOTED);
}

/* Whether segments may be gone through in another order than that of the source: nothing in them may fault. */
static bool has_any_order(wadi_flat *c, const wadi_bind *bind) {
    return wadi_flat_fun_is_harmless(c, bind->funs[0]) &&
           wadi_flat_is_harmless(c, bind->args[bind->nargs - 1], false);
}

static order order_of(wadi_flat *c, const wadi_bind *bind) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const bool room = c->y->m->values[array].type.array[0].elem.fields < WADI_MAX_FIELDS;
    const bool harmless = wadi_flat_fun_is_harmless(c, bind->funs[0]);
    if (harmless && wadi_flat_is_harmless(c, array, false)) return ANYHOW;
    if (!room || !wadi_flat_is_noted(c, array)) return IN_TURN;
    if (harmless) return QUIETLY;
    return c->y->grouped && wadi_flat_fun_is_noted(c, bind->funs[0]) ? NOTED : IN_TURN;
}

/* The cut of the table's units; NULL: there is no table. */
static const wadi_cut *table_cut(wadi_flat *c, const wadi_bind *bind, bool *quiet) {
    static const wadi_cut one[] = {
        [QUIETLY] = {table_extents, table_pieces, quiet_table_unit},
        [ANYHOW] = {table_extents, table_pieces, table_unit, .lanes = true}};
    static const wadi_cut teams[] = {
        [NOTED] = {table_extents, team_table_pieces, noted_team_table_unit, .lanes = true},
        [QUIETLY] = {table_extents, team_table_pieces, quiet_team_table_unit, .lanes = true},
        [ANYHOW] = {table_extents, team_table_pieces, team_table_unit, .lanes = true}};
    const order o = order_of(c, bind);
    *quiet = o == QUIETLY || o == NOTED;
    if (o == IN_TURN) return c->y->unchecked ? &one[ANYHOW] : NULL;
    return c->y->grouped ? &teams[o] : &one[o];
}

/* The table of block results, for segments longer than one block. If faults are noted, each entry tells whether there is one. */
static wadi_status blocks(wadi_flat *c, const wadi_bind *bind) {
    const wadi_val v = bind->results[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    wadi_array_type t = c->y->m->values[v].type.array[0];
    bool quiet = false;
    int slot = 0;
    if (!wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1])) return WADI_OK;
    const wadi_cut *cut = table_cut(c, bind, &quiet);
    if (!cut) return WADI_OK;
    if (quiet) t.elem.type[t.elem.fields++] = WADI_BOOL;
    WADI_TRY(wadi_flat_slot(c, "parts", kind, &t, &slot));
    WADI_TRY(wadi_flat_cut(c, bind, slot, cut, "parts", -1, true));
    c->parts[v] = slot;
    return WADI_OK;
}

/* ---- scans ---- */

/* Longer segments are scanned by blocks. The lanes of a group should have about as much to do; for workers whole units are the measure. */
static wadi_lv longest(wadi_lower *l) {
    return num(l, l->y->grouped ? BLOCK : PIECE);
}

/* Entries of the table of blocks that a unit takes. */
static int64_t entries_at_once(const wadi_lower *l) {
    return l->y->grouped ? WADI_GROUP_LANES : 1;
}

static wadi_lv pieces_of_entries(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    const wadi_lv entries =
        bin(l, WADI_SOP_QUOT, innermost(l, bind->args[bind->nargs - 1]), num(l, BLOCK));
    return wadi_flat_pieces_of(l, entries, entries_at_once(l));
}

static wadi_lv each_entry(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    return bin(l, WADI_SOP_QUOT, innermost(l, bind->args[bind->nargs - 1]), num(l, BLOCK));
}

static wadi_lv pieces_of_both(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    return bin(l, WADI_SOP_ADD, pieces_of_segments(l, bind, extent),
               pieces_of_entries(l, bind, extent));
}

static void scan_table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[wadi_type_of(l, bind->results[0])->rank - 1] =
        bin(l, WADI_SOP_ADD, each_entry(l, bind, extent), num(l, 1));
}

static void close_block(wadi_lower *l) {
    for (int k = 0; k < 3; k++) wadi_lb_end(&l->b);
}

/* Entry 0 belongs to no segment. */
static wadi_lv entry_of(wadi_lower *l, const wadi_unit *u) {
    return bin(l, WADI_SOP_ADD, wadi_flat_piece(l, u), num(l, 1));
}

static wadi_stretches entries_of(wadi_lower *l, const wadi_unit *u, wadi_lv piece,
                                 const wadi_scan_table *table) {
    const wadi_lv one = num(l, 1);
    return (wadi_stretches){
        .bind = u->bind,
        .ix = u->ix,
        .table = table,
        .first = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, piece, num(l, WADI_GROUP_LANES)), one),
        .below = bin(l, WADI_SOP_ADD, each_entry(l, u->bind, NULL), one),
        .limit = longest(l)};
}

static void last_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_scan_stretch part;
    wadi_scan_table table = {u->extent, u->pointer, NULL};
    if (l->y->grouped) {
        const wadi_stretches w = entries_of(l, u, wadi_flat_piece(l, u), &table);
        wadi_lower_scan_lasts_of_stretches(l, &w);
        return;
    }
    const wadi_lv blk =
        wadi_lower_scan_segment_block(l, u->bind, entry_of(l, u), longest(l), &part);
    table.part = &part;
    wadi_lower_scan_last(l, u->bind, &table, u->ix, bin(l, WADI_SOP_SUB, blk, num(l, 1)));
    close_block(l);
}

/* The unit of a segment's first entry does them all. */
static void carries_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_scan_stretch part;
    const wadi_lv blk =
        wadi_lower_scan_segment_block(l, u->bind, entry_of(l, u), longest(l), &part);
    const wadi_scan_table table = {u->extent, u->pointer, &part};
    wadi_lb_if(&l->b, bin(l, WADI_SOP_EQ, blk, num(l, 1)));
    if (l->y->grouped)
        wadi_lower_scan_carries_shared(l, u->bind, &table, u->ix);
    else
        wadi_lower_scan_carries(l, u->bind, &table, u->ix);
    wadi_lb_end(&l->b);
    close_block(l);
}

/* Segments, of the long ones their first blocks. One worker alone goes through long ones as well. */
static void short_unit(wadi_lower *l, const wadi_unit *u, wadi_lv piece, wadi_lv pieces) {
    const wadi_scan_part row = {
        .bind = u->bind, .extent = u->extent, .pointer = u->pointer, .ix = u->ix};
    wadi_unit cut = *u;
    wadi_lv from, below, limit = WADI_LV_NONE;
    cut.pieces = pieces;
    wadi_lb_if(&l->b, bin(l, WADI_SOP_EQ, piece, num(l, 0)));
    wadi_lower_scan_outside(l, &row);
    wadi_lb_end(&l->b);
    segments_of_unit(l, &cut, piece, &from, &below);
    if (u->table >= 0 && l->y->grouped) {
        const wadi_lv first = wadi_lb_for(&l->b, from, below, WADI_GROUP_LANES, "first");
        const wadi_stretches w = {.bind = u->bind,
                                  .ix = u->ix,
                                  .extent = u->extent,
                                  .pointer = u->pointer,
                                  .first = first,
                                  .below = below,
                                  .limit = longest(l)};
        wadi_lower_scan_stretches(l, &w);
        wadi_lb_end(&l->b);
        return;
    }
    if (u->table >= 0) {
        const wadi_lv workers = wadi_lb_leaf(&l->b, WADI_L_ARG, -1, 3, WADI_LV_NONE);
        limit = wadi_lb_select(&l->b, WADI_I64, bin(l, WADI_SOP_GT, workers, num(l, 1)), longest(l),
                               num(l, INT64_MAX));
    }
    wadi_lower_scan_segments(l, &row, from, below, limit);
}

static void block_unit(wadi_lower *l, const wadi_unit *u, wadi_lv piece) {
    wadi_lv entry[WADI_MAX_FIELDS], entries[WADI_MAX_RANK];
    wadi_scan_stretch part;
    wadi_lower_extents(l, u->bind->results[0], entries);
    scan_table_extents(l, u->bind, entries);
    wadi_flat_table(l, u, entry);
    wadi_scan_table table = {entries, entry, NULL};
    if (l->y->grouped) {
        wadi_stretches w = entries_of(l, u, piece, &table);
        w.extent = u->extent;
        w.pointer = u->pointer;
        wadi_lower_scan_stretches(l, &w);
        return;
    }
    const wadi_lv workers = wadi_lb_leaf(&l->b, WADI_L_ARG, -1, 3, WADI_LV_NONE);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_GT, workers, num(l, 1)));
    const wadi_lv g = bin(l, WADI_SOP_ADD, piece, num(l, 1));
    const wadi_lv blk = wadi_lower_scan_segment_block(l, u->bind, g, longest(l), &part);
    table.part = &part;
    wadi_lower_scan_block(l, u->bind, u->extent, u->pointer, &table, u->ix, blk, NULL);
    close_block(l);
    wadi_lb_end(&l->b);
}

static void scan_unit(wadi_lower *l, const wadi_unit *u) {
    short_unit(l, u, wadi_flat_piece(l, u), u->pieces);
}

static void both_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv piece = wadi_flat_piece(l, u);
    const wadi_lv pieces = pieces_of_segments(l, u->bind, u->extent);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, piece, pieces));
    short_unit(l, u, piece, pieces);
    wadi_lb_else(&l->b);
    const wadi_lv behind = bin(l, WADI_SOP_SUB, piece, pieces);
    block_unit(l, u, wadi_lb_range(&l->b, behind, num(l, 0), WADI_LV_NONE));
    wadi_lb_end(&l->b);
}

/* ---- expand ---- */

static wadi_lv pieces_of_result(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(bind);
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_QUOT, extent[0], num(l, BLOCK)), num(l, 1));
}

/* Whether element i has results after the place, or has no results and ends there. */
static wadi_lv reaches_behind(wadi_lower *l, void *env, wadi_lv i) {
    const search *s = env;
    const wadi_lv next = bin(l, WADI_SOP_ADD, i, num(l, 1));
    return bin(l, WADI_SOP_GT, wadi_lower_offset(l, s->bind, 1, next), s->place);
}

/* The first element of unit `piece`; n after the last unit. */
static wadi_lv first_element(wadi_lower *l, const wadi_unit *u, wadi_lv piece, wadi_lv n) {
    wadi_lb *b = &l->b;
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(l, 0), "first");
    search s = {u->bind, bin(l, WADI_SOP_MUL, piece, num(l, BLOCK))};
    wadi_lb_if(b, bin(l, WADI_SOP_GT, piece, num(l, 0)));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, piece, u->pieces));
    wadi_lb_set(b, var, wadi_lower_search(l, n, reaches_behind, &s));
    wadi_lb_else(b);
    wadi_lb_set(b, var, n);
    wadi_lb_end(b);
    wadi_lb_end(b);
    return wadi_lb_fact(b, wadi_lb_get(b, var), num(l, 0), n);
}

/* The first element of the next unit may have its first results in this unit. */
static void expand_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv piece = wadi_flat_piece(l, u);
    const wadi_lv n = wadi_lower_extent(l, u->bind->args[2], 0);
    const wadi_lv next = bin(l, WADI_SOP_ADD, piece, num(l, 1));
    const wadi_lv from = first_element(l, u, piece, n);
    const wadi_lv last = first_element(l, u, next, n);
    const wadi_lv below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, last, num(l, 1)), n);
    const wadi_lv first = bin(l, WADI_SOP_MUL, piece, num(l, BLOCK));
    wadi_lower_expand_part(l, u->bind, u->extent, u->pointer, from, below, first,
                           bin(l, WADI_SOP_MUL, next, num(l, BLOCK)));
}

/* ---- the steps ---- */

/* z is read by the lanes. */
static bool has_teams(wadi_flat *c, const wadi_bind *bind) {
    return c->y->grouped && bind->op->skeleton == WADI_SKEL_FOLD_SEG &&
           (bind->nargs < 3 || wadi_flat_is_harmless(c, bind->args[0], false));
}

static wadi_status fold_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut one = {.pieces = pieces_of_segments, .unit = fold_unit, .lanes = true};
    static const wadi_cut teams[] = {
        [NOTED] = {.pieces = pieces_of_segments, .unit = noted_team_unit, .lanes = true},
        [QUIETLY] = {.pieces = pieces_of_segments, .unit = quiet_team_unit, .lanes = true},
        [ANYHOW] = {.pieces = pieces_of_segments, .unit = team_unit, .lanes = true}};
    const order o = has_teams(c, bind) ? order_of(c, bind) : IN_TURN;
    return wadi_flat_cut(c, bind, slot, o == IN_TURN ? &one : &teams[o], tag, -1, true);
}

static bool has_blocks(wadi_flat *c, const wadi_bind *bind) {
    return wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1]) &&
           wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP && has_any_order(c, bind);
}

static wadi_status scan_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut whole = {.pieces = pieces_of_segments, .unit = scan_unit, .lanes = true};
    static const wadi_cut both = {.pieces = pieces_of_both, .unit = both_unit, .lanes = true};
    static const wadi_cut lasts[2] = {
        {scan_table_extents, pieces_of_entries, last_unit, .several = true},
        {scan_table_extents, pieces_of_entries, last_unit, .lanes = true}};
    static const wadi_cut carries[2] = {
        {scan_table_extents, each_entry, carries_unit, .several = true},
        {scan_table_extents, each_entry, carries_unit, .lanes = true}};
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const wadi_array_type *t = &c->y->m->values[bind->results[0]].type.array[0];
    const char *lasting = wadi_arena_printf(c->y->arena, "%slasts", tag ? tag : "");
    const char *carrying = wadi_arena_printf(c->y->arena, "%scarries", tag ? tag : "");
    int table = -1;
    if (!lasting || !carrying) return wadi_flat_no_memory(c);
    if (!has_blocks(c, bind)) return wadi_flat_cut(c, bind, slot, &whole, tag, -1, true);
    WADI_TRY(wadi_flat_slot(c, "carries", kind, t, &table));
    WADI_TRY(wadi_flat_cut(c, bind, table, &lasts[c->y->grouped], lasting, -1, true));
    WADI_TRY(wadi_flat_cut(c, bind, table, &carries[c->y->grouped], carrying, -1, false));
    return wadi_flat_cut(c, bind, slot, &both, tag, table, true);
}

static wadi_status expand_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.pieces = pieces_of_result, .unit = expand_unit, .lanes = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

/* Stores the reductions of segments whose results `bind` reads element by element, where the lanes of groups make them faster than `bind` could. */
static wadi_status store_folds(wadi_flat *c, const wadi_bind *bind) {
    for (int i = 0; bind->op->one_to_one && i < bind->nargs; i++) {
        const wadi_val v = bind->args[i];
        const wadi_value *value = &c->y->m->values[v];
        if (value->def != WADI_DEF_BIND || c->known[v]) continue;
        if (has_teams(c, value->bind) && order_of(c, value->bind) != IN_TURN)
            WADI_TRY(wadi_flat_store(c, value->bind));
        else
            WADI_TRY(store_folds(c, value->bind));
    }
    return WADI_OK;
}

/* A binding that reads the results of a reduction of segments element by element is cut like that reduction. */
static wadi_status generate_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    WADI_TRY(store_folds(c, bind));
    return folded(c->y, c->known, bind) ? fold_into(c, bind, slot, tag)
                                        : wadi_flat_pieces(c, bind, slot, tag);
}

static bool is_in_pieces(struct wadi_flat *c, const wadi_bind *bind) {
    return !c->y->grouped && !folded(c->y, c->known, bind);
}

static void scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer, const wadi_lv *ix) {
    const wadi_scan_part row = {.bind = bind, .extent = extent, .pointer = pointer, .ix = ix};
    wadi_lower_scan_outside(l, &row);
    wadi_lower_scan_segments(l, &row, num(l, 0), wadi_lower_segments(l, bind, bind->nargs - 2),
                             WADI_LV_NONE);
}

const wadi_skeleton_row wadi_skeleton_generate = {.into_slot = generate_into,
                                                  .in_pieces = is_in_pieces};
const wadi_skeleton_row wadi_skeleton_fold_seg = {.element = wadi_lower_fold_seg_at,
                                                  .element_of_parts = wadi_lower_fold_seg_parts,
                                                  .blocks = blocks,
                                                  .into_slot = fold_into};
const wadi_skeleton_row wadi_skeleton_scan_seg = {.row = scan_row, .into_slot = scan_into};
const wadi_skeleton_row wadi_skeleton_expand = {.fill = wadi_lower_expand,
                                                .into_slot = expand_into};
