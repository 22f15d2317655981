/* backpermute: reads every element from where a function of its index says. An index out of range is a fault. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(m), WADI_UNUSED(fun);
    return wadi_rule_add_index(types, 0, b->nargs - 1);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1 + WADI_MAX_RANK, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    wadi_type index[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_fun_gives(b, 0, wadi_rule_add_index(index, 0, a->rank), index, err));
    return wadi_rule_result(m, b, b->nargs - 1, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_args(cx, b, 1, b->nargs - 1);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    cx->ops->apply(cx, b->funs[0], ix, source);
    cx->ops->read_checked(cx, b->args[0], source, b->loc, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    uint64_t args[WADI_MAX_RANK], results[WADI_MAX_RANK];
    for (int d = 0; d < b->nargs - 1; d++) args[d] = (uint64_t)ix[d];
    WADI_TRY(cx->apply(cx, b, b->funs[0], args, results));
    int64_t source[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) source[d] = (int64_t)results[d];
    const uint64_t *x;
    WADI_TRY(wadi_eval_read(cx, b, b->loc, a, source, &x));
    wadi_eval_put(a, x, out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    int64_t extents[WADI_MAX_RANK];
    wadi_eval_args(cx, b, 1, b->nargs - 1, extents);
    return wadi_eval_each(cx, b, b->nargs - 1, extents, elem);
}

/* backpermute id a = a, if the shape is the same */
static bool same(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(m);
    return same_shape && wadi_fun_is_identity(b->funs[0], 0);
}

const wadi_op wadi_op_backpermute = {
    .name = "backpermute",
    .form = "backpermute a n.. (i..) { index.. }",
    .types = "a[..], i64.., (i64.. -> i64..) -> a[n..]",
    .about = "the result at i.. is a at the index that the function gives; an index outside a is a "
             "fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "ms",
    .indexes = 1,
    .nfuns = 1,
    .picks = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .same = same,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_backpermute_env(wadi_ix extents, wadi_ix_ix_fn_env f, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("backpermute");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_draft_shape(&d, extents);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, extents.rank);
    wadi_draft_gives_ix(&d, WADI_ASK_IX(f, env, ix), t->rank, false);
    return wadi_draft_acc(&d, &wadi_op_backpermute, extents.rank, &t->elem);
}

wadi_acc wadi_backpermute(wadi_ix extents, wadi_ix_ix_fn f, wadi_acc a) {
    return wadi_backpermute_env(extents, wadi_call_ix_ix, &f, a);
}
