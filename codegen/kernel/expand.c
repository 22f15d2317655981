/* expand: a loop over the elements, and inside it a loop over what each element gives. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/segment.h"

typedef struct expanding {
    const wadi_bind *bind;
    int fields; /* of an element of the vector */
    const wadi_lv *pointer;
    wadi_lv total, first, end; /* of the result: its extent, and the part to be made; NONE: all */
    wadi_lv from, low,
        high; /* the element's part of the result begins; which of its results are made */
    wadi_lv x[WADI_MAX_PARAMS]; /* the element, then which of its results */
} expanding;

static void build(wadi_lower *l, void *env) {
    expanding *c = env;
    wadi_lb *b = &l->b;
    wadi_lv out[WADI_MAX_FIELDS];
    c->x[c->fields] = wadi_lb_for(b, c->low, c->high, 1, "j");
    wadi_lower_apply(l, c->bind->funs[0], c->x, out);
    const wadi_lv at = bin(l, WADI_SOP_ADD, c->from, c->x[c->fields]);
    for (int f = 0; f < c->bind->funs[0]->body->nyields; f++)
        wadi_lb_store(b, c->pointer[f], at, out[f]);
    wadi_lower_end_innermost(l);
}

static void element(wadi_lower *l, expanding *c, wadi_lv i) {
    wadi_lv n;
    const wadi_lower_position around = wadi_lower_at_element(l, 1, &i);
    wadi_lower_segment(l, c->bind, 1, i, c->total, &c->from, &n);
    l->position = around;
    c->low = num(l, 0);
    c->high = n;
    if (c->first != WADI_LV_NONE) {
        c->low = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_SUB, c->first, c->from), c->low);
        c->high = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, c->end, c->from), n);
    }
    wadi_lower_read(l, c->bind->args[2], &i, c->x);
    wadi_lower_versions(l, build, c);
}

static void expect_equal(wadi_lower *l, const wadi_bind *bind, wadi_lv x, wadi_lv y,
                         const char *what) {
    wadi_lb_if(&l->b, bin(l, WADI_SOP_NE, x, y));
    wadi_lower_fault(l, WADI_FAULT_SHAPE, wadi_layout_place(l->y, bind->op->name, what, bind->loc),
                     x, y);
    wadi_lb_end(&l->b);
}

/* Offsets begin with 0 and end with the total. */
static void check_ends(wadi_lower *l, const expanding *c) {
    const wadi_lv zero = num(l, 0), n = wadi_lower_extent(l, c->bind->args[2], 0);
    expect_equal(l, c->bind, wadi_lower_offset(l, c->bind, 1, zero), zero,
                 "the first offset and zero");
    expect_equal(l, c->bind, wadi_lower_offset(l, c->bind, 1, n), c->total,
                 "the last offset and the total");
}

static void elements(wadi_lower *l, expanding *c, wadi_lv from, wadi_lv below) {
    const wadi_lv last = bin(l, WADI_SOP_SUB, wadi_lower_extent(l, c->bind->args[2], 0), num(l, 1));
    const wadi_lv i = wadi_lb_for(&l->b, from, below, 1, "i");
    element(l, c, wadi_lb_range(&l->b, i, num(l, 0), last));
    wadi_lb_end(&l->b);
}

void wadi_lower_expand(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer) {
    expanding c = {.bind = bind,
                   .fields = wadi_type_of(l, bind->args[2])->elem.fields,
                   .pointer = pointer,
                   .total = extent[0],
                   .first = WADI_LV_NONE};
    if (l->status || l->b.failed) return;
    check_ends(l, &c);
    elements(l, &c, num(l, 0), wadi_lower_extent(l, bind->args[2], 0));
}

void wadi_lower_expand_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, wadi_lv from, wadi_lv below, wadi_lv first,
                            wadi_lv end) {
    expanding c = {.bind = bind,
                   .fields = wadi_type_of(l, bind->args[2])->elem.fields,
                   .pointer = pointer,
                   .total = extent[0],
                   .first = first,
                   .end = end};
    if (l->status || l->b.failed) return;
    wadi_lb_if(&l->b, bin(l, WADI_SOP_EQ, first, num(l, 0)));
    check_ends(l, &c);
    wadi_lb_end(&l->b);
    elements(l, &c, from, below);
}
