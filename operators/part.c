/* The type rule and the builder of take and drop. */
#include "operators/part.h"

wadi_status wadi_part_type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, 1, 0, a->rank, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, 1, WADI_I64, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

wadi_acc wadi_part_of(const wadi_op *op, bool innermost, int dim, wadi_exp n, wadi_acc a) {
    wadi_draft d = wadi_draft_begin(op->name);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (innermost) dim = t->rank - 1;
    wadi_expect_dim(&d, t, dim);
    wadi_draft_int(&d, n);
    wadi_draft_attr(&d, dim);
    return wadi_draft_acc(&d, op, t->rank, &t->elem);
}
