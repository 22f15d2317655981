/* Chooses between tiles of a fold over all pairs and its rows one by one. */
#include "codegen/kernel/pairs.h"

#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"

/* Rows [from, below) of the part, one after the other. */
static void by_rows(wadi_lower *l, const wadi_pairs_part *part) {
    wadi_lv ix[WADI_MAX_RANK];
    const int rank = wadi_type_of(l, part->bind->results[0])->rank;
    memcpy(ix, part->ix, (size_t)(rank - 2) * sizeof *ix);
    const wadi_lv row = wadi_lb_for(&l->b, part->from[0], part->below[0], 1, "row");
    const wadi_lv last = bin(l, WADI_SOP_SUB, part->extent[rank - 2], num(l, 1));
    ix[rank - 2] = wadi_lb_range(&l->b, row, num(l, 0), last);
    wadi_lower_fill_row(l, part->bind, part->extent, part->pointer, ix, part->from[1],
                        part->below[1]);
    wadi_lb_end(&l->b);
}

static void build_part(wadi_lower *l, void *env) {
    const wadi_pairs_part *part = env;
    wadi_pairs p;
    if (wadi_pairs_find(l, part, &p))
        wadi_pairs_tiles(l, &p, part);
    else
        by_rows(l, part);
}

void wadi_lower_pairs_part(wadi_lower *l, const wadi_pairs_part *part) {
    wadi_pairs_part p = *part;
    if (l->status || l->b.failed) return;
    wadi_lower_versions(l, build_part, &p);
}

/* The part that is the whole matrix at outer index `ix`. */
static wadi_pairs_part whole(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, const wadi_lv *ix) {
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    return (wadi_pairs_part){.bind = bind,
                             .ix = ix,
                             .from = {num(l, 0), num(l, 0)},
                             .below = {extent[rank - 2], extent[rank - 1]},
                             .extent = extent,
                             .pointer = pointer};
}

typedef struct trying {
    wadi_pairs_part part;
    bool found;
} trying;

static void build_trial(wadi_lower *l, void *env) {
    trying *t = env;
    wadi_pairs p;
    if (l->checking.version && l->checking.version->fast)
        t->found = wadi_pairs_find(l, &t->part, &p);
}

/* Opens loops over the outer dimensions. */
static int outer_loops(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent, wadi_lv *ix) {
    const int outer = wadi_type_of(l, bind->results[0])->rank - 2;
    for (int d = 0; d < outer; d++) ix[d] = wadi_lb_for(&l->b, num(l, 0), extent[d], 1, "outer");
    return outer;
}

bool wadi_lower_pairs_has(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv extent[WADI_MAX_RANK], ix[WADI_MAX_RANK];
    int64_t known = 1;
    if (!wadi_lower_pairs_may(l, bind) || l->status || l->b.failed) return false;
    const bool is_known = wadi_lb_is_const(&l->b, wadi_lower_pairs_fit(l, bind), &known);
    if (is_known && !known) return false;
    wadi_lower_extents(l, bind->results[0], extent);
    const int outer = outer_loops(l, bind, extent, ix);
    trying t = {.part = whole(l, bind, extent, NULL, ix)};
    if (!l->b.failed) wadi_lower_versions(l, build_trial, &t);
    for (int d = 0; d < outer; d++) wadi_lb_end(&l->b);
    return t.found;
}

/* Opens a loop over parts of the rows, about as many each as a unit of schedule flat has: packed, all rows could take as much memory as the
 * array. */
static void open_rows(wadi_lower *l, wadi_pairs_part *part) {
    const wadi_lv rows = part->below[0];
    const wadi_lv parts =
        bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_QUOT, rows, num(l, WADI_PAIRS_UNIT_ROWS)), num(l, 1));
    const wadi_lv at = wadi_lb_for(&l->b, num(l, 0), parts, 1, "part");
    const wadi_lv next = bin(l, WADI_SOP_ADD, at, num(l, 1));
    part->from[0] = bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_MUL, rows, at), parts);
    part->below[0] = bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_MUL, rows, next), parts);
}

bool wadi_lower_pairs_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer) {
    wadi_lv ix[WADI_MAX_RANK];
    if (!wadi_lower_pairs_may(l, bind) || l->checking.trial) return false;
    wadi_lscope *aside = wadi_lb_aside(&l->b);
    const bool has = wadi_lower_pairs_has(l, bind);
    wadi_lb_aside_end(&l->b, aside);
    if (!has || l->b.failed) return false;
    wadi_lb_if(&l->b, wadi_lower_pairs_fit(l, bind));
    const int outer = outer_loops(l, bind, extent, ix);
    wadi_pairs_part part = whole(l, bind, extent, pointer, ix);
    open_rows(l, &part);
    wadi_lower_pairs_part(l, &part);
    for (int d = 0; d <= outer; d++) wadi_lb_end(&l->b);
    wadi_lb_else(&l->b);
    wadi_lower_fill_elements(l, bind, extent, pointer);
    wadi_lb_end(&l->b);
    return true;
}
