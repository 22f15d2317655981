/* Segments of the innermost dimension: where they are, checked, and the operators that take each as a row of its own. */
#include "codegen/kernel/lower.h"

#include <string.h>

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

/* ---- where a segment is ---- */

wadi_lv wadi_lower_offset(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j) {
    wadi_lv at = j, x[WADI_MAX_FIELDS] = {0};
    wadi_lower_read(l, bind->args[arg], &at, x);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, x);
}

wadi_lv wadi_lower_segments(wadi_lower *l, const wadi_bind *bind, int arg) {
    return bin(l, WADI_SOP_SUB, wadi_lower_extent(l, bind->args[arg], 0), num(l, 1));
}

/* x > y as unsigned numbers: a negative x is beyond every y */
static wadi_lv beyond(wadi_lower *l, wadi_lv x, wadi_lv y) {
    const wadi_lv ux = wadi_lb_prim(&l->b, WADI_SOP_BITCAST, WADI_U64, 1, &x);
    const wadi_lv uy = wadi_lb_prim(&l->b, WADI_SOP_BITCAST, WADI_U64, 1, &y);
    return bin(l, WADI_SOP_GT, ux, uy);
}

void wadi_lower_segment(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j, wadi_lv extent,
                        wadi_lv *out_from, wadi_lv *out_n) {
    wadi_lb *b = &l->b;
    const wadi_lv from = wadi_lower_offset(l, bind, arg, j);
    const wadi_lv to = wadi_lower_offset(l, bind, arg, bin(l, WADI_SOP_ADD, j, num(l, 1)));
    if (!l->y->unchecked && !wadi_lower_not_harmless(l)) {
        /* 0 <= from <= to <= extent */
        wadi_lb_if(b, bin(l, WADI_SOP_LOR, beyond(l, from, to), beyond(l, to, extent)));
        wadi_lower_fault(l, WADI_FAULT_SEGMENT,
                         wadi_layout_place(l->y, bind->op->name, "", bind->loc), j, to);
        wadi_lb_end(b);
    }
    *out_from = wadi_lb_name(b, wadi_lb_fact(b, from, num(l, 0), extent), "from");
    *out_n =
        wadi_lb_name(b, wadi_lb_fact(b, bin(l, WADI_SOP_SUB, to, from), num(l, 0), extent), "n");
}

/* ---- reductions ---- */

typedef struct source {
    wadi_val array;
    int rank;
    const wadi_lv *ix;
    wadi_lv from, last; /* where the segment begins; the last index of the dimension */
} source;

/* What is known of the index holds behind the check alone. */
static void element(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out) {
    const source *s = env;
    wadi_lv ix[WADI_MAX_RANK];
    if (s->rank > 1) memcpy(ix, s->ix, (size_t)(s->rank - 1) * sizeof *ix);
    ix[s->rank - 1] = wadi_lb_fact(&l->b, bin(l, WADI_SOP_ADD, s->from, i), num(l, 0), s->last);
    wadi_lower_read(l, s->array, ix, out);
}

void wadi_lower_fold_seg_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    const wadi_val a = bind->args[bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, a);
    const wadi_lv extent = wadi_lower_extent(l, a, t->rank - 1);
    source s = {.array = a, .rank = t->rank, .ix = ix};
    wadi_row r = {.f = bind->funs[0],
                  .fields = t->elem.fields,
                  .each = t->elem.fields,
                  .type = t->elem.type,
                  .elem = element,
                  .env = &s};
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    s.last = bin(l, WADI_SOP_SUB, extent, num(l, 1));
    wadi_lower_segment(l, bind, bind->nargs - 2, ix[t->rank - 1], extent, &s.from, &r.n);
    wadi_lower_fold_row(l, bind, &r, out);
}

/* ---- scans ---- */

typedef struct scanning {
    const wadi_bind *bind;
    wadi_scan_part part;
    bool whole; /* one result more per segment */
} scanning;

/* Zeros at [from, below) of the row. */
static void zeros(wadi_lower *l, const wadi_scan_part *p, wadi_lv from, wadi_lv below) {
    wadi_lb *b = &l->b;
    const wadi_array_type *t = wadi_type_of(l, p->bind->results[0]);
    wadi_lv ix[WADI_MAX_RANK];
    if (t->rank > 1) memcpy(ix, p->ix, (size_t)(t->rank - 1) * sizeof *ix);
    ix[t->rank - 1] = wadi_lb_for(b, from, below, 1, "i");
    const wadi_lv at = wadi_lower_linear(l, t->rank, p->extent, ix);
    for (int f = 0; f < t->elem.fields; f++)
        wadi_lb_store(b, p->pointer[f], at,
                      wadi_lb_const(b, (wadi_scalar){.type = t->elem.type[f]}));
    wadi_lower_end_innermost(l);
}

/* Segments follow one another, so the places of none are in front of the first and behind the last. */
static void zero_outside(wadi_lower *l, const scanning *c, wadi_lv n) {
    wadi_lb *b = &l->b;
    const int offsets = c->bind->nargs - 2;
    const wadi_lv zero = num(l, 0);
    const wadi_lv extent = c->part.extent[wadi_type_of(l, c->bind->results[0])->rank - 1];
    const wadi_lv first = wadi_lower_offset(l, c->bind, offsets, zero);
    wadi_lv end = wadi_lower_offset(l, c->bind, offsets, n);
    if (c->whole) end = bin(l, WADI_SOP_ADD, end, n);
    zeros(l, &c->part, zero, bin(l, WADI_SOP_MIN, first, extent));
    zeros(l, &c->part, wadi_lb_name(b, bin(l, WADI_SOP_MAX, end, zero), "end"), extent);
}

static void scan_segment(wadi_lower *l, scanning *c, wadi_lv j) {
    wadi_lb *b = &l->b;
    const wadi_val a = c->bind->args[c->bind->nargs - 1];
    const wadi_lv length = wadi_lower_extent(l, a, wadi_type_of(l, a)->rank - 1);
    wadi_scan_part *p = &c->part;
    wadi_lower_segment(l, c->bind, c->bind->nargs - 2, j, length, &p->from, &p->n);
    p->to = c->whole ? bin(l, WADI_SOP_ADD, p->from, j) : p->from;
    if (!p->has_z || c->whole) {
        wadi_lower_scan_part(l, p);
        return;
    }
    wadi_lb_if(b, bin(l, WADI_SOP_GT, p->n, num(l, 0)));
    p->n = bin(l, WADI_SOP_SUB, p->n, num(l, 1));
    wadi_lower_scan_part(l, p);
    wadi_lb_end(b);
}

void wadi_lower_scan_segments(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix) {
    wadi_lb *b = &l->b;
    const bool has_z = bind->nargs == 3;
    scanning c = {.bind = bind,
                  .part = {.bind = bind,
                           .extent = extent,
                           .pointer = pointer,
                           .ix = outer_ix,
                           .has_z = has_z},
                  .whole = has_z && bind->attrs[0] == 1};
    if (l->status || b->failed) return;
    const wadi_lv n = wadi_lower_segments(l, bind, bind->nargs - 2);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, n, num(l, 0)));
    wadi_lower_fault(l, WADI_FAULT_EXTENT,
                     wadi_layout_place(l->y, bind->op->name, "the offsets are empty", bind->loc), n,
                     n);
    wadi_lb_end(b);
    zero_outside(l, &c, wadi_lb_fact(b, n, num(l, 0), WADI_LV_NONE));
    const wadi_lv j = wadi_lb_for(b, num(l, 0), n, 1, "j");
    scan_segment(l, &c, j);
    wadi_lb_end(b);
}
