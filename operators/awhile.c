/* awhile: a loop. One region computes the next state, another decides whether to go on. Ranks and element types of the state
 * stay; extents may change. */
#include "operators/rules.h"

#include <string.h>

#include "graph/lang/node.h"

enum { PRED = 0, BODY = 1 };

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    if (b->nargs > WADI_MAX_PARAMS) return -1;
    for (int i = 0; i < b->nargs; i++) {
        const wadi_array_type *a = wadi_rule_arg(m, b, i);
        if (!a) return -1;
        types[i] = (wadi_array_type){.rank = a->rank, .elem = a->elem};
    }
    return b->nargs;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_MAX_PARAMS, err));
    WADI_TRY(wadi_rule_block(m, b, PRED, err));
    WADI_TRY(wadi_rule_block(m, b, BODY, err));
    const wadi_array_type test = {.rank = 0, .elem = wadi_elem_scalar(WADI_BOOL)};
    WADI_TRY(wadi_rule_yields(m, b, PRED, 1, &test, err));
    wadi_array_type state[WADI_MAX_PARAMS];
    const int n = block_params(m, b, BODY, state);
    WADI_TRY(wadi_rule_yields(m, b, BODY, n, state, err));
    return wadi_rule_results(m, b, n, state, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *pred = b->blocks[PRED], *body = b->blocks[BODY];
    wadi_rule_loop_shapes(cx, b, body, b->nargs, b->args);
    for (int i = 0; i < b->nargs; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->args[i]); d++)
            cx->set(cx, pred->params[i], 0, d, cx->get(cx, body->params[i], 0, d));
    cx->region(cx, pred);
}

/* Analyses one round for a state that depends as `dep` says. Adds what the next state depends on; true if that is more. */
static bool grow(wadi_depend_cx *cx, const wadi_bind *b, wadi_dep *dep) {
    const wadi_block *pred = b->blocks[PRED], *body = b->blocks[BODY];
    for (int i = 0; i < b->nargs; i++) {
        cx->set(cx, pred->params[i], 0, dep[i]);
        cx->set(cx, body->params[i], 0, dep[i]);
    }
    cx->region(cx, pred);
    cx->region(cx, body);
    const bool stops_by_element = cx->get(cx, pred->yields[0], 0).elems;
    bool grew = false;
    for (int i = 0; i < b->nargs; i++) {
        wadi_dep next = wadi_dep_or(dep[i], cx->get(cx, body->yields[i], 0));
        if (stops_by_element) {
            next.elems = true;
            next.shape = next.shape || !wadi_rule_same_shape(cx, b->results[i], b->args[i]);
        }
        grew = grew || next.shape != dep[i].shape || next.elems != dep[i].elems;
        dep[i] = next;
    }
    return grew;
}

/* A fixed point: the state depends on what the first state, the body and the predicate depend on; the predicate counts because it
 * decides the number of rounds. But if the loop keeps an extent, the predicate does not matter for that extent (van den Haak
 * 2019, section 4). */
static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    wadi_dep dep[WADI_MAX_PARAMS];
    for (int i = 0; i < b->nargs; i++) dep[i] = cx->get(cx, b->args[i], 0);
    while (grow(cx, b, dep)) {
    }
    for (int i = 0; i < b->nargs; i++) cx->set(cx, b->results[i], 0, dep[i]);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *state[WADI_MAX_PARAMS], *next[WADI_MAX_PARAMS], *test;
    const size_t mark = cx->mark(cx);
    for (int i = 0; i < b->nargs; i++) state[i] = cx->array(cx, b->args[i]);
    for (;;) {
        WADI_TRY(cx->region(cx, b->blocks[PRED], state, &test));
        if (test->cell[0] == 0) break;
        WADI_TRY(cx->region(cx, b->blocks[BODY], state, next));
        memcpy(state, next, (size_t)b->nargs * sizeof *state);
        cx->release(cx, mark, b->nargs, state);
    }
    for (int i = 0; i < b->nargs; i++) WADI_TRY(cx->alias(cx, b->results[i], state[i]));
    return WADI_OK;
}

/* A loop that never begins gives the start back. */
static int outcome(const wadi_module *m, const wadi_bind *b) {
    const wadi_value *p = &m->values[b->blocks[PRED]->yields[0]];
    return p->def == WADI_DEF_CONST && p->imm.bits == 0 ? WADI_OUTCOME_ARGS : WADI_OUTCOME_OPEN;
}

const wadi_op wadi_op_awhile = {
    .name = "awhile",
    .form = "awhile a.. (x..) { yield p } do (x..) { yield b.. }",
    .types = "a[..].., (a[..].. -> bool), (a[..].. -> a[..]..) -> a[..]..",
    .about = "while p holds, the state becomes b..; extents may change, ranks and types may not",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_LOOP,
    .nblocks = 2,
    .block_params = block_params,
    .type = type,
    .shape = shape,
    .depend = depend,
    .eval = eval,
    .outcome = outcome,
};

wadi_acc wadi_awhile_env(wadi_acc_fn1_env pred, wadi_acc_fn1_env body, void *env, wadi_acc init) {
    wadi_draft d = wadi_draft_begin("awhile");
    int n = 0;
    const wadi_array_type *start = wadi_draft_tuple(&d, init, &n);
    wadi_array_type *state = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    for (int i = 0; i < n; i++)
        state[i] = (wadi_array_type){.rank = start[i].rank, .elem = start[i].elem};
    const wadi_array_type test = {.rank = 0, .elem = wadi_elem_scalar(WADI_BOOL)};
    wadi_draft_region(&d, WADI_LAMBDA_PRED);
    wadi_acc s = wadi_draft_param_acc(&d, n, state);
    wadi_draft_gives_types(&d, WADI_ASK_ACC(pred, env, s), 1, &test);
    wadi_draft_region(&d, WADI_LAMBDA_LOOP);
    s = wadi_draft_param_acc(&d, n, state);
    wadi_draft_gives_types(&d, WADI_ASK_ACC(body, env, s), n, state);
    return wadi_draft_acc_types(&d, &wadi_op_awhile, n, state);
}

/* wadi_awhile_env gives both functions one environment. Here it holds the two functions without environment. */
typedef struct two {
    wadi_acc_fn1 pred, body;
} two;

static wadi_acc call_pred(void *env, wadi_acc s) {
    two *fs = env;
    return WADI_ASK_ACC(fs->pred, s);
}

static wadi_acc call_body(void *env, wadi_acc s) {
    two *fs = env;
    return WADI_ASK_ACC(fs->body, s);
}

wadi_acc wadi_awhile(wadi_acc_fn1 pred, wadi_acc_fn1 body, wadi_acc init) {
    two fs = {pred, body};
    return wadi_awhile_env(call_pred, call_body, &fs, init);
}
