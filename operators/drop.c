/* drop: all but the first n elements of one dimension; n is clamped to 0..extent. */
#include "operators/part.h"

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int dim = (int)b->attrs[0];
    const wadi_ext zero = wadi_ext_const(cx->extents, 0);
    const wadi_ext all = cx->get(cx, b->args[0], 0, dim);
    const wadi_ext n = wadi_ext_max(cx->extents, cx->scalar(cx, b->args[1]), zero);
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
    cx->set(cx, b->results[0], 0, dim,
            wadi_ext_sub(cx->extents, all, wadi_ext_min(cx->extents, n, all)));
}

/* The result has an element, so n is less than the extent; only a negative n must be clamped. */
static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    const int dim = (int)b->attrs[0];
    for (int d = 0; d < wadi_rule_rank_of(cx->module, b->args[0]); d++) source[d] = ix[d];
    const wadi_sx n =
        wadi_at_bin(cx, WADI_SOP_MAX, wadi_at_scalar(cx, b->args[1]), wadi_at_i64(cx, 0));
    source[dim] = wadi_at_bin(cx, WADI_SOP_ADD, ix[dim], n);
    cx->ops->read(cx, b->args[0], source, out);
}

static int64_t dropped(wadi_eval_cx *cx, const wadi_bind *b, const wadi_iarray *a) {
    return wadi_eval_clamp(wadi_eval_i64(cx, b->args[1]), a->shape[b->attrs[0]]);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t source[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++)
        source[d] = d == b->attrs[0] ? ix[d] + dropped(cx, b, a) : ix[d];
    wadi_eval_put(a, wadi_eval_get(a, source), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) extents[d] = a->shape[d];
    extents[b->attrs[0]] -= dropped(cx, b, a);
    return wadi_eval_each(cx, b, a->rank, extents, elem);
}

const wadi_op wadi_op_drop = {
    .name = "drop",
    .form = "drop dim=0 a n",
    .types = "a[.., m, ..], i64 -> a[.., m - min(m, n), ..]",
    .about = "all but the first n of a dimension; n is clamped to 0..extent",
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

wadi_acc wadi_drop_on(int dim, wadi_exp n, wadi_acc a) {
    return wadi_part_of(&wadi_op_drop, false, dim, n, a);
}

wadi_acc wadi_drop(wadi_exp n, wadi_acc a) {
    return wadi_part_of(&wadi_op_drop, true, 0, n, a);
}
