/* Block results are combined like the digits of a binary counter. After i results there is one run for each 1 in the binary
 * digits of i; the run of digit k combines 2^k results. Result i joins the runs that it completes: result 4 = 100 joins the runs
 * of 2 and of 1 that stood after result 3 = 11. This applies f once or twice for each 4096 elements. So the code is made to be
 * short, not fast: it is part of every fold. */
#include "codegen/kernel/top.h"

#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"

/* What is kept of each run: itself, or it with those in front. */
typedef enum part { RUN, ALL } part;

static wadi_lv place(wadi_lower *l, part which, wadi_lv at) {
    return which == RUN ? at : bin(l, WADI_SOP_ADD, at, num(l, WADI_TREE_RUNS));
}

static void recall(wadi_lower *l, const wadi_top *t, part which, wadi_lv at, wadi_lv *out) {
    if (!t->memory) of_lane(l, t->fields, which == RUN ? t->run : t->all, at, out);
    for (int f = 0; t->memory && f < t->fields; f++)
        out[f] = wadi_lb_fresh(&l->b, t->memory[f], place(l, which, at));
}

static void keep_run(wadi_lower *l, const wadi_top *t, part which, wadi_lv at, const wadi_lv *x) {
    if (!t->memory) to_lane(l, t->fields, which == RUN ? t->run : t->all, at, x);
    for (int f = 0; t->memory && f < t->fields; f++)
        wadi_lb_store(&l->b, t->memory[f], place(l, which, at), x[f]);
}

/* var = f(kept[at], var) */
static void behind(wadi_lower *l, const wadi_top *t, part which, wadi_lv at, const wadi_lv *var) {
    wadi_lv acc[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    recall(l, t, which, at, acc);
    get_fields(l, t->fields, var, x);
    t->combine(l, t->env, acc, x, all);
    set_fields(l, t->fields, var, all);
}

/* Values to keep: one for each binary digit of the number of results. */
static int runs_at_most(const wadi_top *t) {
    int runs = 1;
    if (t->most == 0) return WADI_TREE_RUNS;
    for (int64_t n = t->most; n > 1; n /= 2) runs++;
    return runs < WADI_TREE_RUNS ? runs : WADI_TREE_RUNS;
}

void wadi_top_declare(wadi_lower *l, wadi_top *t) {
    const int runs = runs_at_most(t);
    if (t->any_order || t->memory) return;
    for (int f = 0; f < t->fields; f++) {
        t->run[f] = wadi_lb_lanes(&l->b, t->type[f], runs, "run");
        if (t->carries) t->all[f] = wadi_lb_lanes(&l->b, t->type[f], runs, "all");
    }
}

void wadi_top_first(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    set_fields(l, t->fields, t->total, x);
    if (t->any_order) return;
    keep_run(l, t, RUN, num(l, 0), x);
    if (t->carries) keep_run(l, t, ALL, num(l, 0), x);
}

/* total = f(total, x) */
static void take(wadi_lower *l, const wadi_top *t, const wadi_lv *x) {
    wadi_lv acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    get_fields(l, t->fields, t->total, acc);
    t->combine(l, t->env, acc, x, all);
    set_fields(l, t->fields, t->total, all);
}

/* The number of runs after n results. */
static wadi_lv runs_of(wadi_lower *l, wadi_lv n) {
    const wadi_lv ones = wadi_lb_prim(&l->b, WADI_SOP_POPCOUNT, WADI_I32, 1, &n);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &ones);
}

/* total = the combination of the runs from run `keep` on and of x, which is result `number` and in `total` before. */
static void merge(wadi_lower *l, const wadi_top *t, wadi_lv number, wadi_lv keep) {
    wadi_lb *b = &l->b;
    const wadi_lv before = runs_of(l, bin(l, WADI_SOP_SUB, number, num(l, 1)));
    const wadi_lv at = wadi_lb_var(b, WADI_I64, false, before, "at");
    wadi_lb_repeat_briefly(b);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GT, wadi_lb_get(b, at), keep));
    const wadi_lv newest = bin(l, WADI_SOP_SUB, wadi_lb_get(b, at), num(l, 1));
    wadi_lb_set(b, at, newest);
    behind(l, t, RUN, newest, t->total);
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
    set_fields(l, t->fields, t->total, x);
    merge(l, t, number, keep);
    get_fields(l, t->fields, t->total, run);
    keep_run(l, t, RUN, keep, run);
    if (!t->carries) return;
    wadi_lb_if(b, bin(l, WADI_SOP_GT, keep, num(l, 0)));
    behind(l, t, ALL, bin(l, WADI_SOP_SUB, keep, num(l, 1)), t->total);
    wadi_lb_end(b);
    get_fields(l, t->fields, t->total, run);
    keep_run(l, t, ALL, keep, run);
}
