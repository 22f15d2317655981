/* generate: an array from its shape and a function of the index. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(m), WADI_UNUSED(fun);
    return wadi_rule_add_index(types, 0, b->nargs);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 0, WADI_MAX_RANK, err));
    WADI_TRY(wadi_rule_scalars(m, b, 0, b->nargs, WADI_I64, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    wadi_elem e;
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, b->nargs, &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_args(cx, b, 0, b->nargs);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    cx->ops->apply(cx, b->funs[0], ix, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    uint64_t args[WADI_MAX_RANK];
    for (int d = 0; d < b->nargs; d++) args[d] = (uint64_t)ix[d];
    return cx->apply(cx, b, b->funs[0], args, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    int64_t extents[WADI_MAX_RANK];
    wadi_eval_args(cx, b, 0, b->nargs, extents);
    return wadi_eval_each(cx, b, b->nargs, extents, elem);
}

const wadi_op wadi_op_generate = {
    .name = "generate",
    .form = "generate n.. (i..) { .. }",
    .types = "i64.., (i64.. -> a) -> a[n..]",
    .about = "elements from indices; one extent and one index per dimension",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "s",
    .nfuns = 1,
    .generates = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_generate_env(wadi_ix extents, wadi_ix_fn_env f, void *env) {
    wadi_draft d = wadi_draft_begin("generate");
    wadi_draft_shape(&d, extents);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, extents.rank);
    const wadi_elem *e = wadi_draft_gives(&d, WADI_ASK_EXP(f, env, ix));
    return wadi_draft_acc(&d, &wadi_op_generate, extents.rank, e);
}

wadi_acc wadi_generate(wadi_ix extents, wadi_ix_fn f) {
    return wadi_generate_env(extents, wadi_call_ix, &f);
}
