/* Schedule flat of operators over segments: units of equal work, however skewed the segments are.
 *
 * Segments are cut where the number of elements and segments so far is a multiple of the unit's size. A search in the offsets
 * finds the place, so nothing is counted beforehand. Blocks of segments that are longer than one block are first reduced by
 * units of their own, so no segment is too long for one worker. Results of expand are cut on their own.
 *
 * Offsets that do not fit must not go unnoticed. The cuts lead from unit to unit from the first segment to the last, so every
 * segment is checked, whatever the search makes of bad offsets. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/segment.h"
#include "codegen/kernel/skeleton.h"

/* A search costs as much as some hundred elements. */
enum { PIECE = 16 * WADI_FOLD_BLOCK, BLOCK = WADI_FOLD_BLOCK };

/* The reduction of segments whose results `bind` reads element by element, `bind` itself if it is one; NULL if there is none. */
static const wadi_bind *folded(const wadi_layout *y, const wadi_bind *bind) {
    if (bind->op->skeleton == WADI_SKEL_FOLD_SEG) return bind;
    for (int i = 0; bind->op->one_to_one && i < bind->nargs; i++) {
        const wadi_value *v = &y->m->values[bind->args[i]];
        if (v->def != WADI_DEF_BIND || wadi_is_stored(y, bind->args[i])) continue;
        const wadi_bind *below = folded(y, v->bind);
        if (below) return below;
    }
    return NULL;
}

/* The binding whose arguments are the offsets. */
static const wadi_bind *segmented(const wadi_lower *l, const wadi_bind *bind) {
    const wadi_bind *fold = folded(l->y, bind);
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
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_QUOT, all, num(l, PIECE)), num(l, 1));
}

/* The first segment of unit `piece`; n after the last unit. */
static wadi_lv first_segment(wadi_lower *l, const wadi_unit *u, wadi_lv piece, wadi_lv n) {
    wadi_lb *b = &l->b;
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(l, 0), "first");
    search s = {segmented(l, u->bind), bin(l, WADI_SOP_MUL, piece, num(l, PIECE))};
    wadi_lb_if(b, bin(l, WADI_SOP_GT, piece, num(l, 0)));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, piece, u->pieces));
    wadi_lb_set(b, var, wadi_lower_search(l, n, passed, &s));
    wadi_lb_else(b);
    wadi_lb_set(b, var, n);
    wadi_lb_end(b);
    wadi_lb_end(b);
    return wadi_lb_fact(b, wadi_lb_get(b, var), num(l, 0), n);
}

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

static void table_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lower_fold_seg_block(l, u->bind, u->extent, u->pointer, u->ix,
                              bin(l, WADI_SOP_ADD, wadi_flat_piece(l, u), num(l, 1)));
}

/* The table of block results, for segments longer than one block. */
static wadi_status blocks(wadi_flat *c, const wadi_bind *bind) {
    static const wadi_cut cut = {table_extents, table_pieces, table_unit, .lanes = true};
    const wadi_val v = bind->results[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    int slot = 0;
    if (!wadi_flat_has_long_rows(c, bind->args[bind->nargs - 1])) return WADI_OK;
    WADI_TRY(wadi_flat_slot(c, "parts", kind, &c->y->m->values[v].type.array[0], &slot));
    WADI_TRY(wadi_flat_cut(c, bind, slot, &cut, "parts", -1, true));
    c->parts[v] = slot;
    return WADI_OK;
}

/* ---- scans ---- */

static void scan_unit(wadi_lower *l, const wadi_unit *u) {
    const wadi_scan_part row = {
        .bind = u->bind, .extent = u->extent, .pointer = u->pointer, .ix = u->ix};
    const wadi_lv piece = wadi_flat_piece(l, u);
    wadi_lv from, below;
    wadi_lb_if(&l->b, bin(l, WADI_SOP_EQ, piece, num(l, 0)));
    wadi_lower_scan_outside(l, &row);
    wadi_lb_end(&l->b);
    segments_of_unit(l, u, piece, &from, &below);
    wadi_lower_scan_segments(l, &row, from, below);
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

static wadi_status fold_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.pieces = pieces_of_segments, .unit = fold_unit, .lanes = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

static wadi_status scan_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.pieces = pieces_of_segments, .unit = scan_unit, .lanes = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

static wadi_status expand_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.pieces = pieces_of_result, .unit = expand_unit, .lanes = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

/* A binding that reads the results of a reduction of segments element by element is cut like that reduction. */
static wadi_status generate_into(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    return folded(c->y, bind) ? fold_into(c, bind, slot, tag)
                              : wadi_flat_pieces(c, bind, slot, tag);
}

static void scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                     const wadi_lv *pointer, const wadi_lv *ix) {
    const wadi_scan_part row = {.bind = bind, .extent = extent, .pointer = pointer, .ix = ix};
    wadi_lower_scan_outside(l, &row);
    wadi_lower_scan_segments(l, &row, num(l, 0), wadi_lower_segments(l, bind, bind->nargs - 2));
}

const wadi_skeleton_row wadi_skeleton_generate = {.into_slot = generate_into};
const wadi_skeleton_row wadi_skeleton_fold_seg = {.element = wadi_lower_fold_seg_at,
                                                  .element_of_parts = wadi_lower_fold_seg_parts,
                                                  .blocks = blocks,
                                                  .into_slot = fold_into};
const wadi_skeleton_row wadi_skeleton_scan_seg = {.row = scan_row, .into_slot = scan_into};
const wadi_skeleton_row wadi_skeleton_expand = {.fill = wadi_lower_expand,
                                                .into_slot = expand_into};
