/* input: an array that is bound by name when the program runs. Its declared extents are facts: equal names mean equal extents,
 * which is checked when it is bound. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 0, 0, err));
    if (b->name && b->nresults == 1 && !m->values[b->results[0]].type.is_seq) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_INVALID, "input: needs a name and the type of one array");
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_declared(cx, b->results[0], 0);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->input(cx, b->name);
    if (!a)
        return wadi_fail_at(cx->err, b->loc, WADI_INVALID, "input: nothing is bound to '%s'",
                            b->name);
    return cx->alias(cx, b->results[0], a);
}

const wadi_op wadi_op_input = {
    .name = "input",
    .form = "x = input \"name\" : TYPE",
    .types = "-> a[n..]",
    .about = "an array bound by name when the program runs; equal extent names mean equal extents",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_NONE,
    .given = WADI_GIVEN_BY_RUN,
    .stored = true,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_input_rec(const char *name, wadi_elem_type elem, int rank,
                        const char *const *extents) {
    wadi_draft d = wadi_draft_begin("input");
    wadi_draft_name(&d, name);
    wadi_array_type *t = wadi_draft_types(&d, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_declare(&d, elem, rank, extents, t);
    return wadi_draft_acc_types(&d, &wadi_op_input, 1, t);
}

wadi_acc wadi_input(const char *name, wadi_type type_, int rank, const char *const *extents) {
    return wadi_input_rec(name, wadi_scalar_elem(type_), rank, extents);
}
