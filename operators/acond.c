/* acond: one of two regions, chosen by a scalar. Only the chosen one runs. */
#include "operators/rules.h"

#include "graph/lang/node.h"

enum { THEN = 0, ELSE = 1 };

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_scalars(m, b, 0, 1, WADI_BOOL, err));
    WADI_TRY(wadi_rule_block(m, b, THEN, err));
    WADI_TRY(wadi_rule_block(m, b, ELSE, err));
    const wadi_block *then = b->blocks[THEN];
    const int n = then->nyields;
    if (n > WADI_MAX_PARAMS)
        return wadi_fail_at(err, b->loc, WADI_UNSUPPORTED, "acond: %d results, at most %d", n,
                            WADI_MAX_PARAMS);
    WADI_TRY(wadi_rule_yields(m, b, THEN, n, NULL, err));
    wadi_array_type types[WADI_MAX_PARAMS];
    for (int i = 0; i < n; i++) types[i] = *m->values[then->yields[i]].type.array;
    WADI_TRY(wadi_rule_yields(m, b, ELSE, n, types, err));
    return wadi_rule_results(m, b, n, types, err);
}

/* Extents on which both sides agree are known; the others only when the program runs. */
static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    cx->region(cx, b->blocks[THEN]);
    cx->region(cx, b->blocks[ELSE]);
    for (int i = 0; i < b->nresults; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->results[i]); d++) {
            const wadi_ext t = cx->get(cx, b->blocks[THEN]->yields[i], 0, d);
            const wadi_ext e = cx->get(cx, b->blocks[ELSE]->yields[i], 0, d);
            const bool same = wadi_ext_same(cx->extents, t, e);
            cx->set(cx, b->results[i], 0, d, same ? t : cx->opaque(cx, b->results[i], 0, d));
        }
}

/* If the condition does not depend on the stream, it chooses one side for all elements. If it does, a result's shape stays
 * independent only if both sides have the same shape. */
static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    cx->region(cx, b->blocks[THEN]);
    cx->region(cx, b->blocks[ELSE]);
    const bool chosen_by_element = cx->get(cx, b->args[0], 0).elems;
    for (int i = 0; i < b->nresults; i++) {
        const wadi_val t = b->blocks[THEN]->yields[i], e = b->blocks[ELSE]->yields[i];
        wadi_dep dep = wadi_dep_or(cx->get(cx, t, 0), cx->get(cx, e, 0));
        if (chosen_by_element) {
            dep.elems = true;
            dep.shape = dep.shape || !wadi_rule_same_shape(cx, t, e);
        }
        cx->set(cx, b->results[i], 0, dep);
    }
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *yields[WADI_MAX_PARAMS];
    const int side = cx->array(cx, b->args[0])->cell[0] != 0 ? THEN : ELSE;
    WADI_TRY(cx->region(cx, b->blocks[side], NULL, yields));
    for (int i = 0; i < b->nresults; i++) WADI_TRY(cx->alias(cx, b->results[i], yields[i]));
    return WADI_OK;
}

static int outcome(const wadi_module *m, const wadi_bind *b) {
    const wadi_value *p = &m->values[b->args[0]];
    if (p->def != WADI_DEF_CONST) return WADI_OUTCOME_OPEN;
    return p->imm.bits != 0 ? THEN : ELSE;
}

const wadi_op wadi_op_acond = {
    .name = "acond",
    .form = "acond p { yield a.. } else { yield b.. }",
    .types = "bool, (-> a[..]..), (-> a[..]..) -> a[..]..",
    .about = "a branch: only the chosen side is computed",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_COND,
    .nblocks = 2,
    .type = type,
    .shape = shape,
    .depend = depend,
    .eval = eval,
    .separable = true,
    .outcome = outcome,
};

wadi_acc wadi_acond(wadi_exp p, wadi_acc a, wadi_acc b) {
    wadi_draft d = wadi_draft_begin("acond");
    const wadi_elem *e = wadi_draft_scalar(&d, p);
    const wadi_elem want = wadi_elem_scalar(WADI_BOOL);
    if (!wadi_draft_failed(&d) && !wadi_elem_equal(e, &want))
        wadi_draft_fail(&d, WADI_TYPE, "the condition is %s, expected bool", wadi_elem_text(e));
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    int n = 0, m = 0;
    const wadi_array_type *then = wadi_draft_branch(&d, a, &n);
    const wadi_array_type *other = wadi_draft_branch(&d, b, &m);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (n != m) wadi_draft_fail(&d, WADI_TYPE, "the sides are tuples of %d and %d arrays", n, m);
    wadi_array_type *types = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    for (int i = 0; i < n; i++) {
        if (then[i].rank != other[i].rank || !wadi_elem_equal(&then[i].elem, &other[i].elem))
            wadi_draft_fail(&d, WADI_TYPE, "the sides are %s and %s",
                            wadi_array_type_text(&then[i]), wadi_array_type_text(&other[i]));
        types[i] = (wadi_array_type){.rank = then[i].rank, .elem = then[i].elem};
    }
    return wadi_draft_acc_types(&d, &wadi_op_acond, n, types);
}
