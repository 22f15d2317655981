/* The builders of folds and scans, of rows and of segments. */
#include "operators/combined.h"

wadi_acc wadi_combined_end(wadi_draft *d, const wadi_op *op, wadi_fn2_env f, void *env,
                           const wadi_array_type *t, int rank) {
    wadi_draft_fun(d);
    const wadi_exp acc = wadi_draft_param(d, &t->elem), x = wadi_draft_param(d, &t->elem);
    wadi_draft_gives_elem(d, WADI_ASK_EXP(f, env, acc, x), &t->elem);
    return wadi_draft_acc(d, op, rank, &t->elem);
}

wadi_acc wadi_combined(const wadi_op *op, wadi_fn2_env f, void *env, const wadi_exp *z,
                       wadi_acc a) {
    wadi_draft d = wadi_draft_begin(op->name);
    const wadi_elem *start = z ? wadi_draft_scalar(&d, *z) : NULL;
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    if (z) wadi_expect_elem(&d, t, start);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_combined_end(&d, op, f, env, t, t->rank - wadi_op_has(op, WADI_TRAIT_REDUCES_ROWS));
}
