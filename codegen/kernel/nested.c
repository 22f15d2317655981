/* Sequences within an element: a loop inside the kernel that computes the element.
 *
 * Sources are loops; a stage is code in that loop, and calls what follows it as often as it has elements. Where all stages from
 * the source on give one element for each of theirs, element i is computed from its number (inner.c). Zips of chains of
 * other kinds, windows and batches have to ask for their elements instead of being given them (pull.c); what follows these
 * is given theirs again. */
#include "codegen/kernel/nested.h"

#include <string.h>

#include "base/error.h"

static bool is(const wadi_bind *b, const char *op) {
    return strcmp(b->op->name, op) == 0;
}

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

/* ---- stages that call what follows ---- */

typedef struct stage {
    wadi_inner *in;
    wadi_val s;
    const wadi_bind *bind;
    wadi_inner_taker take;
    void *env;
    wadi_lv count;     /* variable: take, drop */
    wadi_lv most;      /* how many these take or drop */
    wadi_state *state; /* scan */
} stage;

static void mapped(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_block *r = g->bind->blocks[0];
    (void)wadi_inner_params(l, r, 0, g->bind->args[0], e);
    const wadi_inner_element next = wadi_inner_run(l, g->s, r);
    g->take(l, g->env, &next);
}

static void filtered(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_block *r = g->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_lv passes = WADI_LV_NONE;
    (void)wadi_inner_params(l, r, 0, g->bind->args[0], e);
    wadi_inner_compute(l, r, &values);
    if (l->status || l->b.failed) return;
    wadi_lower_read(l, r->yields[0], NULL, &passes);
    wadi_give_back(l, &values);
    wadi_lb_if(&l->b, passes);
    g->take(l, g->env, e);
    wadi_lb_end(&l->b);
}

static void expanded(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    wadi_inner_element next = wadi_inner_new(l, g->s);
    const wadi_vloc *whole = wadi_inner_wholes(l, g->bind, e);
    if (!whole) return;
    const wadi_lv j = wadi_lb_for(&l->b, num(l, 0), wadi_inner_slices(l, g->bind, whole), 1, "j");
    if (g->in->alive != WADI_LV_NONE) wadi_lb_if(&l->b, wadi_lb_get(&l->b, g->in->alive));
    for (int c = 0; c < next.n; c++) wadi_inner_slice(l, &whole[c], &next.type[c], j, &next.at[c]);
    g->take(l, g->env, &next);
    if (g->in->alive != WADI_LV_NONE) wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

static void scanned(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_inner_element next = wadi_inner_step(l, g->in, g->state, g->bind, e);
    if (!l->status && !l->b.failed) g->take(l, g->env, &next);
}

static void taken(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    wadi_lb *b = &l->b;
    const wadi_lv n = bin(l, WADI_SOP_ADD, wadi_lb_get(b, g->count), num(l, 1));
    wadi_lb_set(b, g->count, n);
    g->take(l, g->env, e);
    wadi_lb_if(b, bin(l, WADI_SOP_GE, n, g->most));
    wadi_lb_set(b, g->in->alive, wadi_lb_bool(b, false));
    wadi_lb_end(b);
}

/* Nothing more is computed once the last element has been taken. */
static void take_stage(wadi_lower *l, stage *g) {
    wadi_lb *b = &l->b;
    g->most = wadi_lower_scalar(l, g->bind->args[1]);
    g->count = wadi_lb_var(b, WADI_I64, false, num(l, 0), "taken");
    const wadi_lv some = bin(l, WADI_SOP_GT, g->most, num(l, 0));
    if (g->in->alive == WADI_LV_NONE) {
        g->in->alive = wadi_lb_var(b, WADI_BOOL, false, some, "alive");
    } else {
        const wadi_lv both = bin(l, WADI_SOP_LAND, wadi_lb_get(b, g->in->alive), some);
        wadi_lb_set(b, g->in->alive, both);
    }
    wadi_inner_each(l, g->in, g->bind->args[0], taken, g);
}

static void dropped(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_lv n = wadi_lb_get(&l->b, g->count);
    wadi_lb_set(&l->b, g->count, bin(l, WADI_SOP_ADD, n, num(l, 1)));
    wadi_lb_if(&l->b, bin(l, WADI_SOP_GE, n, g->most));
    g->take(l, g->env, e);
    wadi_lb_end(&l->b);
}

static void drop_stage(wadi_lower *l, stage *g) {
    g->most = wadi_lower_scalar(l, g->bind->args[1]);
    g->count = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "dropped");
    wadi_inner_each(l, g->in, g->bind->args[0], dropped, g);
}

static void scan_stage(wadi_lower *l, stage *g) {
    wadi_state state = wadi_inner_state(g->bind);
    wadi_state_start(l, &state);
    if (!state.now || !state.spare || l->status) return;
    g->state = &state;
    wadi_inner_each(l, g->in, g->bind->args[0], scanned, g);
}

static void each_by_number(wadi_lower *l, const wadi_inner *in, wadi_val s, wadi_lv n,
                           wadi_inner_taker take, void *env) {
    const wadi_lv i = wadi_lb_for(&l->b, num(l, 0), n, 1, "e");
    wadi_inner_open(l, in);
    if (in->alive != WADI_LV_NONE) wadi_lb_if(&l->b, wadi_lb_get(&l->b, in->alive));
    const wadi_inner_element e = wadi_inner_at(l, s, i);
    if (!l->status && !l->b.failed) take(l, env, &e);
    if (in->alive != WADI_LV_NONE) wadi_lb_end(&l->b);
    wadi_inner_close(l, in);
    wadi_lb_end(&l->b);
}

void wadi_inner_each(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env) {
    const wadi_bind *b = l->m->values[s].bind;
    stage g = {.in = in, .s = s, .bind = b, .take = take, .env = env, .most = WADI_LV_NONE};
    wadi_lv n;
    if (l->status || l->b.failed) return;
    if (wadi_inner_length(l, s, &n)) {
        each_by_number(l, in, s, n, take, env);
    } else if (is(b, "map_seq") && b->nargs == 1) {
        wadi_inner_each(l, in, b->args[0], mapped, &g);
    } else if (is(b, "filter_seq")) {
        wadi_inner_each(l, in, b->args[0], filtered, &g);
    } else if (is(b, "expand_seq")) {
        wadi_inner_each(l, in, b->args[0], expanded, &g);
    } else if (is(b, "scan_seq")) {
        scan_stage(l, &g);
    } else if (is(b, "take_seq")) {
        take_stage(l, &g);
    } else if (is(b, "drop_seq")) {
        drop_stage(l, &g);
    } else {
        wadi_inner_pull(l, in, s, take, env);
    }
}

/* ---- fold_seq ---- */

typedef struct folding {
    wadi_inner *in;
    const wadi_bind *bind;
    wadi_state state;
} folding;

static void folded(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const folding *f = env;
    const wadi_block *r = f->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_state_place(l, &f->state, r->params);
    (void)wadi_inner_params(l, r, f->state.n, f->bind->args[0], e);
    wadi_inner_compute(l, r, &values);
    if (l->status || l->b.failed) return;
    wadi_state_next(l, &f->state);
    if (!f->state.keeps_shape) wadi_inner_keep(l, f->in, NULL);
    wadi_give_back(l, &values);
}

static void fold(wadi_lower *l, wadi_inner *in, const wadi_bind *bind) {
    folding f = {in, bind, wadi_inner_state(bind)};
    f.state.results = bind->results;
    wadi_state_start(l, &f.state);
    if (!f.state.now || !f.state.spare || l->status) return;
    wadi_inner_each(l, in, bind->args[0], folded, &f);
    for (int i = 0; i < bind->nresults && !l->status && !l->b.failed; i++)
        l->loc[bind->results[i]] = wadi_holder_get(l, &f.state.now[i]);
}

void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind) {
    if (is(bind, "fold_seq")) {
        wadi_inner in = wadi_inner_start(l, NULL);
        fold(l, &in, bind);
    } else if (!wadi_inner_collect(l, bind)) {
        wadi_lower_fail(l, bind->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        bind->op->name);
    }
}
