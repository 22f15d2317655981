/* map: a function applied to every element. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    return wadi_rule_add_elem(types, 0, wadi_rule_arg(m, b, 0));
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
    wadi_sx x[WADI_MAX_FIELDS];
    cx->ops->read(cx, b->args[0], ix, x);
    cx->ops->apply(cx, b->funs[0], x, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    return cx->apply(cx, b, b->funs[0], wadi_eval_get(cx->array(cx, b->args[0]), ix), out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    return wadi_eval_each(cx, b, a->rank, a->shape, elem);
}

/* map id a = a */
static bool same(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(same_shape);
    return wadi_fun_is_identity(b->funs[0], 0) && wadi_law_same_elem(m, b->results[0], b->args[0]);
}

const wadi_op wadi_op_map = {
    .name = "map",
    .form = "map a (x) { .. }",
    .types = "a[..], (a -> b) -> b[..]",
    .about = "elements from the elements of an array",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .nfuns = 1,
    .one_to_one = true,
    .faultless = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .same = same,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_map_env(wadi_fn1_env f, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("map");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_exp x = wadi_draft_param(&d, &t->elem);
    const wadi_elem *e = wadi_draft_gives(&d, WADI_ASK_EXP(f, env, x));
    return wadi_draft_acc(&d, &wadi_op_map, t->rank, e);
}

wadi_acc wadi_map(wadi_fn1 f, wadi_acc a) {
    return wadi_map_env(wadi_call1, &f, a);
}
