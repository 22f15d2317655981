/* scanl1: the prefixes of the innermost dimension combined, without an initial value. An empty row gives an empty row.
 * operators/reduce_tree.h fixes the order of combination. */
#include "operators/combined.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_combining(m, b, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    const wadi_rows rows = wadi_eval_rows(a);
    const int64_t cells = rows.length * a->cells;
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], a->rank, a->shape, &out));
    int64_t ix[WADI_MAX_RANK] = {0};
    for (int64_t r = 0; r < rows.count; r++) {
        wadi_eval_here(cx, rows.rank, ix);
        WADI_TRY(wadi_eval_scan_row(cx, b, b->funs[0], a->cells, a->cell + r * cells, rows.length,
                                    out->cell + r * cells));
        wadi_eval_next(rows.rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_scanl1 = {
    .name = "scanl1",
    .form = "scanl1 a (x, y) { .. }",
    .types = "a[.., n], (a, a -> a) -> a[.., n]",
    .about = "a0, a0 f a1, ..: as long as the row",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_SCAN,
    .reads = "e",
    .nfuns = 1,
    .in_place = true,
    .faultless = true,
    .fun_params = wadi_rule_combining_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_scanl1_env(wadi_fn2_env f, void *env, wadi_acc a) {
    return wadi_combined(&wadi_op_scanl1, f, env, NULL, a);
}

wadi_acc wadi_scanl1(wadi_fn2 f, wadi_acc a) {
    return wadi_scanl1_env(wadi_call2, &f, a);
}
