/* concat: one loop per argument, which copies or computes its elements into their place in the result.
 *
 * A single loop that asks for every element which argument it belongs to would consist of masked loads, most of them from
 * beyond the argument. That is legal and very slow on some processors. So concat is a consumer: its arguments fuse into it,
 * and it fuses into nothing. */
#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/split.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"

typedef struct joining {
    const wadi_bind *bind;
    int rank, fields, dim;
    const wadi_lv *extent, *pointer; /* of the result */
    wadi_lv ix[WADI_MAX_RANK];       /* of the row */
    wadi_val arg;                    /* the argument whose part is written */
    wadi_lv start, n;                /* its place along the dimension */
    wadi_lv from, below;             /* of the row */
} joining;

static void build(wadi_lower *l, void *env) {
    joining *c = env;
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    wadi_lanes open;
    c->ix[c->rank - 1] = wadi_lanes_each(l, c->from, c->below, "i", &open);
    memcpy(ix, c->ix, sizeof ix);
    const wadi_lv within = bin(l, WADI_SOP_SUB, ix[c->dim], c->start);
    const wadi_lv last = bin(l, WADI_SOP_SUB, c->n, wadi_lb_i64(b, 1));
    ix[c->dim] = wadi_lb_fact(b, within, wadi_lb_i64(b, 0), last);
    wadi_lower_read(l, c->arg, ix, x);
    const wadi_lv at = wadi_lower_linear(l, c->rank, c->extent, c->ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(b, c->pointer[f], at, x[f]);
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
}

/* The argument's part of [from, below) of the row. */
static void part(wadi_lower *l, const joining *row) {
    wadi_lb *b = &l->b;
    joining c = *row;
    const wadi_lv end = bin(l, WADI_SOP_ADD, c.start, c.n);
    if (c.dim == c.rank - 1) {
        c.from = bin(l, WADI_SOP_MAX, c.from, c.start);
        c.below = bin(l, WADI_SOP_MIN, c.below, end);
        wadi_lower_versions(l, build, &c);
        return;
    }
    const wadi_lv i = c.ix[c.dim];
    const wadi_lv reached = bin(l, WADI_SOP_GE, i, c.start);
    wadi_lb_if(b, bin(l, WADI_SOP_LAND, reached, bin(l, WADI_SOP_LT, i, end)));
    wadi_lower_versions(l, build, &c);
    wadi_lb_end(b);
}

static void part_of_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, const wadi_lv *outer_ix, wadi_lv from,
                        wadi_lv below) {
    const wadi_array_type *t = wadi_type_of(l, bind->results[0]);
    joining c = {.bind = bind,
                 .rank = t->rank,
                 .fields = t->elem.fields,
                 .dim = (int)bind->attrs[0],
                 .extent = extent,
                 .pointer = pointer,
                 .start = wadi_lb_i64(&l->b, 0),
                 .from = from,
                 .below = below};
    if (l->status || l->b.failed) return;
    if (c.rank > 1) memcpy(c.ix, outer_ix, (size_t)(c.rank - 1) * sizeof *c.ix);
    for (int k = 0; k < bind->nargs; k++) {
        c.arg = bind->args[k];
        c.n = wadi_lower_extent(l, c.arg, c.dim);
        part(l, &c);
        c.start = bin(l, WADI_SOP_ADD, c.start, c.n);
    }
}

const wadi_skeleton_row wadi_skeleton_concat = {.part = part_of_row};
