/* concat: arrays, one after another along one dimension. The other extents must agree. */
#include "operators/zip.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_ZIP_ARRAYS, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, 1, 0, a->rank, err));
    WADI_TRY(wadi_zip_type(m, b, 0, err));
    for (int i = 1; i < b->nargs; i++) WADI_TRY(wadi_rule_same_elem(m, b, i, 0, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static const char beside[] = "extents beside the dimension";

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]), dim = (int)b->attrs[0];
    wadi_ext all = cx->get(cx, b->args[0], 0, dim);
    for (int i = 1; i < b->nargs; i++) {
        for (int d = 0; d < rank; d++)
            if (d != dim)
                cx->require_equal(cx, b, cx->get(cx, b->args[0], 0, d),
                                  cx->get(cx, b->args[i], 0, d), beside, d);
        all = wadi_ext_add(cx->extents, all, cx->get(cx, b->args[i], 0, dim));
    }
    wadi_rule_shape_like(cx, b, b->args[0], rank);
    cx->set(cx, b->results[0], 0, dim, all);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    int64_t at_arg[WADI_MAX_RANK];
    const int64_t dim = b->attrs[0];
    int i = 0;
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    for (int d = 0; d < a->rank; d++) at_arg[d] = ix[d];
    while (at_arg[dim] >= a->shape[dim]) {
        at_arg[dim] -= a->shape[dim];
        a = cx->array(cx, b->args[++i]);
    }
    wadi_eval_put(a, wadi_eval_get(a, at_arg), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) extents[d] = a->shape[d];
    for (int i = 1; i < b->nargs; i++) {
        const wadi_iarray *other = cx->array(cx, b->args[i]);
        for (int d = 0; d < a->rank; d++)
            if (d != b->attrs[0] && other->shape[d] != a->shape[d])
                return wadi_eval_differ(cx, b, beside, d, a->shape[d], other->shape[d]);
        extents[b->attrs[0]] += other->shape[b->attrs[0]];
    }
    return wadi_eval_each(cx, b, a->rank, extents, elem);
}

const wadi_op wadi_op_concat = {
    .name = "concat",
    .form = "concat dim=0 a b..",
    .types = "a[.., m, ..], a[.., n, ..].. -> a[.., m + n.., ..]",
    .about = "a and b one after the other along a dimension; if other extents differ, a fault",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_CONCAT,
    .reads = "e",
    .attrs = "dim",
    .type = type,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

static wadi_acc joined(bool innermost, int dim, int n, const wadi_acc *arrays) {
    const wadi_array_type *t[WADI_ZIP_ARRAYS] = {NULL};
    wadi_draft d = wadi_draft_begin("concat");
    if (!wadi_zip_draft(&d, 1, n, arrays, t)) return WADI_NO_ACC;
    for (int i = 1; i < n; i++)
        if (!wadi_elem_equal(&t[0]->elem, &t[i]->elem))
            wadi_draft_fail(&d, WADI_TYPE, "argument %d is %s, expected elements %s", i + 1,
                            wadi_array_type_text(t[i]), wadi_elem_text(&t[0]->elem));
    if (innermost) dim = t[0]->rank > 0 ? t[0]->rank - 1 : 0;
    wadi_expect_dim(&d, t[0], dim);
    wadi_draft_attr(&d, dim);
    return wadi_draft_acc(&d, &wadi_op_concat, t[0]->rank, &t[0]->elem);
}

wadi_acc wadi_concat_n(int dim, int n, const wadi_acc *arrays) {
    return joined(false, dim, n, arrays);
}

wadi_acc wadi_concat_on(int dim, wadi_acc a, wadi_acc b) {
    return joined(false, dim, 2, (const wadi_acc[]){a, b});
}

wadi_acc wadi_concat(wadi_acc a, wadi_acc b) {
    return joined(true, 0, 2, (const wadi_acc[]){a, b});
}
