/* Scans whose blocks are computed by several workers: reduce, combine the blocks' totals, scan again from what is carried in.
 *
 * The law of operators/reduce_tree.h defines a result by its block's own scan and by what is carried into the block, which
 * depends on the last elements of the own scans of the blocks before and on nothing else. (Blelloch 1990, Prefix sums and their
 * applications.) */

#include <string.h>

#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/top.h"
#include "operators/reduce_tree.h"

typedef struct scan {
    const wadi_bind *bind;
    int rank, fields;
    const wadi_type *type;
    const wadi_lv *ix; /* of the row */
    wadi_lv n;         /* elements of the row */
    wadi_lv blk, from, below;
    bool any_order;
    /* results of a block */
    const wadi_lv *extent, *pointer;
    const wadi_scan_table *table;
    const wadi_scan_chain *chain;
    wadi_lv local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS]; /* variables */
    wadi_lv z[WADI_MAX_FIELDS];
} scan;

static scan scan_of(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv blk) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, array);
    scan c = {.bind = bind,
              .rank = t->rank,
              .fields = t->elem.fields,
              .type = t->elem.type,
              .ix = ix,
              .n = wadi_lower_extent(l, array, t->rank - 1),
              .blk = blk,
              .any_order = wadi_fun_has_any_order(bind->funs[0])};
    wadi_lb *b = &l->b;
    const wadi_lv size = wadi_lb_i64(b, WADI_SCAN_BLOCK);
    c.from = wadi_lb_bin(b, WADI_SOP_MUL, blk, size);
    c.below = wadi_lb_bin(b, WADI_SOP_MIN, wadi_lb_bin(b, WADI_SOP_ADD, c.from, size), c.n);
    return c;
}

static void source(wadi_lower *l, const scan *c, wadi_lv i, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = wadi_lb_range(b, i, wadi_lb_i64(b, 0),
                                    wadi_lb_bin(b, WADI_SOP_SUB, c->n, wadi_lb_i64(b, 1)));
    wadi_lower_read(l, c->bind->args[c->bind->nargs - 1], ix, out);
}

static void combine(wadi_lower *l, const scan *c, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    wadi_lv args[2 * WADI_MAX_FIELDS];
    memcpy(args, acc, (size_t)c->fields * sizeof *args);
    memcpy(args + c->fields, x, (size_t)c->fields * sizeof *args);
    wadi_lower_apply(l, c->bind->funs[0], args, out);
}

static void declare(wadi_lower *l, const scan *c, const char *name, wadi_lv *var) {
    for (int f = 0; f < c->fields; f++)
        var[f] = wadi_lb_var(&l->b, c->type[f], false, WADI_LV_NONE, name);
}

static void get(wadi_lower *l, const scan *c, const wadi_lv *var, wadi_lv *out) {
    for (int f = 0; f < c->fields; f++) out[f] = wadi_lb_get(&l->b, var[f]);
}

static void set(wadi_lower *l, const scan *c, const wadi_lv *var, const wadi_lv *v) {
    for (int f = 0; f < c->fields; f++) wadi_lb_set(&l->b, var[f], v[f]);
}

static wadi_lv entry(wadi_lower *l, const scan *c, const wadi_scan_table *t, wadi_lv blk) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = blk;
    return wadi_lower_linear(l, c->rank, t->extent, ix);
}

static void combine_lasts(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                          wadi_lv *out) {
    combine(l, env, acc, x, out);
}

/* The top of a row's blocks, whose carries go to these variables. */
static wadi_top top_of(wadi_lower *l, const scan *c, const wadi_lv *carry) {
    wadi_top t = {.fields = c->fields,
                  .combine = combine_lasts,
                  .env = c,
                  .any_order = c->any_order,
                  .carries = true};
    memcpy(t.type, c->type, (size_t)c->fields * sizeof *t.type);
    memcpy(t.total, carry, (size_t)c->fields * sizeof *carry);
    wadi_top_declare(l, &t);
    return t;
}

static wadi_lv second(wadi_lower *l, wadi_lv first) {
    return wadi_lb_bin(&l->b, WADI_SOP_ADD, first, wadi_lb_i64(&l->b, 1));
}

/* ---- lasts ---- */

static void reduce(wadi_lower *l, void *env) {
    const scan *c = env;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    source(l, c, c->from, x);
    set(l, c, c->local, x);
    const wadi_lv i = wadi_lb_for(&l->b, second(l, c->from), c->below, 1, "i");
    source(l, c, i, x);
    get(l, c, c->local, acc);
    combine(l, c, acc, x, all);
    set(l, c, c->local, all);
    wadi_lb_end(&l->b);
}

void wadi_lower_scan_last(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                          const wadi_lv *ix, wadi_lv blk) {
    scan c = scan_of(l, bind, ix, blk);
    wadi_lv last[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    declare(l, &c, "local", c.local);
    wadi_lower_versions(l, reduce, &c);
    get(l, &c, c.local, last);
    const wadi_lv at = entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(&l->b, t->pointer[f], at, last[f]);
}

/* ---- carries ---- */

void wadi_lower_scan_carries(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                             const wadi_lv *ix) {
    wadi_lb *b = &l->b;
    const scan c = scan_of(l, bind, ix, wadi_lb_i64(b, 0));
    wadi_lv x[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    declare(l, &c, "carry", carry);
    const wadi_top top = top_of(l, &c, carry);
    const wadi_lv first = entry(l, &c, t, wadi_lb_i64(b, 0));
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_fresh(b, t->pointer[f], first);
    wadi_top_first(l, &top, x);
    const wadi_lv blk = wadi_lb_for(b, wadi_lb_i64(b, 1), t->extent[c.rank - 1], 1, "blk");
    const wadi_lv at = entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_fresh(b, t->pointer[f], at);
    wadi_top_next(l, &top, second(l, blk), WADI_LV_NONE, x);
    get(l, &c, carry, x);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(b, t->pointer[f], at, x[f]);
    wadi_lb_end(b);
}

/* ---- results ---- */

static bool has_start(const scan *c) {
    return c->bind->nargs == 2;
}

static void store(wadi_lower *l, const scan *c, wadi_lv at, const wadi_lv *v) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = at;
    const wadi_lv linear = wadi_lower_linear(l, c->rank, c->extent, ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(&l->b, c->pointer[f], linear, v[f]);
}

/* Result i, whose element is x; `acc` NULL: the first of the block. */
static void result(wadi_lower *l, const scan *c, wadi_lv i, const wadi_lv *acc, bool carried) {
    wadi_lv x[WADI_MAX_FIELDS], local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS],
        all[WADI_MAX_FIELDS];
    source(l, c, i, x);
    memcpy(local, x, sizeof local);
    get(l, c, c->carry, carry);
    if (acc) combine(l, c, acc, x, local);
    /* in any order: the running value has the carry in it */
    if (carried && c->any_order && !acc) combine(l, c, carry, x, local);
    set(l, c, c->local, local);
    memcpy(all, local, sizeof all);
    if (carried && !c->any_order) combine(l, c, carry, local, all);
    if (c->any_order) set(l, c, c->chain->top.total, all);
    if (has_start(c)) {
        memcpy(local, all, sizeof local);
        combine(l, c, c->z, local, all);
        i = second(l, i);
    }
    store(l, c, i, all);
}

static void results(wadi_lower *l, const scan *c, bool carried) {
    wadi_lv acc[WADI_MAX_FIELDS];
    result(l, c, c->from, NULL, carried);
    const wadi_lv i = wadi_lb_for(&l->b, second(l, c->from), c->below, 1, "i");
    get(l, c, c->local, acc);
    result(l, c, i, acc, carried);
    wadi_lb_end(&l->b);
}

/* What is carried into a block that is not the first of its row: from the blocks before if the kernel has met them all, else from
 * the table. */
static void carry_in(wadi_lower *l, const scan *c) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv before = wadi_lb_bin(b, WADI_SOP_SUB, c->blk, wadi_lb_i64(b, 1));
    wadi_lb_if(b, wadi_lb_get(b, c->chain->started));
    get(l, c, c->chain->top.total, x);
    set(l, c, c->carry, x);
    wadi_lb_else(b);
    const wadi_lv at = entry(l, c, c->table, before);
    for (int f = 0; f < c->fields; f++) x[f] = wadi_lb_load(b, c->table->pointer[f], at, NULL);
    set(l, c, c->carry, x);
    wadi_lb_end(b);
}

static void build(wadi_lower *l, void *env) {
    const scan *c = env;
    wadi_lb *b = &l->b;
    const wadi_lv zero = wadi_lb_i64(b, 0);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, c->blk, zero));
    results(l, c, true);
    wadi_lb_else(b);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, c->n, zero));
    results(l, c, false);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

void wadi_lower_scan_chain(wadi_lower *l, const wadi_bind *bind, wadi_scan_chain *out) {
    const wadi_elem *elem = &wadi_type_of(l, bind->results[0])->elem;
    const scan c = {.fields = elem->fields,
                    .type = elem->type,
                    .any_order = wadi_fun_has_any_order(bind->funs[0])};
    wadi_lv carry[WADI_MAX_FIELDS];
    out->started = wadi_lb_var(&l->b, WADI_BOOL, false, wadi_lb_bool(&l->b, false), "started");
    declare(l, &c, "carry", carry);
    out->top = top_of(l, &c, carry);
}

/* The chain goes on behind the block. In any order its end is what is carried; else a chain begins with a row, and takes the end of
 * each block's own scan that another block follows. */
static void chain_on(wadi_lower *l, const scan *c) {
    wadi_lb *b = &l->b;
    wadi_top top = c->chain->top;
    wadi_lv last[WADI_MAX_FIELDS];
    top.env = c;
    if (c->any_order) {
        wadi_lb_set(b, c->chain->started, wadi_lb_bool(b, true));
        return;
    }
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LT, c->below, c->n));
    get(l, c, c->local, last);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_EQ, c->blk, wadi_lb_i64(b, 0)));
    wadi_top_first(l, &top, last);
    wadi_lb_set(b, c->chain->started, wadi_lb_bool(b, true));
    wadi_lb_else(b);
    wadi_lb_if(b, wadi_lb_get(b, c->chain->started));
    wadi_top_next(l, &top, second(l, c->blk), WADI_LV_NONE, last);
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

void wadi_lower_scan_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                           wadi_lv blk, const wadi_scan_chain *chain) {
    wadi_lb *b = &l->b;
    scan c = scan_of(l, bind, ix, blk);
    if (l->status || b->failed) return;
    c.extent = extent;
    c.pointer = pointer;
    c.table = t;
    c.chain = chain;
    declare(l, &c, "local", c.local);
    declare(l, &c, "carry", c.carry);
    if (has_start(&c)) wadi_lower_read(l, bind->args[0], NULL, c.z);
    const wadi_lv later = wadi_lb_bin(b, WADI_SOP_GT, blk, wadi_lb_i64(b, 0));
    wadi_lb_if(b, later);
    carry_in(l, &c);
    if (has_start(&c)) {
        wadi_lb_else(b);
        store(l, &c, wadi_lb_i64(b, 0), c.z);
    }
    wadi_lb_end(b);
    wadi_lower_versions(l, build, &c);
    chain_on(l, &c);
}
