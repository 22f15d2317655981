/* Sequences within an element: a loop inside the kernel that computes the element.
 *
 * A source is a loop. A stage is code in that loop: it writes the code of the stages after it once for each element that it
 * gives. If all stages from the source on give one element for each that they get, element i is computed from its number
 * (inner.c). Windows, batches and zips of other chains must ask for their elements instead (pull.c). The stages after them are
 * given their elements again. */
#include "codegen/kernel/sequence/nested.h"

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/read.h"

/* ---- stages that call what follows ---- */

typedef struct stage {
    wadi_inner *in;
    wadi_val s;
    const wadi_bind *bind;
    wadi_inner_taker take;
    void *env;
    /* pick: its three numbers. Variables: elements dropped before the first, elements since the last picked one, elements picked
     * so far */
    wadi_lv first, step, most, dropped, behind, taken;
    wadi_round_state *state; /* scan */
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

static void filter_stage(wadi_lower *l, stage *g) {
    wadi_inner_each(l, g->in, g->bind->args[0], filtered, g);
}

static void expand_stage(wadi_lower *l, stage *g) {
    wadi_inner_each(l, g->in, g->bind->args[0], expanded, g);
}

static void picked(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const stage *g = env;
    wadi_lb *b = &l->b;
    const wadi_seq_pick pick = g->bind->op->seq.pick;
    wadi_lv n = WADI_LV_NONE;
    if (pick.first) {
        const wadi_lv before = wadi_lb_get(b, g->dropped);
        wadi_lb_set(b, g->dropped, bin(l, WADI_SOP_ADD, before, num(l, 1)));
        wadi_lb_if(b, bin(l, WADI_SOP_GE, before, g->first));
    }
    if (pick.step) {
        const wadi_lv behind = wadi_lb_get(b, g->behind),
                      next = bin(l, WADI_SOP_ADD, behind, num(l, 1));
        wadi_lb_set(b, g->behind, next);
        wadi_lb_if(b, bin(l, WADI_SOP_GE, next, g->step));
        wadi_lb_set(b, g->behind, num(l, 0));
        wadi_lb_end(b);
        wadi_lb_if(b, bin(l, WADI_SOP_EQ, behind, num(l, 0)));
    }
    if (pick.most) {
        n = bin(l, WADI_SOP_ADD, wadi_lb_get(b, g->taken), num(l, 1));
        wadi_lb_set(b, g->taken, n);
    }
    g->take(l, g->env, e);
    if (pick.most) {
        wadi_lb_if(b, bin(l, WADI_SOP_GE, n, g->most));
        wadi_lb_set(b, g->in->alive, wadi_lb_bool(b, false));
        wadi_lb_end(b);
    }
    if (pick.step) wadi_lb_end(b);
    if (pick.first) wadi_lb_end(b);
}

/* Leaves the loop once the last element has been picked. */
static void end_early(wadi_lower *l, stage *g) {
    wadi_lb *b = &l->b;
    const wadi_lv some = bin(l, WADI_SOP_GT, g->most, num(l, 0));
    if (g->in->alive == WADI_LV_NONE) {
        g->in->alive = wadi_lb_var(b, WADI_BOOL, false, some, "alive");
    } else {
        const wadi_lv both = bin(l, WADI_SOP_LAND, wadi_lb_get(b, g->in->alive), some);
        wadi_lb_set(b, g->in->alive, both);
    }
}

static void pick_stage(wadi_lower *l, stage *g) {
    const wadi_seq_pick pick = g->bind->op->seq.pick;
    if (pick.first) {
        g->first = wadi_lower_scalar(l, g->bind->args[pick.first]);
        g->dropped = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "dropped");
    }
    if (pick.step) {
        g->step = wadi_inner_at_least_1(l, g->bind, pick.step, "the step");
        g->behind = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "behind");
    }
    if (pick.most) {
        g->most = wadi_lower_scalar(l, g->bind->args[pick.most]);
        g->taken = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "taken");
        end_early(l, g);
    }
    wadi_inner_each(l, g->in, g->bind->args[0], picked, g);
}

static void scan_stage(wadi_lower *l, stage *g) {
    wadi_round_state state = wadi_inner_state(g->bind);
    wadi_round_state_start(l, &state);
    if (!state.now || !state.spare || l->status) return;
    g->state = &state;
    wadi_inner_each(l, g->in, g->bind->args[0], scanned, g);
}

static void map_stage(wadi_lower *l, stage *g) {
    wadi_inner_each(l, g->in, g->bind->args[0], mapped, g);
}

/* By form: stages that are given their elements. The others ask for them. */
static void (*const stages[])(wadi_lower *l, stage *g) = {
    [WADI_SEQ_MAP] = map_stage,       [WADI_SEQ_PICK] = pick_stage,
    [WADI_SEQ_FILTER] = filter_stage, [WADI_SEQ_EXPAND] = expand_stage,
    [WADI_SEQ_SCAN] = scan_stage,
};

static bool is_given_elements(const wadi_lower *l, const wadi_bind *b) {
    int sequences = 0;
    for (int i = 0; i < b->nargs; i++) sequences += l->m->values[b->args[i]].type.is_seq;
    return sequences == 1 && b->op->seq.form < sizeof stages / sizeof *stages &&
           stages[b->op->seq.form] != NULL;
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
    stage g = {.in = in, .s = s, .bind = b, .take = take, .env = env};
    wadi_lv n;
    if (l->status || l->b.failed) return;
    if (wadi_inner_length(l, s, &n)) {
        each_by_number(l, in, s, n, take, env);
    } else if (is_given_elements(l, b)) {
        stages[b->op->seq.form](l, &g);
    } else {
        wadi_inner_pull(l, in, s, take, env);
    }
}
