/* imap: a function of the index and the element, applied to every element. */
#include "operators/rules.h"

#include "graph/lang/node.h"

enum { MAX_ARGS = WADI_MAX_RANK + WADI_MAX_FIELDS };

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    return a ? wadi_rule_add_elem(types, wadi_rule_add_index(types, 0, a->rank), a) : -1;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    wadi_elem e;
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, wadi_rule_rank_of(m, b->args[0]), &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx args[MAX_ARGS];
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]);
    for (int d = 0; d < rank; d++) args[d] = ix[d];
    cx->ops->read(cx, b->args[0], ix, args + rank);
    cx->ops->apply(cx, b->funs[0], args, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    uint64_t args[MAX_ARGS];
    for (int d = 0; d < a->rank; d++) args[d] = (uint64_t)ix[d];
    wadi_eval_put(a, wadi_eval_get(a, ix), args + a->rank);
    return cx->apply(cx, b, b->funs[0], args, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    return wadi_eval_each(cx, b, a->rank, a->shape, elem);
}

const wadi_op wadi_op_imap = {
    .name = "imap",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .nfuns = 1,
    .one_to_one = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_imap_env(wadi_imap_fn_env f, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("imap");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, t->rank);
    const wadi_exp x = wadi_draft_param(&d, &t->elem);
    const wadi_elem *e = wadi_draft_gives(&d, f(env, ix, x));
    return wadi_draft_acc(&d, &wadi_op_imap, t->rank, e);
}

wadi_acc wadi_imap(wadi_imap_fn f, wadi_acc a) {
    return wadi_imap_env(wadi_call_imap, &f, a);
}
