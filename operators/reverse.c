/* reverse: reverses one dimension. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, 1, 0, a->rank, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    const int dim = (int)b->attrs[0];
    for (int d = 0; d < wadi_rule_rank_of(cx->module, b->args[0]); d++) source[d] = ix[d];
    const wadi_sx last =
        wadi_at_bin(cx, WADI_SOP_SUB, cx->ops->extent(cx, b->args[0], dim), wadi_at_i64(cx, 1));
    source[dim] = wadi_at_bin(cx, WADI_SOP_SUB, last, ix[dim]);
    cx->ops->read(cx, b->args[0], source, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t source[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++)
        source[d] = d == b->attrs[0] ? a->shape[d] - 1 - ix[d] : ix[d];
    wadi_eval_put(a, wadi_eval_get(a, source), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    return wadi_eval_each(cx, b, a->rank, a->shape, elem);
}

/* reverse d (reverse d a) = a */
static wadi_joined join(wadi_bind *b, const wadi_bind *inner) {
    return inner->attrs[0] == b->attrs[0] ? WADI_JOINED_UNDONE : WADI_JOINED_NOT;
}

const wadi_op wadi_op_reverse = {
    .name = "reverse",
    .form = "reverse dim=0 a",
    .types = "a[..] -> a[..]",
    .about = "a with one dimension reversed",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .attrs = "dim",
    .cheap = true,
    .faultless = true,
    .type = type,
    .shape = shape,
    .join = join,
    .at = at,
    .eval = eval,
};

static wadi_acc reversed(bool innermost, int dim, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("reverse");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (innermost) dim = t->rank - 1;
    wadi_expect_dim(&d, t, dim);
    wadi_draft_attr(&d, dim);
    return wadi_draft_acc(&d, &wadi_op_reverse, t->rank, &t->elem);
}

wadi_acc wadi_reverse_on(int dim, wadi_acc a) {
    return reversed(false, dim, a);
}

wadi_acc wadi_reverse(wadi_acc a) {
    return reversed(true, 0, a);
}
