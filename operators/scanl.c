/* scanl: the prefixes of the innermost dimension combined, beginning with z, so the extent becomes n + 1. operators/reduce_tree.h
 * fixes the order of combination. */
#include "operators/combined.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    WADI_TRY(wadi_rule_start(m, b, err));
    WADI_TRY(wadi_rule_combining(m, b, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 1);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[1]);
    const wadi_ext one = wadi_ext_const(cx->extents, 1);
    const wadi_ext n = cx->get(cx, b->args[1], 0, rank - 1);
    wadi_rule_shape_like(cx, b, b->args[1], rank - 1);
    cx->set(cx, b->results[0], 0, rank - 1, wadi_ext_add(cx->extents, n, one));
}

/* The scanl1 of the row goes to places 1..n of the result; then z is combined with each of them from the left. */
static wadi_status scan_row(wadi_eval_cx *cx, const wadi_bind *b, const wadi_iarray *z,
                            const uint64_t *row, int64_t n, uint64_t *out) {
    const int cells = z->cells;
    wadi_eval_put(z, z->cell, out);
    WADI_TRY(wadi_eval_scan_row(cx, b, b->funs[0], cells, row, n, out + cells));
    for (int64_t i = 1; i <= n; i++) {
        uint64_t *to = out + i * cells;
        WADI_TRY(wadi_eval_combine(cx, b, b->funs[0], cells, z->cell, to, to));
    }
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *z = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    const wadi_rows rows = wadi_eval_rows(a);
    const int cells = a->cells;
    int64_t extents[WADI_MAX_RANK], ix[WADI_MAX_RANK] = {0};
    for (int d = 0; d < a->rank; d++) extents[d] = a->shape[d];
    extents[rows.rank] = rows.length + 1;
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], a->rank, extents, &out));
    for (int64_t r = 0; r < rows.count; r++) {
        wadi_eval_here(cx, rows.rank, ix);
        WADI_TRY(scan_row(cx, b, z, a->cell + r * rows.length * cells, rows.length,
                          out->cell + r * (rows.length + 1) * cells));
        wadi_eval_next(rows.rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_scanl = {
    .name = "scanl",
    .form = "scanl z a (x, y) { .. }",
    .types = "a, a[.., n], (a, a -> a) -> a[.., n + 1]",
    .about = "z, z f a0, z f a0 f a1, ..: one element more than the row",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_SCAN,
    .reads = "se",
    .nfuns = 1,
    .faultless = true,
    .fun_params = wadi_rule_combining_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_scanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_combined(&wadi_op_scanl, f, env, &z, a);
}

wadi_acc wadi_scanl(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_scanl_env(wadi_call2, &f, z, a);
}
