/* Results are taken one after the other, as a binary counter takes ones: result number i ends a run of p results, p the
 * greatest power of two that divides i. Its left half is the newest run so far, and so on downwards; what is left are the runs of
 * i results. For each 4096 elements this is about two applications of f, so nothing here is made for speed but the first
 * result, which is the only one of a short row. */
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
    t->runs = wadi_lb_var(&l->b, WADI_I64, false, WADI_LV_NONE, "runs");
}

void wadi_top_first(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    set(l, t, t->total, x);
}

/* The first result has waited in `total`: a row of one block comes no further than that. */
static void second(wadi_lower *l, const wadi_top *t, wadi_lv number) {
    wadi_lv first[WADI_MAX_FIELDS];
    wadi_lb_if(&l->b, bin(l, WADI_SOP_EQ, number, num(l, 2)));
    get(l, t, t->total, first);
    put(l, t, t->run, num(l, 0), first);
    if (t->carries) put(l, t, t->all, num(l, 0), first);
    wadi_lb_set(&l->b, t->runs, num(l, 1));
    wadi_lb_end(&l->b);
}

/* total = f(total, x) */
static void take(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    wadi_lv acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    get(l, t, t->total, acc);
    t->combine(l, t->env, acc, x, all);
    set(l, t, t->total, all);
}

/* The runs that this result ends, each twice as long as the one before. */
static void merge(wadi_lower *l, const wadi_top *t, wadi_lv number, const wadi_lv *run) {
    wadi_lb *b = &l->b;
    const wadi_lv left = wadi_lb_var(b, WADI_I64, false, number, "left");
    wadi_lb_repeat(b);
    const wadi_lv n = wadi_lb_get(b, left);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_EQ, bin(l, WADI_SOP_AND, n, num(l, 1)), num(l, 0)));
    wadi_lb_set(b, left, bin(l, WADI_SOP_SHR, n, num(l, 1)));
    const wadi_lv newest = bin(l, WADI_SOP_SUB, wadi_lb_get(b, t->runs), num(l, 1));
    wadi_lb_set(b, t->runs, newest);
    behind(l, t, t->run, newest, run);
    wadi_lb_end(b);
}

void wadi_top_next(wadi_lower *l, const wadi_top *t, wadi_lv number, const wadi_lv *x) {
    wadi_lb *b = &l->b;
    wadi_lv var[WADI_MAX_FIELDS], run[WADI_MAX_FIELDS];
    if (t->any_order) {
        take(l, t, x);
        return;
    }
    second(l, t, number);
    for (int f = 0; f < t->fields; f++) var[f] = wadi_lb_var(b, t->type[f], false, x[f], "last");
    merge(l, t, number, var);
    const wadi_lv at = wadi_lb_name(b, wadi_lb_get(b, t->runs), "at");
    get(l, t, var, run);
    put(l, t, t->run, at, run);
    if (t->carries) {
        wadi_lb_if(b, bin(l, WADI_SOP_GT, at, num(l, 0)));
        behind(l, t, t->all, bin(l, WADI_SOP_SUB, at, num(l, 1)), var);
        wadi_lb_end(b);
        get(l, t, var, run);
        put(l, t, t->all, at, run);
        set(l, t, t->total, run);
    }
    wadi_lb_set(b, t->runs, bin(l, WADI_SOP_ADD, at, num(l, 1)));
}

void wadi_top_finish(wadi_lower *l, const wadi_top *t) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    if (t->any_order) return;
    lane(l, t, t->run, num(l, 0), x);
    set(l, t, t->total, x);
    const wadi_lv below = bin(l, WADI_SOP_MIN, wadi_lb_get(b, t->runs), num(l, WADI_TREE_RUNS));
    const wadi_lv at = wadi_lb_for(b, num(l, 1), below, 1, "at");
    lane(l, t, t->run, at, x);
    take(l, t, x);
    wadi_lb_end(b);
}
