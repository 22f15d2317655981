/* gather: the elements of a vector at the positions in an array of indices. An index out of range is a fault. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    const wadi_array_type *indices = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_rank(m, b, 1, 1, err));
    if (indices->elem.fields != 1 || !wadi_type_is_int(indices->elem.type[0]))
        return wadi_fail_at(err, b->loc, WADI_TYPE, "gather: the indices are not integers");
    return wadi_rule_result(m, b, indices->rank, &wadi_rule_arg(m, b, 1)->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

/* An unsigned index beyond i64 becomes negative and faults like any other. */
static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx i;
    cx->ops->read(cx, b->args[0], ix, &i);
    i = wadi_at_to_i64(cx, cx->module->values[b->args[0]].type.array->elem.type[0], i);
    cx->ops->read_checked(cx, b->args[1], &i, b->loc, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *indices = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    const int64_t i = (int64_t)*wadi_eval_get(indices, ix);
    const uint64_t *x;
    WADI_TRY(wadi_eval_read(cx, b, b->loc, a, &i, &x));
    wadi_eval_put(a, x, out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *indices = cx->array(cx, b->args[0]);
    return wadi_eval_each(cx, b, indices->rank, indices->shape, elem);
}

const wadi_op wadi_op_gather = {
    .name = "gather",
    .form = "gather indices v",
    .types = "integer[..], a[n] -> a[..]",
    .about = "elements of the vector v by their indices; an index outside v is a fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "em",
    .indexes = 2,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_gather(wadi_acc indices, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("gather");
    const wadi_array_type *i = wadi_draft_array(&d, indices);
    wadi_expect_int(&d, i);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank(&d, t, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_draft_acc(&d, &wadi_op_gather, i->rank, &t->elem);
}
