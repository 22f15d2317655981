/* fold: reduces the innermost dimension by an associative function. z is used once per result and need not be an identity.
 * operators/reduce_tree.h fixes the order of combination. */
#include "operators/combined.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    WADI_TRY(wadi_rule_start(m, b, err));
    WADI_TRY(wadi_rule_combining(m, b, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 1);
    return wadi_rule_result(m, b, a->rank - 1, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_shape_like(cx, b, b->args[1], wadi_rule_rank_of(cx->module, b->args[1]) - 1);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *z = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    const wadi_rows rows = wadi_eval_rows(a);
    const int cells = a->cells;
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], rows.rank, a->shape, &out));
    int64_t ix[WADI_MAX_RANK] = {0};
    for (int64_t r = 0; r < rows.count; r++) {
        uint64_t *to = out->cell + r * cells, total[WADI_MAX_ELEM_CELLS];
        wadi_eval_here(cx, rows.rank, ix);
        if (rows.length == 0) {
            wadi_eval_put(z, z->cell, to);
        } else {
            const uint64_t *row = a->cell + r * rows.length * cells;
            WADI_TRY(wadi_eval_fold_row(cx, b, b->funs[0], cells, row, rows.length, total));
            WADI_TRY(wadi_eval_combine(cx, b, b->funs[0], cells, z->cell, total, to));
        }
        wadi_eval_next(rows.rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_fold = {
    .name = "fold",
    .form = "fold z a (x, y) { .. }",
    .types = "a, a[.., n], (a, a -> a) -> a[..]",
    .about = "reduces each row (the innermost dimension); the function must be associative; z is "
             "used once per row",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_FOLD,
    .reads = "se",
    .nfuns = 1,
    .faultless = true,
    .fun_params = wadi_rule_combining_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_fold_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_combined(&wadi_op_fold, f, env, &z, a);
}

wadi_acc wadi_fold(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_fold_env(wadi_call2, &f, z, a);
}
