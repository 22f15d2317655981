/* expand: a loop over the elements, and inside it one over what the element yields. */
#include "codegen/kernel/lower.h"

typedef struct expanding {
    const wadi_bind *bind;
    int fields; /* of an element of the vector */
    const wadi_lv *pointer;
    wadi_lv total;
    wadi_lv from, n;            /* the element's part of the result */
    wadi_lv x[WADI_MAX_PARAMS]; /* the element, then which of its results */
} expanding;

static void build(wadi_lower *l, void *env) {
    expanding *c = env;
    wadi_lb *b = &l->b;
    wadi_lv out[WADI_MAX_FIELDS];
    c->x[c->fields] = wadi_lb_for(b, wadi_lb_i64(b, 0), c->n, 1, "j");
    wadi_lower_apply(l, c->bind->funs[0], c->x, out);
    const wadi_lv at = wadi_lb_bin(b, WADI_SOP_ADD, c->from, c->x[c->fields]);
    for (int f = 0; f < c->bind->funs[0]->body->nyields; f++)
        wadi_lb_store(b, c->pointer[f], at, out[f]);
    wadi_lower_end_innermost(l);
}

static void element(wadi_lower *l, void *env, const wadi_lv *ix) {
    expanding *c = env;
    wadi_lower_segment(l, c->bind, 1, ix[0], c->total, &c->from, &c->n);
    wadi_lower_read(l, c->bind->args[2], ix, c->x);
    wadi_lower_versions(l, build, c);
}

static void expect_equal(wadi_lower *l, const wadi_bind *bind, wadi_lv x, wadi_lv y,
                         const char *what) {
    wadi_lb_if(&l->b, wadi_lb_bin(&l->b, WADI_SOP_NE, x, y));
    wadi_lower_fault(l, WADI_FAULT_SHAPE, wadi_layout_place(l->y, bind->op->name, what, bind->loc),
                     x, y);
    wadi_lb_end(&l->b);
}

void wadi_lower_expand(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer) {
    expanding c = {.bind = bind, .pointer = pointer, .total = extent[0]};
    wadi_lb *b = &l->b;
    if (l->status || b->failed) return;
    c.fields = wadi_type_of(l, bind->args[2])->elem.fields;
    const wadi_lv zero = wadi_lb_i64(b, 0), n = wadi_lower_extent(l, bind->args[2], 0);
    expect_equal(l, bind, wadi_lower_offset(l, bind, 1, zero), zero, "the first offset and zero");
    expect_equal(l, bind, wadi_lower_offset(l, bind, 1, n), c.total,
                 "the last offset and the total");
    wadi_lower_nest(l, 1, &n, element, &c);
}
