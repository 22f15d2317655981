/* Scans whose blocks are computed by several workers: reduce, combine the blocks' totals, scan again from what is carried in.
 *
 * The law of operators/reduce_tree.h defines a result by its block's own scan and by what is carried into the block, which
 * depends on the last elements of the own scans of the blocks before and on nothing else. (Blelloch 1990, Prefix sums and their
 * applications.) */

#include <string.h>

#include "codegen/kernel/check.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/scan_block.h"
#include "codegen/kernel/top.h"
#include "operators/reduce_tree.h"

wadi_scan_block wadi_lower_scan_of(wadi_lower *l, const wadi_bind *bind,
                                   const wadi_scan_stretch *part, const wadi_lv *ix, wadi_lv blk) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, array);
    wadi_scan_block c = {.bind = bind,
                         .rank = t->rank,
                         .fields = t->elem.fields,
                         .type = t->elem.type,
                         .ix = ix,
                         .part = part,
                         .has_z = part ? part->has_z : bind->nargs == 2,
                         .n = part ? part->n : wadi_lower_extent(l, array, t->rank - 1),
                         .blk = blk,
                         .any_order = wadi_fun_has_any_order(bind->funs[0])};
    wadi_lb *b = &l->b;
    const wadi_lv size = wadi_lb_i64(b, WADI_SCAN_BLOCK);
    c.from = wadi_lb_bin(b, WADI_SOP_MUL, blk, size);
    c.below = wadi_lb_bin(b, WADI_SOP_MIN, wadi_lb_bin(b, WADI_SOP_ADD, c.from, size), c.n);
    return c;
}

void wadi_lower_scan_source(wadi_lower *l, const wadi_scan_block *c, wadi_lv i, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    const wadi_val array = c->bind->args[c->bind->nargs - 1];
    const wadi_lv zero = wadi_lb_i64(b, 0), one = wadi_lb_i64(b, 1);
    i = wadi_lb_range(b, i, zero, wadi_lb_bin(b, WADI_SOP_SUB, c->n, one));
    if (c->part) { /* this holds only after the check of the segment */
        const wadi_lv length = wadi_lower_extent(l, array, c->rank - 1);
        i = wadi_lb_fact(b, wadi_lb_bin(b, WADI_SOP_ADD, c->part->from, i), zero,
                         wadi_lb_bin(b, WADI_SOP_SUB, length, one));
    }
    ix[c->rank - 1] = i;
    wadi_lower_read(l, array, ix, out);
}

void wadi_lower_scan_combine(wadi_lower *l, const wadi_scan_block *c, const wadi_lv *acc,
                             const wadi_lv *x, wadi_lv *out) {
    combine_fields(l, c->bind->funs[0], c->fields, acc, x, out);
}

static void declare(wadi_lower *l, const wadi_scan_block *c, const char *name, wadi_lv *var) {
    for (int f = 0; f < c->fields; f++)
        var[f] = wadi_lb_var(&l->b, c->type[f], false, WADI_LV_NONE, name);
}

wadi_lv wadi_lower_scan_entry(wadi_lower *l, const wadi_scan_block *c, const wadi_scan_table *t,
                              wadi_lv blk) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = c->part ? wadi_lb_bin(&l->b, WADI_SOP_ADD, c->part->entry, blk) : blk;
    return wadi_lower_linear(l, c->rank, t->extent, ix);
}

wadi_lv wadi_lower_scan_entries(const wadi_scan_block *c, const wadi_scan_table *t) {
    return c->part ? c->part->entries : t->extent[c->rank - 1];
}

static void combine_lasts(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                          wadi_lv *out) {
    wadi_lower_scan_combine(l, env, acc, x, out);
}

/* The top of a row's blocks; carries go to the variables `carry`. */
static wadi_top top_of(wadi_lower *l, const wadi_scan_block *c, const wadi_lv *carry,
                       const wadi_lv *memory) {
    wadi_top t = {.fields = c->fields,
                  .combine = combine_lasts,
                  .env = c,
                  .any_order = c->any_order,
                  .memory = memory,
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
    const wadi_scan_block *c = env;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    wadi_lower_scan_source(l, c, c->from, x);
    set_fields(l, c->fields, c->local, x);
    const wadi_lv i = wadi_lb_for(&l->b, second(l, c->from), c->below, 1, "i");
    wadi_lower_scan_source(l, c, i, x);
    get_fields(l, c->fields, c->local, acc);
    wadi_lower_scan_combine(l, c, acc, x, all);
    set_fields(l, c->fields, c->local, all);
    wadi_lb_end(&l->b);
}

void wadi_lower_scan_last(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                          const wadi_lv *ix, wadi_lv blk) {
    wadi_scan_block c = wadi_lower_scan_of(l, bind, t->part, ix, blk);
    wadi_lv last[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    declare(l, &c, "local", c.local);
    wadi_lower_versions(l, reduce, &c);
    get_fields(l, c.fields, c.local, last);
    const wadi_lv at = wadi_lower_scan_entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(&l->b, t->pointer[f], at, last[f]);
}

/* ---- carries ---- */

void wadi_lower_scan_carries(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                             const wadi_lv *ix) {
    wadi_lb *b = &l->b;
    const wadi_scan_block c = wadi_lower_scan_of(l, bind, t->part, ix, wadi_lb_i64(b, 0));
    wadi_lv x[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    declare(l, &c, "carry", carry);
    const wadi_top top = top_of(l, &c, carry, NULL);
    const wadi_lv first = wadi_lower_scan_entry(l, &c, t, wadi_lb_i64(b, 0));
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_fresh(b, t->pointer[f], first);
    wadi_top_first(l, &top, x);
    const wadi_lv blk = wadi_lb_for(b, wadi_lb_i64(b, 1), wadi_lower_scan_entries(&c, t), 1, "blk");
    const wadi_lv at = wadi_lower_scan_entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_fresh(b, t->pointer[f], at);
    wadi_top_next(l, &top, second(l, blk), WADI_LV_NONE, x);
    get_fields(l, c.fields, carry, x);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(b, t->pointer[f], at, x[f]);
    wadi_lb_end(b);
}

/* ---- results ---- */

void wadi_lower_scan_store(wadi_lower *l, const wadi_scan_block *c, wadi_lv at, const wadi_lv *v) {
    wadi_lv ix[WADI_MAX_RANK];
    if (c->rank > 1) memcpy(ix, c->ix, (size_t)(c->rank - 1) * sizeof *ix);
    ix[c->rank - 1] = c->part ? wadi_lb_bin(&l->b, WADI_SOP_ADD, c->part->to, at) : at;
    const wadi_lv linear = wadi_lower_linear(l, c->rank, c->extent, ix);
    for (int f = 0; f < c->fields; f++) wadi_lb_store(&l->b, c->pointer[f], linear, v[f]);
}

/* Result i, whose element is x. `acc`: the block's own scan so far, NULL for its first element. */
static void result(wadi_lower *l, const wadi_scan_block *c, wadi_lv i, const wadi_lv *acc,
                   bool carried) {
    wadi_lv x[WADI_MAX_FIELDS], local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS],
        all[WADI_MAX_FIELDS];
    wadi_lower_scan_source(l, c, i, x);
    memcpy(local, x, sizeof local);
    get_fields(l, c->fields, c->carry, carry);
    if (acc) wadi_lower_scan_combine(l, c, acc, x, local);
    /* if the order is free, the running value already includes the carry */
    if (carried && c->any_order && !acc) wadi_lower_scan_combine(l, c, carry, x, local);
    set_fields(l, c->fields, c->local, local);
    memcpy(all, local, sizeof all);
    if (carried && !c->any_order) wadi_lower_scan_combine(l, c, carry, local, all);
    if (c->any_order && c->chain) set_fields(l, c->fields, c->chain->top.total, all);
    if (c->has_z) {
        memcpy(local, all, sizeof local);
        wadi_lower_scan_combine(l, c, c->z, local, all);
        i = second(l, i);
    }
    wadi_lower_scan_store(l, c, i, all);
}

static void results(wadi_lower *l, const wadi_scan_block *c, bool carried) {
    wadi_lv acc[WADI_MAX_FIELDS];
    result(l, c, c->from, NULL, carried);
    const wadi_lv i = wadi_lb_for(&l->b, second(l, c->from), c->below, 1, "i");
    get_fields(l, c->fields, c->local, acc);
    result(l, c, i, acc, carried);
    wadi_lb_end(&l->b);
}

/* The carry into a block that is not the first of its row: known from the blocks before if this kernel has computed them all,
 * else read from the table. */
static void carry_in(wadi_lower *l, const wadi_scan_block *c) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv before = wadi_lb_bin(b, WADI_SOP_SUB, c->blk, wadi_lb_i64(b, 1));
    if (c->chain) {
        wadi_lb_if(b, wadi_lb_get(b, c->chain->started));
        get_fields(l, c->fields, c->chain->top.total, x);
        set_fields(l, c->fields, c->carry, x);
        wadi_lb_else(b);
    }
    const wadi_lv at = wadi_lower_scan_entry(l, c, c->table, before);
    for (int f = 0; f < c->fields; f++) x[f] = wadi_lb_load(b, c->table->pointer[f], at, NULL);
    set_fields(l, c->fields, c->carry, x);
    if (c->chain) wadi_lb_end(b);
}

static void build(wadi_lower *l, void *env) {
    const wadi_scan_block *c = env;
    wadi_lb *b = &l->b;
    const wadi_lv zero = wadi_lb_i64(b, 0);
    int64_t blk = -1;
    if (wadi_lb_is_const(b, c->blk, &blk) && blk == 0) {
        wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, c->n, zero));
        results(l, c, false);
        wadi_lb_end(b);
        return;
    }
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
    const wadi_scan_block c = {.fields = elem->fields,
                               .type = elem->type,
                               .any_order = wadi_fun_has_any_order(bind->funs[0])};
    wadi_lv carry[WADI_MAX_FIELDS];
    out->started = wadi_lb_var(&l->b, WADI_BOOL, false, wadi_lb_bool(&l->b, false), "started");
    declare(l, &c, "carry", carry);
    out->top = top_of(l, &c, carry, NULL);
}

/* Updates the chain after the block. If the order is free, the block's last value is the next carry. Otherwise the chain begins
 * with the row, and each block but the last adds the last value of its own scan. */
static void chain_on(wadi_lower *l, const wadi_scan_block *c) {
    wadi_lb *b = &l->b;
    wadi_top top = c->chain->top;
    wadi_lv last[WADI_MAX_FIELDS];
    top.env = c;
    if (c->any_order) {
        wadi_lb_set(b, c->chain->started, wadi_lb_bool(b, true));
        return;
    }
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LT, c->below, c->n));
    get_fields(l, c->fields, c->local, last);
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
    wadi_scan_block c = wadi_lower_scan_of(l, bind, t ? t->part : NULL, ix, blk);
    if (l->status || b->failed) return;
    c.extent = extent;
    c.pointer = pointer;
    c.table = t;
    c.chain = chain;
    declare(l, &c, "local", c.local);
    declare(l, &c, "carry", c.carry);
    if (c.has_z) wadi_lower_read(l, bind->args[0], NULL, c.z);
    const wadi_lv later = wadi_lb_bin(b, WADI_SOP_GT, blk, wadi_lb_i64(b, 0));
    wadi_lb_if(b, later);
    if (t) carry_in(l, &c);
    if (c.has_z && chain) {
        wadi_lb_else(b);
        wadi_lower_scan_store(l, &c, wadi_lb_i64(b, 0), c.z);
    }
    wadi_lb_end(b);
    wadi_lower_versions(l, build, &c);
    if (chain) chain_on(l, &c);
}

/* ---- blocks together ---- */

enum { TOGETHER = WADI_SCAN_TOGETHER };

/* TOGETHER blocks from block `from` on. */
static void blocks_from(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                        const wadi_lv *ix, wadi_lv from, wadi_scan_block *out) {
    for (int k = 0; k < TOGETHER; k++) {
        const wadi_lv blk = wadi_lb_bin(&l->b, WADI_SOP_ADD, from, wadi_lb_i64(&l->b, k));
        out[k] = wadi_lower_scan_of(l, bind, t->part, ix, blk);
        out[k].table = t;
        declare(l, &out[k], "local", out[k].local);
    }
}

/* A loop over the elements of blocks behind the first of each. */
static wadi_lv each_place(wadi_lower *l) {
    wadi_lb *b = &l->b;
    return wadi_lb_for(b, wadi_lb_i64(b, 1), wadi_lb_i64(b, WADI_SCAN_BLOCK), 1, "i");
}

static void reduce_together(wadi_lower *l, void *env) {
    const wadi_scan_block *c = env;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    for (int k = 0; k < TOGETHER; k++) {
        wadi_lower_scan_source(l, &c[k], c[k].from, x);
        set_fields(l, c->fields, c[k].local, x);
    }
    const wadi_lv i = each_place(l);
    for (int k = 0; k < TOGETHER; k++) {
        wadi_lower_scan_source(l, &c[k], wadi_lb_bin(&l->b, WADI_SOP_ADD, c[k].from, i), x);
        get_fields(l, c->fields, c[k].local, acc);
        wadi_lower_scan_combine(l, c, acc, x, all);
        set_fields(l, c->fields, c[k].local, all);
    }
    wadi_lb_end(&l->b);
}

void wadi_lower_scan_lasts(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                           const wadi_lv *ix, wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_scan_block c[TOGETHER];
    wadi_lv last[WADI_MAX_FIELDS];
    blocks_from(l, bind, t, ix, from, c);
    if (l->status || b->failed) return;
    const wadi_lv entries = wadi_lower_scan_entries(c, t);
    const wadi_lv below = wadi_lb_bin(b, WADI_SOP_ADD, from, wadi_lb_i64(b, TOGETHER));
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LE, below, entries));
    wadi_lower_versions(l, reduce_together, c);
    for (int k = 0; k < TOGETHER; k++) {
        get_fields(l, c->fields, c[k].local, last);
        const wadi_lv at = wadi_lower_scan_entry(l, &c[k], t, c[k].blk);
        for (int f = 0; f < c->fields; f++) wadi_lb_store(b, t->pointer[f], at, last[f]);
    }
    wadi_lb_else(b);
    const wadi_lv end = wadi_lb_bin(b, WADI_SOP_MIN, below, entries);
    const wadi_lv blk = wadi_lb_for(b, from, end, 1, "blk");
    wadi_lower_scan_last(l, bind, t, ix, blk);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

/* carry = what is carried behind entry `blk`, whose own value is x. If any order will do, the entry in front is that of the scan already. */
static void carry_behind(wadi_lower *l, const wadi_scan_block *c, const wadi_top *top, wadi_lv blk,
                         wadi_lv *x) {
    wadi_lb *b = &l->b;
    wadi_lv before[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    if (!c->any_order) {
        wadi_top_next(l, top, second(l, blk), WADI_LV_NONE, x);
        return;
    }
    set_fields(l, c->fields, top->total, x);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, blk, wadi_lb_i64(b, 0)));
    const wadi_lv at =
        wadi_lower_scan_entry(l, c, c->table, wadi_lb_bin(b, WADI_SOP_SUB, blk, wadi_lb_i64(b, 1)));
    for (int f = 0; f < c->fields; f++) before[f] = wadi_lb_fresh(b, c->table->pointer[f], at);
    wadi_lower_scan_combine(l, c, before, x, all);
    set_fields(l, c->fields, top->total, all);
    wadi_lb_end(b);
}

void wadi_lower_scan_carry_on(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                              const wadi_lv *runs, const wadi_lv *ix, wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_scan_block c = wadi_lower_scan_of(l, bind, t->part, ix, from);
    wadi_lv x[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS];
    if (l->status || b->failed) return;
    c.table = t;
    declare(l, &c, "carry", carry);
    const wadi_top top = top_of(l, &c, carry, runs);
    const wadi_lv most = wadi_lb_bin(b, WADI_SOP_ADD, from, wadi_lb_i64(b, TOGETHER));
    const wadi_lv below = wadi_lb_bin(b, WADI_SOP_MIN, most, wadi_lower_scan_entries(&c, t));
    const wadi_lv blk = wadi_lb_for(b, from, below, 1, "blk");
    const wadi_lv at = wadi_lower_scan_entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_fresh(b, t->pointer[f], at);
    carry_behind(l, &c, &top, blk, x);
    get_fields(l, c.fields, carry, x);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(b, t->pointer[f], at, x[f]);
    wadi_lb_end(b);
}

static void results_together(wadi_lower *l, void *env) {
    const wadi_scan_block *c = env;
    wadi_lv acc[WADI_MAX_FIELDS];
    for (int k = 0; k < TOGETHER; k++) result(l, &c[k], c[k].from, NULL, true);
    const wadi_lv i = each_place(l);
    for (int k = 0; k < TOGETHER; k++) {
        get_fields(l, c->fields, c[k].local, acc);
        result(l, &c[k], wadi_lb_bin(&l->b, WADI_SOP_ADD, c[k].from, i), acc, true);
    }
    wadi_lb_end(&l->b);
}

/* The blocks one after the other, as far as there are any; the row may begin with them. */
static void blocks_apart(wadi_lower *l, const wadi_scan_block *c) {
    wadi_lb *b = &l->b;
    const wadi_lv zero = wadi_lb_i64(b, 0), size = wadi_lb_i64(b, WADI_SCAN_BLOCK);
    if (c->has_z) {
        wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_EQ, c->blk, zero));
        wadi_lower_scan_store(l, c, zero, c->z);
        wadi_lb_end(b);
    }
    const wadi_lv up = wadi_lb_bin(b, WADI_SOP_ADD, c->n, wadi_lb_i64(b, WADI_SCAN_BLOCK - 1));
    const wadi_lv all = wadi_lb_bin(b, WADI_SOP_QUOT, up, size);
    const wadi_lv most = wadi_lb_bin(b, WADI_SOP_ADD, c->blk, wadi_lb_i64(b, TOGETHER));
    const wadi_lv blk = wadi_lb_for(b, c->blk, wadi_lb_bin(b, WADI_SOP_MIN, most, all), 1, "blk");
    wadi_lower_scan_block(l, c->bind, c->extent, c->pointer, c->table, c->ix, blk, NULL);
    wadi_lb_end(b);
}

void wadi_lower_scan_blocks(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                            wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_scan_block c[TOGETHER];
    blocks_from(l, bind, t, ix, from, c);
    if (l->status || b->failed) return;
    for (int k = 0; k < TOGETHER; k++) {
        c[k].extent = extent;
        c[k].pointer = pointer;
        declare(l, &c[k], "carry", c[k].carry);
        if (c->has_z && k == 0) wadi_lower_read(l, bind->args[0], NULL, c->z);
        memcpy(c[k].z, c->z, sizeof c->z);
    }
    const wadi_lv below = wadi_lb_bin(b, WADI_SOP_ADD, from, wadi_lb_i64(b, TOGETHER));
    const wadi_lv behind = wadi_lb_bin(b, WADI_SOP_GT, from, wadi_lb_i64(b, 0));
    const wadi_lv full = wadi_lb_bin(b, WADI_SOP_LE, below, wadi_lower_scan_entries(c, t));
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LAND, behind, full));
    for (int k = 0; k < TOGETHER; k++) carry_in(l, &c[k]);
    wadi_lower_versions(l, results_together, c);
    wadi_lb_else(b);
    blocks_apart(l, c);
    wadi_lb_end(b);
}
