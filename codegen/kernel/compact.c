/* compact and partition: elements go where the count of those kept before them says.
 *
 * The loop is free of branches that depend on the data: an element that is not kept is written too, and the next one
 * overwrites it. A count that is too small or too large never leads out of the result; it is a fault at the end. */
#include "codegen/kernel/lower.h"

#include <string.h>

typedef struct compacting {
    const wadi_bind *bind;
    int rank, fields;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv n, count;                /* elements of the row; how many are kept */
    wadi_lv kept;                    /* variable: how many have been kept so far */
    wadi_lv start;                   /* where those not kept begin */
} compacting;

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

/* Whether the element at `ix` is kept; out: its fields, and then those of the other arrays. */
static wadi_lv keeps(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    wadi_lv keep = num(l, 0);
    for (int k = 1, n = 0; k < bind->nargs; k++) {
        wadi_lower_read(l, bind->args[k], ix, out + n);
        n += wadi_type_of(l, bind->args[k])->elem.fields;
    }
    wadi_lower_apply(l, bind->funs[0], out, &keep);
    return keep;
}

static wadi_lv as_number(wadi_lower *l, wadi_lv flag) {
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &flag);
}

static void expect_count(wadi_lower *l, const wadi_bind *bind, wadi_lv count, wadi_lv kept) {
    wadi_lb_if(&l->b, bin(l, WADI_SOP_NE, count, kept));
    wadi_lower_fault(
        l, WADI_FAULT_SHAPE,
        wadi_layout_place(l->y, bind->op->name, "the count and the elements kept", bind->loc),
        count, kept);
    wadi_lb_end(&l->b);
}

/* ---- compact ---- */

static void compact_element(wadi_lower *l, void *env, const wadi_lv *ix) {
    const compacting *c = env;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS];
    const wadi_lv keep = keeps(l, c->bind, ix, x);
    const wadi_lv at = wadi_lb_get(b, c->kept);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, at, c->count));
    for (int f = 0; f < c->fields; f++) wadi_lb_store(b, c->pointer[f], at, x[f]);
    wadi_lb_end(b);
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, at, as_number(l, keep)));
}

void wadi_lower_compact(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer) {
    compacting c = {.bind = bind,
                    .fields = wadi_type_of(l, bind->results[0])->elem.fields,
                    .extent = extent,
                    .pointer = pointer,
                    .count = extent[0]};
    if (l->status || l->b.failed) return;
    const wadi_lv n = wadi_lower_extent(l, bind->args[1], 0);
    c.kept = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "kept");
    wadi_lower_nest(l, 1, &n, compact_element, &c);
    expect_count(l, bind, c.count, wadi_lb_get(&l->b, c.kept));
}

/* ---- partition ---- */

/* i elements have been placed, so the next of the others goes to start + i - kept. Which of the two places it is is
 * computed without a branch: the data decides, and no processor guesses it. */
static wadi_lv place(wadi_lower *l, const compacting *c, wadi_lv i, wadi_lv kept, wadi_lv one) {
    const wadi_lv other = bin(l, WADI_SOP_SUB, bin(l, WADI_SOP_ADD, c->start, i), kept);
    const wadi_lv mask = wadi_lb_prim(&l->b, WADI_SOP_NEG, WADI_I64, 1, &one);
    const wadi_lv step = bin(l, WADI_SOP_AND, bin(l, WADI_SOP_SUB, kept, other), mask);
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, other, step),
               bin(l, WADI_SOP_SUB, c->n, num(l, 1)));
}

static void build_row(wadi_lower *l, void *env) {
    const compacting *c = env;
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_PARAMS];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    const wadi_lv i = wadi_lb_for(b, num(l, 0), c->n, 1, "i");
    ix[c->rank - 1] = i;
    const wadi_lv keep = keeps(l, c->bind, ix, x), one = as_number(l, keep);
    const wadi_lv kept = wadi_lb_get(b, c->kept);
    ix[c->rank - 1] = place(l, c, i, kept, one);
    const wadi_lv at = wadi_lower_linear(l, c->rank, c->extent, ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(b, c->pointer[f], at, x[f]);
    wadi_lb_set(b, c->kept, bin(l, WADI_SOP_ADD, kept, one));
    wadi_lb_end(b);
}

void wadi_lower_partition_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix) {
    const wadi_array_type *t = wadi_type_of(l, bind->results[0]);
    compacting c = {.bind = bind,
                    .rank = t->rank,
                    .fields = t->elem.fields,
                    .extent = extent,
                    .pointer = pointer,
                    .ix = outer_ix,
                    .n = extent[t->rank - 1]};
    wadi_lb *b = &l->b;
    if (l->status || b->failed) return;
    wadi_lower_read(l, bind->args[0], outer_ix, &c.count);
    c.start = bin(l, WADI_SOP_MAX, num(l, 0), bin(l, WADI_SOP_MIN, c.count, c.n)); /* 0..n */
    c.kept = wadi_lb_var(b, WADI_I64, false, num(l, 0), "kept");
    wadi_lower_versions(l, build_row, &c);
    expect_count(l, bind, c.count, wadi_lb_get(b, c.kept));
}
