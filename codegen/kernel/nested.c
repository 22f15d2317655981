/* Sequences within an element: a loop inside the kernel that computes the element.
 *
 * Sources are loops; a stage is code in that loop. Where all stages from the source on give one element for each of theirs,
 * element i is computed from its number, so several such chains are zipped by computing element i of each. Other stages
 * (filter_seq, expand_seq, scan_seq, take_seq and drop_seq behind these) call what follows them as often as they have
 * elements. Each round gives back the scratch it took, unless something of it stays: a state whose shape changes, a
 * vector that grew (collect.c).
 *
 * Zipping two chains neither of which is of the first kind, and windows and batches, are not offered here. */
#include "codegen/kernel/nested.h"

#include <string.h>

#include "base/error.h"

static bool is(const wadi_bind *b, const char *op) {
    return strcmp(b->op->name, op) == 0;
}

static const wadi_bind *maker(const wadi_lower *l, wadi_val s) {
    return l->m->values[s].bind;
}

static wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

static wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

static wadi_lv at_least_0(wadi_lower *l, wadi_lv n) {
    return bin(l, WADI_SOP_MAX, n, num(l, 0));
}

static wadi_lv length_fact(wadi_lower *l, wadi_lv n) {
    wadi_lb_inst(&l->b, n)->nonneg = true;
    return n;
}

/* ---- elements ---- */

static wadi_inner_element new_element(wadi_lower *l, wadi_val s) {
    const wadi_val_type *t = &l->m->values[s].type;
    wadi_inner_element e = {.n = t->arrays, .type = t->array};
    e.at = WADI_NEW_N(l->y->arena, wadi_vloc, (size_t)e.n + 1);
    if (!e.at) {
        l->b.failed = true;
        e.n = 0;
    }
    return e;
}

wadi_vloc wadi_inner_place(wadi_lower *l, wadi_val v) {
    wadi_vloc at = {.kind = WADI_LOC_SCALAR};
    v = wadi_lower_resolve(l, v);
    const wadi_array_type *t = wadi_type_of(l, v);
    if (l->status || l->b.failed) return at;
    if (t->rank == 0) {
        wadi_lower_read(l, v, NULL, at.field);
        return at;
    }
    at.kind = WADI_LOC_MEMORY;
    at.own_extents = true;
    for (int f = 0; f < t->elem.fields; f++) at.field[f] = wadi_lower_pointer(l, v, f);
    wadi_lower_extents(l, v, at.extent);
    return at;
}

/* Parameters from number `first` on become the components of an element of `s`. */
static int place(wadi_lower *l, const wadi_block *r, int first, wadi_val s,
                 const wadi_inner_element *e) {
    for (int c = 0; c < e->n; c++) l->loc[r->params[first + c]] = e->at[c];
    l->y->components[s] = r->params + first; /* what extents of the sequence mean in here */
    return first + e->n;
}

/* A region is computed again for every reader of its sequence. */
static void forget(wadi_lower *l, const wadi_block *r) {
    wadi_vec_clear(&l->memo); /* elements of delayed values were computed from other parameters */
    for (int i = 0; i < r->nbinds; i++) {
        const wadi_bind *b = r->binds[i];
        for (int k = 0; k < b->nresults; k++)
            l->loc[b->results[k]] = (wadi_vloc){.kind = WADI_LOC_NONE};
        for (int k = 0; k < b->nblocks; k++) forget(l, b->blocks[k]);
    }
}

/* Computes region `r` of sequence `s`; its yields are the element. */
static wadi_inner_element run(wadi_lower *l, wadi_val s, const wadi_block *r) {
    wadi_inner_element e = new_element(l, s);
    wadi_borrowed values = {0};
    forget(l, r);
    l->memo.n = 0; /* delayed values of the region have other elements for this reader */
    wadi_run_region(l, r, &values);
    for (int c = 0; c < e.n; c++) e.at[c] = wadi_inner_place(l, r->yields[c]);
    l->y->components[s] = r->yields;
    wadi_give_back(l, &values);
    return e;
}

/* ---- chains in which element i is computed from i ---- */

static bool is_indexed(const wadi_lower *l, wadi_val s) {
    const wadi_bind *b = maker(l, s);
    if (is(b, "produce")) return true;
    if (is(b, "take_seq") || is(b, "drop_seq")) return is_indexed(l, b->args[0]);
    if (!is(b, "map_seq")) return false;
    for (int i = 0; i < b->nargs; i++)
        if (!is_indexed(l, b->args[i])) return false;
    return true;
}

static wadi_lv length(wadi_lower *l, wadi_val s) {
    const wadi_bind *b = maker(l, s);
    if (is(b, "produce")) return at_least_0(l, wadi_lower_scalar(l, b->args[0]));
    wadi_lv n = length(l, b->args[0]);
    if (is(b, "map_seq")) {
        for (int i = 1; i < b->nargs; i++) n = bin(l, WADI_SOP_MIN, n, length(l, b->args[i]));
        return n;
    }
    const wadi_lv k = at_least_0(l, wadi_lower_scalar(l, b->args[1]));
    if (is(b, "take_seq")) return bin(l, WADI_SOP_MIN, n, k);
    return at_least_0(l, bin(l, WADI_SOP_SUB, n, k));
}

static wadi_inner_element element(wadi_lower *l, wadi_val s, wadi_lv i) {
    const wadi_bind *b = maker(l, s);
    if (is(b, "take_seq")) return element(l, b->args[0], i);
    if (is(b, "drop_seq")) {
        const wadi_lv k = at_least_0(l, wadi_lower_scalar(l, b->args[1]));
        return element(l, b->args[0], bin(l, WADI_SOP_ADD, i, k));
    }
    const wadi_block *r = b->blocks[0];
    if (is(b, "produce")) {
        l->loc[r->params[0]] = (wadi_vloc){.kind = WADI_LOC_SCALAR, .field = {i}};
        return run(l, s, r);
    }
    int first = 0;
    wadi_inner_element from[WADI_MAX_PARAMS];
    for (int a = 0; a < b->nargs; a++) from[a] = element(l, b->args[a], i);
    for (int a = 0; a < b->nargs; a++) first = place(l, r, first, b->args[a], &from[a]);
    return run(l, s, r);
}

bool wadi_inner_length(wadi_lower *l, wadi_val s, wadi_lv *out_n) {
    if (!is_indexed(l, s)) return false;
    *out_n = length_fact(l, length(l, s));
    return true;
}

/* ---- rounds ---- */

wadi_inner wadi_inner_start(wadi_lower *l) {
    return (wadi_inner){
        .kept = wadi_lb_var(&l->b, WADI_BOOL, false, wadi_lb_bool(&l->b, false), "kept"),
        .alive = WADI_LV_NONE};
}

void wadi_inner_keep(wadi_lower *l, const wadi_inner *in) {
    wadi_lb_set(&l->b, in->kept, wadi_lb_bool(&l->b, true));
}

static wadi_lv open_round(wadi_lower *l, const wadi_inner *in, wadi_lv n, const char *name) {
    const wadi_lv i = wadi_lb_for(&l->b, num(l, 0), n, 1, name);
    wadi_lb_set(&l->b, in->kept, wadi_lb_bool(&l->b, false));
    if (in->alive != WADI_LV_NONE) wadi_lb_if(&l->b, wadi_lb_get(&l->b, in->alive));
    return i;
}

static void close_round(wadi_lower *l, const wadi_inner *in) {
    if (in->alive != WADI_LV_NONE) wadi_lb_end(&l->b);
    const wadi_lv mark = wadi_lower_mark_front(l);
    if (mark != WADI_LV_NONE) {
        const wadi_lv kept = wadi_lb_get(&l->b, in->kept);
        wadi_lb_if(&l->b, wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &kept));
        (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
        wadi_lb_end(&l->b);
    }
    wadi_lb_end(&l->b);
}

/* ---- stages that call what follows ---- */

typedef struct stage {
    wadi_inner *in;
    wadi_val s;
    const wadi_bind *bind;
    wadi_inner_taker take;
    void *env;
    wadi_lv count;     /* variable: take, drop, zip */
    wadi_lv most;      /* of a zip: elements of the chains beside */
    int pushed;        /* of a zip: the argument that calls */
    wadi_state *state; /* scan */
} stage;

static void mapped(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_bind *b = g->bind;
    const wadi_lv i = b->nargs > 1 ? wadi_lb_get(&l->b, g->count) : WADI_LV_NONE;
    if (b->nargs > 1) {
        wadi_lb_set(&l->b, g->count, bin(l, WADI_SOP_ADD, i, num(l, 1)));
        wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, i, g->most));
    }
    wadi_inner_element from[WADI_MAX_PARAMS];
    for (int a = 0; a < b->nargs; a++) from[a] = a == g->pushed ? *e : element(l, b->args[a], i);
    int first = 0;
    for (int a = 0; a < b->nargs; a++) first = place(l, b->blocks[0], first, b->args[a], &from[a]);
    const wadi_inner_element next = run(l, g->s, b->blocks[0]);
    g->take(l, g->env, &next);
    if (b->nargs > 1) wadi_lb_end(&l->b);
}

static void map_stage(wadi_lower *l, stage *g) {
    const wadi_bind *b = g->bind;
    g->pushed = -1;
    for (int a = 0; a < b->nargs; a++) {
        wadi_lv n;
        if (wadi_inner_length(l, b->args[a], &n)) {
            g->most = g->most == WADI_LV_NONE ? n : bin(l, WADI_SOP_MIN, g->most, n);
        } else if (g->pushed < 0) {
            g->pushed = a;
        } else {
            wadi_lower_fail(l, b->loc, WADI_UNSUPPORTED,
                            "map_seq: two sequences of unknown length inside an element");
            return;
        }
    }
    if (b->nargs > 1) g->count = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "number");
    wadi_inner_each(l, g->in, b->args[g->pushed], mapped, g);
}

static void filtered(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_block *r = g->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_lv passes = WADI_LV_NONE;
    (void)place(l, r, 0, g->bind->args[0], e);
    forget(l, r);
    wadi_run_region(l, r, &values);
    if (l->status || l->b.failed) return;
    wadi_lower_read(l, r->yields[0], NULL, &passes);
    wadi_give_back(l, &values);
    wadi_lb_if(&l->b, passes);
    g->take(l, g->env, e);
    wadi_lb_end(&l->b);
}

/* The extents that the slices share are extent 0 of the components. */
static wadi_lv slices(wadi_lower *l, const stage *g, const wadi_block *r, const wadi_vloc *whole) {
    for (int c = 1; c < r->nyields; c++) {
        const wadi_lv differ = bin(l, WADI_SOP_NE, whole[c].extent[0], whole[0].extent[0]);
        int64_t known = 0;
        if (wadi_lb_is_const(&l->b, differ, &known) && !known) continue;
        wadi_lb_if(&l->b, differ);
        wadi_lower_fault(
            l, WADI_FAULT_SHAPE,
            wadi_layout_place(l->y, "expand_seq", "extent 0 of two components", g->bind->loc),
            whole[c].extent[0], whole[0].extent[0]);
        wadi_lb_end(&l->b);
    }
    return whole[0].extent[0];
}

static void slice(wadi_lower *l, const wadi_vloc *whole, const wadi_array_type *t, wadi_lv j,
                  wadi_vloc *out) {
    *out = (wadi_vloc){.kind = t->rank > 0 ? WADI_LOC_MEMORY : WADI_LOC_SCALAR,
                       .own_extents = t->rank > 0};
    if (t->rank > 0) memcpy(out->extent, whole->extent + 1, (size_t)t->rank * sizeof *out->extent);
    const wadi_lv from = bin(l, WADI_SOP_MUL, j, wadi_lower_size(l, t->rank, out->extent));
    for (int f = 0; f < t->elem.fields; f++)
        out->field[f] = t->rank > 0 ? wadi_lb_advance(&l->b, whole->field[f], from)
                                    : wadi_lb_load(&l->b, whole->field[f], j, NULL);
}

static void expanded(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_block *r = g->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_inner_element next = new_element(l, g->s);
    wadi_vloc *whole = WADI_NEW_N(l->y->arena, wadi_vloc, (size_t)next.n + 1);
    if (!whole) l->b.failed = true;
    (void)place(l, r, 0, g->bind->args[0], e);
    forget(l, r);
    wadi_run_region(l, r, &values);
    for (int c = 0; whole && c < next.n; c++) whole[c] = wadi_inner_place(l, r->yields[c]);
    if (l->status || l->b.failed) return;
    wadi_give_back(l, &values);
    const wadi_lv j = wadi_lb_for(&l->b, num(l, 0), slices(l, g, r, whole), 1, "j");
    if (g->in->alive != WADI_LV_NONE) wadi_lb_if(&l->b, wadi_lb_get(&l->b, g->in->alive));
    for (int c = 0; c < next.n; c++) slice(l, &whole[c], &next.type[c], j, &next.at[c]);
    g->take(l, g->env, &next);
    if (g->in->alive != WADI_LV_NONE) wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

static void scanned(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    const wadi_block *r = g->bind->blocks[0];
    wadi_borrowed values = {0};
    wadi_inner_element next = new_element(l, g->s);
    wadi_state_place(l, g->state, r->params);
    (void)place(l, r, g->state->n, g->bind->args[0], e);
    forget(l, r);
    wadi_run_region(l, r, &values);
    if (l->status || l->b.failed) return;
    for (int c = 0; c < next.n; c++) next.at[c] = wadi_inner_place(l, r->yields[c]);
    wadi_state_next(l, g->state);
    if (!g->state->keeps_shape) wadi_inner_keep(l, g->in);
    wadi_give_back(l, &values);
    g->take(l, g->env, &next);
}

static wadi_state state_of(const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    return (wadi_state){.n = b->nargs - 1,
                        .init = b->args + 1,
                        .params = r->params,
                        .yields = r->yields,
                        .results = r->params};
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
    wadi_state state = state_of(g->bind);
    wadi_state_start(l, &state);
    if (!state.now || !state.spare || l->status) return;
    g->state = &state;
    wadi_inner_each(l, g->in, g->bind->args[0], scanned, g);
}

void wadi_inner_each(wadi_lower *l, wadi_inner *in, wadi_val s, wadi_inner_taker take, void *env) {
    const wadi_bind *b = maker(l, s);
    stage g = {.in = in, .s = s, .bind = b, .take = take, .env = env, .most = WADI_LV_NONE};
    if (l->status || l->b.failed) return;
    if (is_indexed(l, s)) {
        const wadi_lv i = open_round(l, in, length_fact(l, length(l, s)), "e");
        const wadi_inner_element e = element(l, s, i);
        if (!l->status && !l->b.failed) take(l, env, &e);
        close_round(l, in);
    } else if (is(b, "map_seq")) {
        map_stage(l, &g);
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
        wadi_lower_fail(l, b->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        b->op->name);
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
    (void)place(l, r, f->state.n, f->bind->args[0], e);
    forget(l, r);
    wadi_run_region(l, r, &values);
    if (l->status || l->b.failed) return;
    wadi_state_next(l, &f->state);
    if (!f->state.keeps_shape) wadi_inner_keep(l, f->in);
    wadi_give_back(l, &values);
}

static void fold(wadi_lower *l, wadi_inner *in, const wadi_bind *bind) {
    folding f = {in, bind, state_of(bind)};
    f.state.results = bind->results;
    wadi_state_start(l, &f.state);
    if (!f.state.now || !f.state.spare || l->status) return;
    wadi_inner_each(l, in, bind->args[0], folded, &f);
    for (int i = 0; i < bind->nresults && !l->status && !l->b.failed; i++)
        l->loc[bind->results[i]] = wadi_holder_get(l, &f.state.now[i]);
}

void wadi_lower_consume(wadi_lower *l, const wadi_bind *bind) {
    if (is(bind, "fold_seq")) {
        wadi_inner in = wadi_inner_start(l);
        fold(l, &in, bind);
    } else if (!wadi_inner_collect(l, bind)) {
        wadi_lower_fail(l, bind->loc, WADI_UNSUPPORTED, "%s: not offered inside an element",
                        bind->op->name);
    }
}
