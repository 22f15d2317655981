/* The total of a row from the results of its blocks, by the top of the tree (top.c): by one lane, or by all lanes of a group. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/row_steps.h"
#include "operators/reduce_tree.h"

enum { BLOCK = WADI_FOLD_BLOCK };
/* Of any row. */
static const int64_t most_blocks = (INT64_C(1) << WADI_EXTENT_BITS) / BLOCK;

static wadi_lv blocks_of(wadi_lower *l, const wadi_row *r) {
    return bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_ADD, r->n, num(l, BLOCK - 1)), num(l, BLOCK));
}

/* Combines the results of the blocks one after the other, beginning with the identity. */
void wadi_row_combine_any_order(wadi_lower *l, const wadi_row *r, wadi_row_block each,
                                const void *env, wadi_lv *out) {
    wadi_lv var[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    for (int f = 0; f < r->fields; f++) x[f] = wadi_row_identity_at(l, r, f);
    wadi_row_declare(l, r, x, "total", var);
    each(l, env, wadi_lb_for(&l->b, num(l, 0), blocks_of(l, r), 1, "blk"), x);
    wadi_row_accumulate(l, r, var, x);
    wadi_lb_end(&l->b);
    get_fields(l, r->fields, var, out);
}

void wadi_row_combine_blocks(wadi_lower *l, const wadi_row *r, const wadi_lv *first,
                             wadi_row_block later, const void *env, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    wadi_row_declare(l, r, NULL, "total", total);
    const wadi_top top = wadi_row_top(l, r, total);
    wadi_top_first(l, &top, first);
    const wadi_lv blocks = blocks_of(l, r);
    const wadi_lv blk = wadi_lb_for(b, num(l, 1), blocks, 1, "blk");
    const wadi_lv number = bin(l, WADI_SOP_ADD, blk, num(l, 1));
    later(l, env, blk, x);
    wadi_top_next(l, &top, number, bin(l, WADI_SOP_EQ, number, blocks), x);
    wadi_lb_end(b);
    get_fields(l, r->fields, total, out);
}

void wadi_row_combine_each(wadi_lower *l, const wadi_row *r, wadi_row_block each, const void *env,
                           wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    wadi_row_declare(l, r, NULL, "total", total);
    const wadi_top top = wadi_row_top(l, r, total);
    if (top.any_order) {
        wadi_row_combine_any_order(l, r, each, env, out);
        return;
    }
    const wadi_lv blocks = blocks_of(l, r);
    const wadi_lv blk = wadi_lb_for(b, num(l, 0), blocks, 1, "blk");
    const wadi_lv number = bin(l, WADI_SOP_ADD, blk, num(l, 1));
    each(l, env, blk, x);
    wadi_lb_if_seldom(b, bin(l, WADI_SOP_GT, blocks, num(l, 1)));
    wadi_top_next(l, &top, number, bin(l, WADI_SOP_EQ, number, blocks), x);
    wadi_lb_else(b);
    set_fields(l, r->fields, total, x);
    wadi_lb_end(b);
    wadi_lb_end(b);
    get_fields(l, r->fields, total, out);
}

/* ---- the same by all lanes of a group ----
 *
 * The law combines neighbours in pairs. So 2^k results that begin at a multiple of 2^k are combined by themselves, and so are those of a last,
 * shorter run; the totals of these runs are then combined by the same law. Each lane takes a run. */

static void combine_run(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv below,
                        wadi_row_block each, const void *env, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    wadi_row_declare(l, r, NULL, "total", total);
    const wadi_top top = wadi_row_top(l, r, total);
    each(l, env, from, x);
    wadi_top_first(l, &top, x);
    const wadi_lv count = bin(l, WADI_SOP_SUB, below, from);
    const wadi_lv k = wadi_lb_for(b, num(l, 1), count, 1, "k");
    const wadi_lv number = bin(l, WADI_SOP_ADD, k, num(l, 1));
    each(l, env, bin(l, WADI_SOP_ADD, from, k), x);
    wadi_top_next(l, &top, number, bin(l, WADI_SOP_EQ, number, count), x);
    wadi_lb_end(b);
    get_fields(l, r->fields, total, out);
}

/* Results that are read together, so that a lane does not wait for one after the other: as many as registers are well spent on. */
enum { TOGETHER = 32, FEWER = 8 };

typedef struct bunches {
    const wadi_row *r;
    wadi_row_block each;
    const void *env;
    wadi_lv from, below; /* of the run; `from` is a multiple of its length */
    int together;        /* results of a bunch, a power of two */
    wadi_lv read[WADI_MAX_FIELDS];
} bunches;

/* A loop whose rounds are written out: what they read stays in registers. */
static wadi_lv rounds(wadi_lower *l, int64_t n, const char *name) {
    const wadi_lv k = wadi_lb_for(&l->b, num(l, 0), num(l, n), 1, name);
    if (!l->b.failed) l->b.scope->owner->unrolled = true;
    return k;
}

/* Combines the results of a bunch from `at` on, in pairs, pairs of pairs, ... */
static void combine_bunch(wadi_lower *l, const bunches *e, wadi_lv at, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    const int fields = e->r->fields;
    const wadi_lv k = rounds(l, e->together, "k");
    e->each(l, e->env, bin(l, WADI_SOP_ADD, at, k), x);
    to_lane(l, fields, e->read, k, x);
    wadi_lb_end(b);
    for (int64_t half = e->together / 2; half > 0; half /= 2) {
        const wadi_lv c = rounds(l, half, "c");
        const wadi_lv first = bin(l, WADI_SOP_MUL, c, num(l, 2));
        of_lane(l, fields, e->read, first, x);
        of_lane(l, fields, e->read, bin(l, WADI_SOP_ADD, first, num(l, 1)), next);
        wadi_row_combine(l, e->r, x, next, all);
        to_lane(l, fields, e->read, c, all);
        wadi_lb_end(b);
    }
    of_lane(l, fields, e->read, num(l, 0), out);
}

/* The total of bunch k of the run, or of as many results as there are. */
static void bunch(wadi_lower *l, const bunches *e, wadi_lv k, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv var[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    wadi_row few = *e->r;
    few.blocks = e->together;
    const wadi_lv together = num(l, e->together);
    const wadi_lv at = bin(l, WADI_SOP_ADD, e->from, bin(l, WADI_SOP_MUL, k, together));
    const wadi_lv end = bin(l, WADI_SOP_ADD, at, together);
    for (int f = 0; f < few.fields; f++) {
        const wadi_type type = wadi_row_type(&few, f);
        var[f] = wadi_lb_var(b, type, false, wadi_lb_const(b, (wadi_scalar){.type = type}), "all");
    }
    wadi_lb_if(b, bin(l, WADI_SOP_LE, end, e->below));
    combine_bunch(l, e, at, x);
    set_fields(l, few.fields, var, x);
    wadi_lb_else(b);
    combine_run(l, &few, at, e->below, e->each, e->env, x);
    set_fields(l, few.fields, var, x);
    wadi_lb_end(b);
    get_fields(l, few.fields, var, out);
}

/* As combine_run, of a run whose results are in memory. */
static void combine_run_by_bunches(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv below,
                                   wadi_row_block each, const void *env, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    bunches e = {r, each, env, from, below, r->fields == 1 ? TOGETHER : FEWER, {0}};
    wadi_row_declare(l, r, NULL, "total", total);
    const wadi_top top = wadi_row_top(l, r, total);
    if (top.any_order) {
        combine_run(l, r, from, below, each, env, out);
        return;
    }
    for (int f = 0; f < r->fields; f++)
        e.read[f] = wadi_lb_lanes(b, wadi_row_type(r, f), e.together, "read");
    const wadi_lv up =
        bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_SUB, below, from), num(l, e.together - 1));
    const wadi_lv count = bin(l, WADI_SOP_QUOT, up, num(l, e.together));
    const wadi_lv k = wadi_lb_for(b, num(l, 0), count, 1, "k");
    const wadi_lv number = bin(l, WADI_SOP_ADD, k, num(l, 1));
    bunch(l, &e, k, x);
    wadi_top_next(l, &top, number, bin(l, WADI_SOP_EQ, number, count), x);
    wadi_lb_end(b);
    get_fields(l, r->fields, total, out);
}

typedef struct run_totals {
    const wadi_row *r;
    const wadi_lv *runs; /* lane arrays */
} run_totals;

static void run_total(wadi_lower *l, const void *env, wadi_lv k, wadi_lv *out) {
    const run_totals *t = env;
    of_lane(l, t->r->fields, t->runs, k, out);
}

void wadi_row_combine_shared(wadi_lower *l, const wadi_row *r, wadi_row_block each, const void *env,
                             wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv runs[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const run_totals totals = {r, runs};
    wadi_row of_lanes = *r, of_lane_alone = *r;
    of_lanes.blocks = WADI_GROUP_LANES;
    of_lane_alone.blocks = most_blocks / WADI_GROUP_LANES * 2;
    const wadi_lv all = blocks_of(l, r), one = num(l, 1);
    const wadi_lv least = bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_SUB, all, one),
                              num(l, WADI_GROUP_LANES)); /* of a run, but one */
    const wadi_lv zeros = wadi_lb_prim(b, WADI_SOP_CLZ, WADI_I32, 1, &least);
    const wadi_lv bits =
        bin(l, WADI_SOP_SUB, num(l, 64), wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &zeros));
    const wadi_lv size = wadi_lb_name(b, bin(l, WADI_SOP_SHL, one, bits), "size");
    const wadi_lv up = bin(l, WADI_SOP_SUB, bin(l, WADI_SOP_ADD, all, size), one);
    const wadi_lv count = bin(l, WADI_SOP_QUOT, up, size);
    for (int f = 0; f < r->fields; f++)
        runs[f] = wadi_lb_lanes(b, wadi_row_type(r, f), WADI_GROUP_LANES, "runs");
    const wadi_lv most = bin(l, WADI_SOP_MIN, count, num(l, WADI_GROUP_LANES));
    const wadi_lv lane = wadi_lanes_first(l, most, &open);
    const wadi_lv from = bin(l, WADI_SOP_MUL, lane, size);
    combine_run_by_bunches(l, &of_lane_alone, from,
                           bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, size), all), each, env,
                           x);
    to_lane(l, r->fields, runs, lane, x);
    wadi_lanes_end(l, &open);
    combine_run(l, &of_lanes, num(l, 0), count, run_total, &totals, out);
}
