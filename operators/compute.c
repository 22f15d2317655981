/* compute: stores an array in memory. Its value is that of its argument; fusion does not reach through it. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    cx->ops->read(cx, b->args[0], ix, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    return cx->alias(cx, b->results[0], cx->array(cx, b->args[0]));
}

/* compute a = a, if `a` is always stored: no elements of it can be computed alone, one after the other or in the loop of a fold */
static bool same(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(same_shape);
    const wadi_value *a = &m->values[b->args[0]];
    if (a->def != WADI_DEF_BIND) return false;
    const wadi_op *op = a->bind->op;
    return op->stored || (op->kind == WADI_OP_CONSUMER && !wadi_op_has(op, WADI_TRAIT_ALONE) &&
                          !wadi_op_has(op, WADI_TRAIT_KEEPS));
}

const wadi_op wadi_op_compute = {
    .name = "compute",
    .form = "compute a",
    .types = "a[..] -> a[..]",
    .about = "stores a in memory: fusion stops here",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .one_to_one = true,
    .stored = true,
    .faultless = true,
    .type = type,
    .shape = shape,
    .same = same,
    .at = at,
    .eval = eval,
};

static wadi_acc computed(wadi_acc a) {
    wadi_draft d = wadi_draft_begin("compute");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_draft_acc(&d, &wadi_op_compute, t->rank, &t->elem);
}

wadi_acc wadi_compute(wadi_acc a) {
    const int n = wadi_parts(a);
    if (n < 2 || n > WADI_DRAFT_ARGS) return computed(a);
    wadi_acc parts[WADI_DRAFT_ARGS];
    for (int i = 0; i < n; i++) parts[i] = computed(wadi_tuple_get(a, i));
    return wadi_tuple(n, parts);
}
