/* take: the first n of one dimension; n clamps to 0..extent. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, 1, 0, a->rank, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, 1, WADI_I64, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int dim = (int)b->attrs[0];
    const wadi_ext zero = wadi_ext_const(cx->extents, 0);
    const wadi_ext n = wadi_ext_max(cx->extents, cx->scalar(cx, b->args[1]), zero);
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
    cx->set(cx, b->results[0], 0, dim,
            wadi_ext_min(cx->extents, n, cx->get(cx, b->args[0], 0, dim)));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    cx->ops->read(cx, b->args[0], ix, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    wadi_eval_put(a, wadi_eval_get(a, ix), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) extents[d] = a->shape[d];
    const int64_t dim = b->attrs[0];
    extents[dim] = wadi_eval_clamp(wadi_eval_i64(cx, b->args[1]), a->shape[dim]);
    return wadi_eval_each(cx, b, a->rank, extents, elem);
}

const wadi_op wadi_op_take = {
    .name = "take",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "es",
    .attrs = "dim",
    .cheap = true,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

static wadi_acc taken(bool innermost, int dim, wadi_exp n, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("take");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (innermost) dim = t->rank - 1;
    wadi_expect_dim(&d, t, dim);
    wadi_draft_int(&d, n);
    wadi_draft_attr(&d, dim);
    return wadi_draft_acc(&d, &wadi_op_take, t->rank, &t->elem);
}

wadi_acc wadi_take_on(int dim, wadi_exp n, wadi_acc a) {
    return taken(false, dim, n, a);
}

wadi_acc wadi_take(wadi_exp n, wadi_acc a) {
    return taken(true, 0, n, a);
}
