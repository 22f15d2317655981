/* Prefix scans of a row, or of a segment of one: scanl, scanl1 and their forms over segments, by the law of operators/reduce_tree.h. */
#include "codegen/kernel/fields.h"
#include "codegen/kernel/scan.h"

#include <string.h>

#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/top.h"
#include "operators/reduce_tree.h"

typedef struct scanning {
    const wadi_bind *bind;
    int rank, fields;
    const wadi_type *type;
    const wadi_lv *extent, *pointer, *ix;
    wadi_lv from,
        to; /* where the part begins in the source's row, and where its first result goes in the result's row */
    wadi_lv last;     /* index of the source's row */
    wadi_lv n, shift; /* elements of the part; where its first scanned result goes, from `to` on */
    bool whole_row;
    wadi_lv z[WADI_MAX_FIELDS];
    bool has_z;
    /* variables: the block's own scan, what is carried into it */
    wadi_lv local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS];
    bool one; /* one running value serves for the whole row */
} scanning;

static void source(wadi_lower *l, const scanning *c, wadi_lv i, wadi_lv *out) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = i;
    if (!c->whole_row) /* this holds only after the check of the segment */
        ix[c->rank - 1] = wadi_lb_fact(&l->b, wadi_lb_bin(&l->b, WADI_SOP_ADD, c->from, i),
                                       wadi_lb_i64(&l->b, 0), c->last);
    wadi_lower_read(l, c->bind->args[c->bind->nargs - 1], ix, out);
}

static void combine(wadi_lower *l, const scanning *c, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    combine_fields(l, c->bind->funs[0], c->fields, acc, x, out);
}

static void store(wadi_lower *l, const scanning *c, wadi_lv at, const wadi_lv *v) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = wadi_lb_bin(&l->b, WADI_SOP_ADD, c->to, at);
    const wadi_lv linear = wadi_lower_linear(l, c->rank, c->extent, ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(&l->b, c->pointer[f], linear, v[f]);
}

/* Stores result i. `scan1`: the scan without z, which is f(carry, local) after the first block. With a z the result is f(z, scan1). */
static void result(wadi_lower *l, const scanning *c, wadi_lv i, const wadi_lv *scan1) {
    wadi_lv x[WADI_MAX_FIELDS];
    memcpy(x, scan1, (size_t)c->fields * sizeof *x);
    if (c->has_z) combine(l, c, c->z, scan1, x);
    store(l, c, wadi_lb_bin(&l->b, WADI_SOP_ADD, i, c->shift), x);
}

static void combine_lasts(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                          wadi_lv *out) {
    combine(l, env, acc, x, out);
}

/* The carry into the block that begins at `from` > 0. `local` still has the last result of the block before. */
static void carry_in(wadi_lower *l, const scanning *c, const wadi_top *top, wadi_lv from) {
    wadi_lb *b = &l->b;
    const wadi_lv size = wadi_lb_i64(b, WADI_SCAN_BLOCK);
    wadi_lv last[WADI_MAX_FIELDS];
    get_fields(l, c->fields, c->local, last);
    wadi_top_next(l, top, wadi_lb_bin(b, WADI_SOP_QUOT, from, size), WADI_LV_NONE, last);
}

/* One loop over [from, below), with the carry of the blocks before or without. */
static void block(wadi_lower *l, scanning *c, wadi_lv from, wadi_lv below, bool carried) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], local[WADI_MAX_FIELDS],
        carry[WADI_MAX_FIELDS];
    for (int pass = 0; pass < 2; pass++) {
        wadi_lv i = from;
        if (pass == 1)
            i = wadi_lb_for(b, wadi_lb_bin(b, WADI_SOP_ADD, from, wadi_lb_i64(b, 1)), below, 1,
                            "i");
        const wadi_lv last = wadi_lb_bin(b, WADI_SOP_SUB, c->n, wadi_lb_i64(b, 1));
        source(l, c, wadi_lb_range(b, i, wadi_lb_i64(b, 0), last), x);
        memcpy(local, x, sizeof local);
        if (pass == 1) {
            get_fields(l, c->fields, c->local, acc);
            combine(l, c, acc, x, local);
        }
        set_fields(l, c->fields, c->local, local);
        if (carried) {
            get_fields(l, c->fields, c->carry, carry);
            wadi_lv all[WADI_MAX_FIELDS];
            combine(l, c, carry, local, all);
            memcpy(local, all, sizeof local);
        }
        result(l, c, i, local);
        if (pass == 1) wadi_lb_end(b);
    }
}

static void build(wadi_lower *l, void *env) {
    scanning *c = env;
    wadi_lb *b = &l->b;
    const wadi_lv zero = wadi_lb_i64(b, 0), size = wadi_lb_i64(b, WADI_SCAN_BLOCK);
    int64_t n = 0;
    c->one = wadi_fun_has_any_order(c->bind->funs[0]) ||
             (wadi_lb_is_const(b, c->n, &n) && n <= WADI_SCAN_BLOCK);
    const wadi_lv first = c->one ? c->n : wadi_lb_bin(b, WADI_SOP_MIN, c->n, size);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, c->n, zero));
    block(l, c, zero, first, false);
    wadi_lb_end(b);
    if (c->one) return;
    wadi_top top = {.fields = c->fields, .combine = combine_lasts, .env = c, .carries = true};
    memcpy(top.type, c->type, (size_t)c->fields * sizeof *top.type);
    memcpy(top.total, c->carry, (size_t)c->fields * sizeof *top.total);
    wadi_top_declare(l, &top);
    const wadi_lv from = wadi_lb_for(b, size, c->n, WADI_SCAN_BLOCK, "from");
    const wadi_lv below =
        wadi_lb_bin(b, WADI_SOP_MIN, wadi_lb_bin(b, WADI_SOP_ADD, from, size), c->n);
    carry_in(l, c, &top, from);
    block(l, c, from, below, true);
    wadi_lb_end(b);
}

void wadi_lower_scan_part(wadi_lower *l, const wadi_scan_part *p) {
    wadi_lb *b = &l->b;
    const wadi_val array = p->bind->args[p->bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, array);
    scanning c = {.bind = p->bind,
                  .rank = t->rank,
                  .fields = t->elem.fields,
                  .type = t->elem.type,
                  .extent = p->extent,
                  .pointer = p->pointer,
                  .ix = p->ix,
                  .from = p->from,
                  .to = p->to,
                  .n = p->n,
                  .has_z = p->has_z};
    int64_t from = -1;
    if (l->b.failed || l->status) return;
    const wadi_lv length = wadi_lower_extent(l, array, t->rank - 1);
    c.last = wadi_lb_bin(b, WADI_SOP_SUB, length, wadi_lb_i64(b, 1));
    c.whole_row = wadi_lb_is_const(b, p->from, &from) && from == 0 && p->n == length;
    c.shift = wadi_lb_i64(b, c.has_z);
    if (c.has_z) {
        wadi_lower_read(l, p->bind->args[0], NULL, c.z);
        store(l, &c, wadi_lb_i64(b, 0), c.z);
    }
    for (int f = 0; f < c.fields; f++) {
        c.local[f] = wadi_lb_var(b, c.type[f], false, WADI_LV_NONE, "local");
        c.carry[f] = wadi_lb_var(b, c.type[f], false, WADI_LV_NONE, "carry");
    }
    wadi_lower_versions(l, build, &c);
}

void wadi_lower_scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_lv zero = wadi_lb_i64(&l->b, 0);
    const wadi_scan_part p = {.bind = bind,
                              .extent = extent,
                              .pointer = pointer,
                              .ix = outer_ix,
                              .from = zero,
                              .to = zero,
                              .n = wadi_lower_extent(l, array, wadi_type_of(l, array)->rank - 1),
                              .has_z = bind->nargs == 2};
    wadi_lower_scan_part(l, &p);
}
