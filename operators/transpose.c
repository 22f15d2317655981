/* transpose: another order of the dimensions. */
#include "operators/rules.h"

#include "graph/lang/node.h"

/* Attributes: dimension d of the result is dimension perm[d] of the array. */
static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, a->rank, 0, a->rank, err));
    unsigned seen = 0;
    for (int d = 0; d < a->rank; d++) seen |= 1u << b->attrs[d];
    if (seen != (1u << a->rank) - 1)
        return wadi_fail_at(err, b->loc, WADI_SHAPE,
                            "transpose: the dimensions given are not a permutation of 0..%d",
                            a->rank - 1);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    for (int d = 0; d < b->nattrs; d++)
        cx->set(cx, b->results[0], 0, d, cx->get(cx, b->args[0], 0, (int)b->attrs[d]));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    for (int d = 0; d < b->nattrs; d++) source[b->attrs[d]] = ix[d];
    cx->ops->read(cx, b->args[0], source, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t source[WADI_MAX_RANK];
    for (int d = 0; d < b->nattrs; d++) source[b->attrs[d]] = ix[d];
    wadi_eval_put(a, wadi_eval_get(a, source), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    for (int d = 0; d < b->nattrs; d++) extents[d] = a->shape[b->attrs[d]];
    return wadi_eval_each(cx, b, b->nattrs, extents, elem);
}

/* transpose id a = a */
static bool same(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(m);
    WADI_UNUSED(same_shape);
    for (int d = 0; d < b->nattrs; d++)
        if (b->attrs[d] != d) return false;
    return true;
}

/* transpose p (transpose q a) = transpose (q . p) a: dimension d of the outer result is dimension p[d] of the inner one, which is
 * dimension q[p[d]] of a. */
static wadi_joined join(wadi_bind *b, const wadi_bind *inner) {
    for (int d = 0; d < b->nattrs; d++) b->attrs[d] = inner->attrs[b->attrs[d]];
    return WADI_JOINED_ONE;
}

const wadi_op wadi_op_transpose = {
    .name = "transpose",
    .form = "transpose perm=1,0.. a",
    .types = "a[m, .., n] -> a[n, .., m]",
    .about = "dimension d of the result is dimension perm[d] of a",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .attrs = "perm",
    .cheap = true,
    .faultless = true,
    .type = type,
    .shape = shape,
    .same = same,
    .join = join,
    .at = at,
    .eval = eval,
};

/* perm NULL: reverses the order of the dimensions */
static wadi_acc transposed(const int *perm, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("transpose");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    unsigned seen = 0;
    for (int i = 0; i < t->rank; i++) {
        const int from = perm ? perm[i] : t->rank - 1 - i;
        wadi_expect_dim(&d, t, from);
        if (wadi_draft_failed(&d)) return WADI_NO_ACC;
        seen |= 1u << from;
        wadi_draft_attr(&d, from);
    }
    if (seen != (1u << t->rank) - 1)
        wadi_draft_fail(&d, WADI_SHAPE, "the dimensions given are not a permutation of 0..%d",
                        t->rank - 1);
    return wadi_draft_acc(&d, &wadi_op_transpose, t->rank, &t->elem);
}

wadi_acc wadi_transpose_on(const int *perm, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("transpose_on");
    wadi_draft_given(&d, perm, "dimensions");
    return transposed(perm, a);
}

wadi_acc wadi_transpose(wadi_acc a) {
    return transposed(NULL, a);
}
