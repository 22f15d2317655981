/* Results are taken one after the other, as a binary counter takes ones: the runs of i results are as many as i has ones, and result
 * number i is taken into those that it completes. For each 4096 elements this is one application of f, or two, so nothing here
 * is made for speed but to be short: it is part of each fold. */
#include "codegen/kernel/top.h"

#include "codegen/kernel/arith.h"
#include "operators/reduce_tree.h"

static void get(wadi_lower *l, const wadi_top *t, const wadi_lv *var, wadi_lv *out) {
    for (int f = 0; f < t->fields; f++) out[f] = wadi_lb_get(&l->b, var[f]);
}

static void set(wadi_lower *l, const wadi_top *t, const wadi_lv *var, const wadi_lv *v) {
    for (int f = 0; f < t->fields; f++) wadi_lb_set(&l->b, var[f], v[f]);
}

static void lane(wadi_lower *l, const wadi_top *t, const wadi_lv *lanes, wadi_lv at, wadi_lv *out) {
    for (int f = 0; f < t->fields; f++) out[f] = wadi_lb_lane(&l->b, lanes[f], at);
}

static void put(wadi_lower *l, const wadi_top *t, const wadi_lv *lanes, wadi_lv at,
                const wadi_lv *v) {
    for (int f = 0; f < t->fields; f++) wadi_lb_put(&l->b, lanes[f], at, v[f]);
}

/* var = f(lanes[at], var) */
static void behind(wadi_lower *l, const wadi_top *t, const wadi_lv *lanes, wadi_lv at,
                   const wadi_lv *var) {
    wadi_lv acc[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    lane(l, t, lanes, at, acc);
    get(l, t, var, x);
    t->combine(l, t->env, acc, x, all);
    set(l, t, var, all);
}

void wadi_top_declare(wadi_lower *l, wadi_top *t) {
    if (t->any_order) return;
    for (int f = 0; f < t->fields; f++) {
        t->run[f] = wadi_lb_lanes(&l->b, t->type[f], WADI_TREE_RUNS, "run");
        if (t->carries) t->all[f] = wadi_lb_lanes(&l->b, t->type[f], WADI_TREE_RUNS, "all");
    }
}

void wadi_top_first(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    set(l, t, t->total, x);
    if (t->any_order) return;
    put(l, t, t->run, num(l, 0), x);
    if (t->carries) put(l, t, t->all, num(l, 0), x);
}

/* total = f(total, x) */
static void take(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    wadi_lv acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    get(l, t, t->total, acc);
    t->combine(l, t->env, acc, x, all);
    set(l, t, t->total, all);
}

/* How many runs n results have. */
static wadi_lv runs_of(wadi_lower *l, wadi_lv n) {
    const wadi_lv ones = wadi_lb_prim(&l->b, WADI_SOP_POPCOUNT, WADI_I32, 1, &n);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &ones);
}

/* total = the runs from number `keep` on, the last of which is x, of result number `number`. */
static void merge(wadi_lower *l, const wadi_top *t, wadi_lv number, wadi_lv keep) {
    wadi_lb *b = &l->b;
    const wadi_lv before = runs_of(l, bin(l, WADI_SOP_SUB, number, num(l, 1)));
    const wadi_lv at = wadi_lb_var(b, WADI_I64, false, before, "at");
    wadi_lb_repeat_briefly(b);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GT, wadi_lb_get(b, at), keep));
    const wadi_lv newest = bin(l, WADI_SOP_SUB, wadi_lb_get(b, at), num(l, 1));
    wadi_lb_set(b, at, newest);
    behind(l, t, t->run, newest, t->total);
    wadi_lb_end(b);
}

void wadi_top_next(wadi_lower *l, const wadi_top *t, wadi_lv number, wadi_lv is_last,
                   const wadi_lv *x) {
    wadi_lb *b = &l->b;
    wadi_lv run[WADI_MAX_FIELDS];
    if (t->any_order) {
        take(l, t, x);
        return;
    }
    const wadi_lv least = bin(l, WADI_SOP_SUB, runs_of(l, number), num(l, 1));
    const wadi_lv keep = wadi_lb_name(
        b, t->carries ? least : wadi_lb_select(b, WADI_I64, is_last, num(l, 0), least), "keep");
    set(l, t, t->total, x);
    merge(l, t, number, keep);
    get(l, t, t->total, run);
    put(l, t, t->run, keep, run);
    if (!t->carries) return;
    wadi_lb_if(b, bin(l, WADI_SOP_GT, keep, num(l, 0)));
    behind(l, t, t->all, bin(l, WADI_SOP_SUB, keep, num(l, 1)), t->total);
    wadi_lb_end(b);
    get(l, t, t->total, run);
    put(l, t, t->all, keep, run);
}
