/* Schedule flat of permutes of vectors whose neighbouring elements go to neighbouring places, as what a filter keeps does when it goes back: workers
 * share the rows of the result (its outermost dimension).
 *
 * First each part of the source notes between which rows its elements go. Then a unit for each range of rows copies its defaults, and goes through the
 * parts that reach into its range, in the order of the source. So every element of the result is combined in that order, whoever does it, as when one
 * worker does all. What a part has for other ranges costs a test, so it is done only if parts reach into few of them; else one worker does all. The
 * first range and the last one that has rows have all those in front of and behind the result, too: so whoever goes there tells the fault.
 *
 * A part whose first few elements lie far apart is not looked at any further: all ranges take it for theirs. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/permute_rows.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/split.h"
#include "operators/reduce_tree.h"

enum {
    LEAST = 1 << 15, /* elements of the source, for which sharing them is worth its steps */
    PART = 1 << 12,  /* elements of a part, at least */
    MOST_PARTS = 1 << 10,
    TIMES = 2,        /* ranges for each worker, so that they end at about the same time */
    RANGES = 64,      /* at most */
    PLACES = 1 << 12, /* of a vector, for which it is worth it */
    ROWS = 1 << 6     /* of another array */
};

static wadi_lv workers(wadi_lower *l) {
    return wadi_lb_leaf(&l->b, WADI_L_ARG, -1, 3, WADI_LV_NONE);
}

static wadi_lv length(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_extent(l, bind->args[1], 0);
}

static wadi_lv rows_of(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_extent(l, bind->results[0], 0);
}

static bool may_have_tables(wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank == 1 && wadi_fun_has_any_order(bind->funs[0]);
}

static wadi_lv is_shared(wadi_lower *l, const wadi_bind *bind) {
    const bool vector = wadi_type_of(l, bind->results[0])->rank == 1;
    const wadi_lv n = length(l, bind), rows = rows_of(l, bind);
    const wadi_lv large = bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_GE, n, num(l, LEAST)),
                              bin(l, WADI_SOP_GE, rows, num(l, vector ? PLACES : ROWS)));
    const wadi_lv shared = bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_GT, workers(l), num(l, 1)), large);
    if (!may_have_tables(l, bind)) return shared;
    const wadi_lv tables = wadi_flat_permute_tables(l, n, rows);
    return bin(l, WADI_SOP_LAND, shared, bin(l, WADI_SOP_EQ, tables, num(l, 0)));
}

static wadi_lv ranges(wadi_lower *l) {
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_MUL, workers(l), num(l, TIMES)), num(l, RANGES));
}

/* Elements of a part. */
static wadi_lv each_of(wadi_lower *l, const wadi_bind *bind) {
    return bin(l, WADI_SOP_MAX, wadi_flat_pieces_of(l, length(l, bind), MOST_PARTS), num(l, PART));
}

/* Parts, if the permute is shared. */
static wadi_lv parts_of(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv each = each_of(l, bind), n = length(l, bind);
    const wadi_lv up = bin(l, WADI_SOP_SUB, bin(l, WADI_SOP_ADD, n, each), num(l, 1));
    return bin(l, WADI_SOP_QUOT, up, each);
}

static wadi_lv if_shared(wadi_lower *l, const wadi_bind *bind, wadi_lv count, int64_t otherwise) {
    return wadi_lb_select(&l->b, WADI_I64, is_shared(l, bind), count, num(l, otherwise));
}

static void part_at(wadi_lower *l, const wadi_bind *bind, wadi_lv part, wadi_lv *from,
                    wadi_lv *below) {
    const wadi_lv each = each_of(l, bind);
    *from = bin(l, WADI_SOP_MUL, part, each);
    *below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, *from, each), length(l, bind));
}

/* ---- between which rows the elements of a part go: the least, and the most ---- */

static wadi_lv parts(wadi_lower *l, const wadi_bind *bind) {
    return if_shared(l, bind, parts_of(l, bind), 0);
}

static void span_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[1] = num(l, 2);
    extent[0] = parts(l, bind);
}

static wadi_lv entry(wadi_lower *l, wadi_lv part, int which) {
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, part, num(l, 2)), num(l, which));
}

static void note_span(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv part = wadi_flat_piece(l, u);
    wadi_lv from, below, span[2];
    part_at(l, u->bind, part, &from, &below);
    wadi_lower_permute_span(l, u->bind, rows_of(l, u->bind), from, below, span);
    for (int k = 0; k < 2; k++) wadi_lb_store(&l->b, u->pointer[0], entry(l, part, k), span[k]);
}

/* ---- ranges of rows ---- */

/* A part reaches from range `first` to `last`: if it has no elements, `last` is less. */
typedef struct reach {
    wadi_lv first, last;
} reach;

/* Rows of a range. */
static wadi_lv height(wadi_lower *l, const wadi_bind *bind) {
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_QUOT, rows_of(l, bind), ranges(l)), num(l, 1));
}

static wadi_lv range_of(wadi_lower *l, const wadi_bind *bind, wadi_lv row) {
    const wadi_lv end = bin(l, WADI_SOP_SUB, rows_of(l, bind), num(l, 1));
    const wadi_lv inside = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_MIN, row, end), num(l, 0));
    return bin(l, WADI_SOP_QUOT, inside, height(l, bind));
}

static reach reach_of(wadi_lower *l, const wadi_bind *bind, wadi_lv spans, wadi_lv part) {
    const wadi_lv least = wadi_lb_load(&l->b, spans, entry(l, part, 0), NULL);
    const wadi_lv most = wadi_lb_load(&l->b, spans, entry(l, part, 1), NULL);
    const wadi_lv none = bin(l, WADI_SOP_GT, least, most);
    const wadi_lv first = range_of(l, bind, least);
    const wadi_lv last = range_of(l, bind, most);
    return (reach){
        first, wadi_lb_select(&l->b, WADI_I64, none, bin(l, WADI_SOP_SUB, first, num(l, 1)), last)};
}

/* Whether parts reach into so few ranges that workers gain by sharing them: going over what is another's takes about half as long as over one's own. */
static wadi_lv is_near(wadi_lower *l, const wadi_bind *bind, wadi_lv spans) {
    wadi_lb *b = &l->b;
    const wadi_lv count = parts_of(l, bind);
    const wadi_lv sum = wadi_lb_var(b, WADI_I64, false, num(l, 0), "reached");
    const wadi_lv part = wadi_lb_for(b, num(l, 0), count, 1, "part");
    const reach r = reach_of(l, bind, spans, part);
    const wadi_lv more = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_SUB, r.last, r.first), num(l, 1));
    wadi_lb_set(b, sum, bin(l, WADI_SOP_ADD, wadi_lb_get(b, sum), more));
    wadi_lb_end(b);
    const wadi_lv others = bin(l, WADI_SOP_SUB, workers(l), num(l, 1));
    const wadi_lv most = bin(l, WADI_SOP_MUL, bin(l, WADI_SOP_MUL, count, others), num(l, 8));
    return bin(l, WADI_SOP_LE, bin(l, WADI_SOP_MUL, wadi_lb_get(b, sum), num(l, 5)), most);
}

/* The rows of range `k`; what lies outside the result belongs to the first one and to the last one that has rows: behind it there may be some that have none. */
static wadi_target_rows rows_in(wadi_lower *l, const wadi_bind *bind, wadi_lv k) {
    wadi_lb *b = &l->b;
    const wadi_lv each = height(l, bind), from = bin(l, WADI_SOP_MUL, k, each);
    const wadi_lv below = bin(l, WADI_SOP_ADD, from, each);
    const wadi_lv is_first = bin(l, WADI_SOP_EQ, k, num(l, 0));
    const wadi_lv is_last = bin(l, WADI_SOP_GE, below, rows_of(l, bind));
    const wadi_lv last = bin(l, WADI_SOP_SUB, below, num(l, 1));
    return (wadi_target_rows){wadi_lb_select(b, WADI_I64, is_first, num(l, INT64_MIN), from),
                              wadi_lb_select(b, WADI_I64, is_last, num(l, INT64_MAX), last)};
}

static void own_range(wadi_lower *l, const wadi_unit *u, wadi_lv spans, wadi_lv k) {
    wadi_lb *b = &l->b;
    const wadi_target_rows rows = rows_in(l, u->bind, k);
    const wadi_lv each = height(l, u->bind), first = bin(l, WADI_SOP_MUL, k, each);
    wadi_lv from, below;
    wadi_lower_permute_row_defaults(
        l, u->bind, u->extent, u->pointer, first,
        bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, first, each), rows_of(l, u->bind)));
    const wadi_lv part = wadi_lb_for(b, num(l, 0), parts_of(l, u->bind), 1, "part");
    const reach r = reach_of(l, u->bind, spans, part);
    wadi_lb_if(
        b, bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_LE, r.first, k), bin(l, WADI_SOP_LE, k, r.last)));
    part_at(l, u->bind, part, &from, &below);
    wadi_lower_permute_rows(l, u->bind, u->extent, u->pointer, from, below, &rows);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static void range_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const wadi_lv k = wadi_flat_piece(l, u);
    wadi_unit of = *u;
    wadi_lv spans;
    of.table += may_have_tables(l, u->bind) ? 1 : 0;
    wadi_flat_table(l, &of, &spans);
    const wadi_lv no = wadi_lb_bool(b, false);
    const wadi_lv near = wadi_lb_var(b, WADI_BOOL, false, no, "near");
    wadi_lb_if(b, is_shared(l, u->bind));
    wadi_lb_set(b, near, is_near(l, u->bind, spans));
    wadi_lb_end(b);
    wadi_lb_if(b, wadi_lb_get(b, near));
    own_range(l, u, spans, k);
    wadi_lb_else(b);
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, k, num(l, 0)));
    if (may_have_tables(l, u->bind))
        wadi_flat_permute_merge(l, u);
    else
        wadi_lower_permute(l, u->bind, u->extent, u->pointer);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static wadi_lv units(wadi_lower *l, const wadi_bind *bind) {
    return if_shared(l, bind, ranges(l), 1);
}

/* ---- the steps ---- */

wadi_status wadi_flat_permute_near(wadi_flat *c, const wadi_bind *bind, int slot, int tables,
                                   const char *tag) {
    static const wadi_cut of_spans = {.extents = span_extents,
                                      .rows = parts,
                                      .unit = note_span,
                                      .whole = true,
                                      .uncounted = true};
    static const wadi_cut of_ranges = {
        .rows = units, .unit = range_unit, .whole = true, .apart = true};
    const wadi_array_type span = {.rank = 2, .elem = wadi_elem_scalar(WADI_I64)};
    const char *spanning = wadi_arena_printf(c->y->arena, "%sspans", tag ? tag : "");
    int spans = -1;
    if (!spanning) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_slot(c, "spans", WADI_SLOT_ONCE, &span, &spans));
    WADI_TRY(wadi_flat_cut(c, bind, spans, &of_spans, spanning, -1, true));
    return wadi_flat_cut(c, bind, slot, &of_ranges, tag, tables < 0 ? spans : tables, true);
}

/* Whether dimension 0 of the array is known to have fewer than `least`. */
static bool is_short(const wadi_flat *c, wadi_val array, int64_t least) {
    int64_t known = 0;
    const wadi_ext n = wadi_shapes_extent(c->y->shapes, array, 0, 0);
    return n != WADI_EXT_NONE && wadi_ext_is_const(c->y->shapes->extents, n, &known) &&
           known < least;
}

/* A fault in the defaults is told before all others, so they have none: ranges are computed side by side. Where targets follow the index, one worker
 * has SIMD code. */
bool wadi_flat_permute_is_near(wadi_flat *c, const wadi_bind *bind) {
    const wadi_value *v = c->y->m->values;
    const wadi_val from = bind->args[1], to = bind->results[0];
    const int rank = v[to].type.array[0].rank;
    return !c->y->grouped && !c->body->stream && rank > 0 && v[from].type.array[0].rank == 1 &&
           !is_short(c, from, LEAST) && !is_short(c, to, rank == 1 ? PLACES : ROWS) &&
           wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP &&
           (wadi_flat_permute_is_in_place(c, bind) ||
            wadi_flat_is_harmless(c, bind->args[0], false)) &&
           wadi_flat_tells(c, bind, wadi_lower_permute_can_ask) &&
           !wadi_flat_tells(c, bind, wadi_lower_permute_is_apart);
}
