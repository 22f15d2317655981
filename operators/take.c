/* take: the first n elements of one dimension; n is clamped to 0..extent. */
#include "operators/part.h"

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
    .form = "take dim=0 a n",
    .types = "a[.., m, ..], i64 -> a[.., min(m, n), ..]",
    .about = "the first n of a dimension; n is clamped to 0..extent",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "es",
    .attrs = "dim",
    .cheap = true,
    .type = wadi_part_type,
    .shape = shape,
    .same = wadi_law_same_shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_take_on(int dim, wadi_exp n, wadi_acc a) {
    return wadi_part_of(&wadi_op_take, false, dim, n, a);
}

wadi_acc wadi_take(wadi_exp n, wadi_acc a) {
    return wadi_part_of(&wadi_op_take, true, 0, n, a);
}
