/* permute: starts from the defaults and sends each element of the array to an index, combining
 * it with what is there, in the order of the source. An index out of range is a fault; an
 * element may be dropped. */
#include "operators/rules.h"

#include "graph/lang/node.h"

/* Function 0: comb(new.., old..) -> element. Function 1: index of the source -> keep, index of
 * the defaults. */
static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    const wadi_array_type *defaults = wadi_rule_arg(m, b, 0), *a = wadi_rule_arg(m, b, 1);
    if (!defaults || !a) return -1;
    if (fun == 1) return wadi_rule_add_index(types, 0, a->rank);
    return wadi_rule_add_elem(types, wadi_rule_add_elem(types, 0, a), defaults);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    WADI_TRY(wadi_rule_same_elem(m, b, 1, 0, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun(m, b, 1, err));
    const wadi_array_type *defaults = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_fun_gives(b, 0, defaults->elem.fields, defaults->elem.type, err));
    wadi_type target[WADI_MAX_PARAMS] = {WADI_BOOL};
    const int n = wadi_rule_add_index(target, 1, defaults->rank);
    WADI_TRY(wadi_rule_fun_gives(b, 1, n, target, err));
    return wadi_rule_result(m, b, defaults->rank, &defaults->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static wadi_status send(wadi_eval_cx *cx, const wadi_bind *b, const wadi_iarray *a,
                        const int64_t *ix, wadi_iarray *out) {
    uint64_t args[WADI_MAX_RANK], target[1 + WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) args[d] = (uint64_t)ix[d];
    WADI_TRY(cx->apply(cx, b, b->funs[1], args, target));
    if (target[0] == 0) return WADI_OK;
    int64_t to[WADI_MAX_RANK];
    for (int d = 0; d < out->rank; d++) to[d] = (int64_t)target[1 + d];
    const uint64_t *old;
    WADI_TRY(wadi_eval_read(cx, b, b->loc, out, to, &old));
    uint64_t *place = out->cell + (old - out->cell);
    return wadi_eval_combine(cx, b, b->funs[0], a->elem.fields, wadi_eval_get(a, ix), old, place);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *defaults = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], defaults->rank, defaults->shape, &out));
    for (int64_t i = 0; i < out->size * out->elem.fields; i++) out->cell[i] = defaults->cell[i];
    int64_t ix[WADI_MAX_RANK] = {0};
    for (int64_t i = 0; i < a->size; i++) {
        wadi_eval_here(cx, a->rank, ix);
        WADI_TRY(send(cx, b, a, ix, out));
        wadi_eval_next(a->rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_permute = {
    .name = "permute",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_PERMUTE,
    .reads = "ce",
    .nfuns = 2,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_permute_env(wadi_fn2_env comb, wadi_acc defaults, wadi_ix_ix_fn_env f, void *env,
                          wadi_acc a) {
    wadi_draft d = wadi_draft_begin("permute");
    const wadi_array_type *old = wadi_draft_array(&d, defaults), *t = wadi_draft_array(&d, a);
    wadi_expect_elem(&d, t, old ? &old->elem : NULL);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_exp x = wadi_draft_param(&d, &t->elem), y = wadi_draft_param(&d, &t->elem);
    wadi_draft_gives_elem(&d, comb(env, x, y), &t->elem);
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, t->rank);
    wadi_draft_gives_ix(&d, f(env, ix), old->rank, true);
    return wadi_draft_acc(&d, &wadi_op_permute, old->rank, &old->elem);
}

/* Both functions get one environment, so the two without are called through a pair. */
typedef struct two {
    wadi_fn2 comb;
    wadi_ix_ix_fn f;
} two;

static wadi_exp call_comb(void *env, wadi_exp x, wadi_exp old) {
    two *fs = env;
    return fs->comb(x, old);
}

static wadi_ix call_target(void *env, wadi_ix ix) {
    two *fs = env;
    return fs->f(ix);
}

wadi_acc wadi_permute(wadi_fn2 comb, wadi_acc defaults, wadi_ix_ix_fn f, wadi_acc a) {
    two fs = {comb, f};
    return wadi_permute_env(call_comb, defaults, call_target, &fs, a);
}
