/* Schedule flat of permute: patches that are combined into a large array. Each worker takes its share of the rows that they go
 * to.
 *
 * The rows of the result (its outermost dimension) are dealt out in bands of 16. A unit goes through the whole source and
 * combines what goes to its own bands, in the order of the source. So every element of the result is combined in that order,
 * whoever does it, and sums of floating-point numbers have the same bits for any number of workers. Whatever a unit skips
 * costs it one test per patch, or one per row of a patch. This is done only for patches whose rows are known before their
 * elements (permute.c), and only if several workers have enough to do. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"

static wadi_lv units(wadi_lower *l, const wadi_bind *bind) {
    const int rank = wadi_type_of(l, bind->args[1])->rank;
    wadi_lv source[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->args[1], source);
    const wadi_lv all = wadi_lower_size(l, rank, source);
    return wadi_lower_shares(l, all, wadi_lower_size(l, 2, source + rank - 2));
}

/* ---- the defaults ---- */

static void copy_element(wadi_lower *l, void *env, const wadi_lv *ix) {
    const wadi_unit *u = env;
    const wadi_array_type *t = wadi_type_of(l, u->bind->results[0]);
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lower_read(l, u->bind->args[0], ix, x);
    const wadi_lv at = wadi_lower_linear(l, t->rank, u->extent, ix);
    for (int f = 0; f < t->elem.fields; f++) wadi_lb_store(&l->b, u->pointer[f], at, x[f]);
}

static void copy_row(wadi_lower *l, const wadi_unit *u) {
    wadi_unit row = *u;
    wadi_lower_nest_row(l, wadi_type_of(l, u->bind->results[0])->rank, u->extent, u->ix,
                        copy_element, &row);
}

/* ---- the elements ---- */

/* One row, with as many pieces as there are units. */
static void no_rows(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    for (int d = 0; d < wadi_type_of(l, bind->results[0])->rank; d++) extent[d] = num(l, 1);
}

static wadi_lv all_units(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(extent);
    return units(l, bind);
}

static void scatter_share(wadi_lower *l, const wadi_unit *u) {
    wadi_lv extent[WADI_MAX_RANK];
    const wadi_lv piece = wadi_flat_piece(l, u);
    wadi_lower_extents(l, u->bind->results[0], extent);
    const wadi_share share = {piece, bin(l, WADI_SOP_SUB, u->pieces, num(l, 1))};
    wadi_lower_scatter(l, u->bind, extent, u->pointer, &share);
}

bool wadi_flat_shares(wadi_flat *c, const wadi_bind *bind) {
    const wadi_value *v = c->y->m->values;
    return !c->body->stream && c->level == 0 && v[bind->results[0]].type.array[0].rank >= 1 &&
           v[bind->args[1]].type.array[0].rank >= 2 &&
           wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP &&
           wadi_flat_tells(c, bind, wadi_lower_has_rows);
}

bool wadi_flat_permute_is_in_place(const wadi_flat *c, const wadi_bind *bind) {
    return c->y->takes[bind->results[0]] == wadi_layout_resolved(c->y, bind->args[0]);
}

wadi_status wadi_flat_scatter(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut copies = {.unit = copy_row, .lanes = true};
    static const wadi_cut shares = {no_rows, all_units, scatter_share, .lanes = true,
                                    .apart = true};
    const char *copying = wadi_arena_printf(c->y->arena, "%sdefaults", tag ? tag : "");
    if (!copying) return wadi_flat_no_memory(c);
    if (!wadi_flat_permute_is_in_place(c, bind))
        WADI_TRY(wadi_flat_cut(c, bind, slot, &copies, copying, -1, true));
    return wadi_flat_cut(c, bind, slot, &shares, tag, -1, false);
}
