/* unit: a scalar expression as an array of rank 0. Every extent that is computed comes from a unit. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(m), WADI_UNUSED(b), WADI_UNUSED(fun), WADI_UNUSED(types);
    return 0;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 0, 0, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    wadi_elem e;
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, 0, &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    WADI_UNUSED(cx), WADI_UNUSED(b);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    WADI_UNUSED(ix);
    cx->ops->apply(cx, b->funs[0], NULL, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], 0, NULL, &out));
    return cx->apply(cx, b, b->funs[0], NULL, out->cell);
}

const wadi_op wadi_op_unit = {
    .name = "unit",
    .form = "unit { expression }",
    .types = "-> a",
    .about = "a scalar as an array of rank 0",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .nfuns = 1,
    .scalar = true,
    .faultless = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_unit(wadi_exp e) {
    wadi_draft d = wadi_draft_begin("unit");
    wadi_draft_fun(&d);
    const wadi_elem *elem = wadi_draft_gives(&d, e);
    return wadi_draft_acc(&d, &wadi_op_unit, 0, elem);
}
