/* expand: a loop over the elements, and inside it a loop over the results of each element. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/split.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/segment.h"

typedef struct expanding {
    const wadi_bind *bind;
    int fields; /* of an element of the vector */
    const wadi_lv *pointer;
    wadi_lv total;              /* the extent of the result */
    wadi_lv first, end;         /* the part of the result to compute; NONE: all of it */
    wadi_lv from;               /* where the element's results begin in the result */
    wadi_lv low, high;          /* which of the element's results are computed */
    wadi_lv x[WADI_MAX_PARAMS]; /* the element, then the number of its result */
} expanding;

static void build(wadi_lower *l, void *env) {
    expanding *c = env;
    wadi_lb *b = &l->b;
    wadi_lv out[WADI_MAX_FIELDS];
    wadi_lanes open;
    c->x[c->fields] = wadi_lanes_each(l, c->low, c->high, "j", &open);
    wadi_lower_apply(l, c->bind->funs[0], c->x, out);
    const wadi_lv at = bin(l, WADI_SOP_ADD, c->from, c->x[c->fields]);
    for (int f = 0; f < c->bind->funs[0]->body->nyields; f++)
        wadi_lb_store(b, c->pointer[f], at, out[f]);
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
}

static void element(wadi_lower *l, expanding *c, wadi_lv i) {
    wadi_lv n;
    const wadi_lower_position around = wadi_lower_at_element(l, 1, &i);
    wadi_lower_segment(l, c->bind, 1, i, c->total, &c->from, &n);
    c->low = num(l, 0);
    c->high = n;
    if (c->first != WADI_LV_NONE) {
        c->low = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_SUB, c->first, c->from), c->low);
        c->high = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, c->end, c->from), n);
    }
    wadi_lower_read(l, c->bind->args[2], &i, c->x);
    wadi_lower_versions(l, build, c);
    l->position = around;
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

/* ---- by lanes: a lane for each result looks for the element that it comes from ---- */

typedef struct seeking {
    const expanding *c;
    wadi_lv from, result;
} seeking;

/* The element of that number from `from` on ends behind the result. */
static wadi_lv ends_behind(wadi_lower *l, void *env, wadi_lv number) {
    const seeking *s = env;
    const wadi_lv next = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_ADD, s->from, number), num(l, 1));
    return bin(l, WADI_SOP_GT, wadi_lower_offset(l, s->c->bind, 1, next), s->result);
}

static void results(wadi_lower *l, const expanding *row, wadi_lv from, wadi_lv below) {
    wadi_lb *b = &l->b;
    expanding c = *row;
    wadi_lv out[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv r = wadi_lanes_each(l, c.first, bin(l, WADI_SOP_MIN, c.end, c.total), "r", &open);
    seeking s = {&c, from, r};
    const wadi_lv n = bin(l, WADI_SOP_SUB, below, from);
    const wadi_lv found = wadi_lower_search(l, n, ends_behind, &s);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, found, n));
    const wadi_lv last = bin(l, WADI_SOP_SUB, below, num(l, 1));
    const wadi_lv i = wadi_lb_fact(b, bin(l, WADI_SOP_ADD, from, found), num(l, 0), last);
    const wadi_lv begins = wadi_lower_offset(l, c.bind, 1, i);
    wadi_lower_read(l, c.bind->args[2], &i, c.x);
    c.x[c.fields] = bin(l, WADI_SOP_SUB, r, begins);
    wadi_lower_apply(l, c.bind->funs[0], c.x, out);
    for (int f = 0; f < c.bind->funs[0]->body->nyields; f++)
        wadi_lb_store(b, c.pointer[f], r, out[f]);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void check_segments(wadi_lower *l, const expanding *c, wadi_lv from, wadi_lv below) {
    wadi_lv begins, n;
    wadi_lanes open;
    const wadi_lv i = wadi_lanes_each(l, from, below, "i", &open);
    const wadi_lower_position around = wadi_lower_at_element(l, 1, &i);
    wadi_lower_segment(l, c->bind, 1, i, c->total, &begins, &n);
    l->position = around;
    wadi_lanes_end(l, &open);
}

/* All segments are checked in front of all results, so that these must not fault; else an element follows the other. */
static void by_lanes(wadi_lower *l, expanding *c, wadi_lv from, wadi_lv below) {
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    results(l, c, from, below);
    if (!wadi_lower_tried(l, &trial)) {
        elements(l, c, from, below);
        return;
    }
    check_segments(l, c, from, below);
    wadi_lb_merge(&l->b, trial.aside);
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
    if (wadi_lower_has_lanes(l))
        by_lanes(l, &c, from, below);
    else
        elements(l, &c, from, below);
}
