/* assert_shape: the array itself, with the promise that it has the given shape. A broken promise is a fault. The analysis then
 * knows what it could not prove: for example, that segments are as long as a header says, or that the rows of two streams have
 * one length. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1 + WADI_MAX_RANK, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_counts(m, b, 1 + a->rank, 1 + a->rank, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static const char said[] = "the extent and what it is said to be";

/* The result has the promised extents. So values computed from it rely on this check. */
static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    for (int d = 0; d < b->nargs - 1; d++)
        cx->require_equal(cx, b, cx->get(cx, b->args[0], 0, d), cx->scalar(cx, b->args[1 + d]),
                          said, d);
    wadi_rule_shape_args(cx, b, 1, b->nargs - 1);
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
    wadi_eval_args(cx, b, 1, a->rank, extents);
    for (int d = 0; d < a->rank; d++)
        if (extents[d] != a->shape[d])
            return wadi_eval_differ(cx, b, said, d, a->shape[d], extents[d]);
    return wadi_eval_each(cx, b, a->rank, extents, elem);
}

const wadi_op wadi_op_assert_shape = {
    .name = "assert_shape",
    .form = "assert_shape a n..",
    .types = "a[..], i64.. -> a[n..]",
    .about = "a itself, with the promise that it has these extents; otherwise a fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "es",
    .cheap = true,
    .one_to_one = true,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_assert_shape(wadi_ix extents, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("assert_shape");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank(&d, t, extents.rank);
    wadi_draft_shape(&d, extents);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_draft_acc(&d, &wadi_op_assert_shape, t->rank, &t->elem);
}
