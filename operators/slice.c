/* slice: drops dimensions of an array, each at one index. Out of range is a fault. */
#include "operators/rules.h"

#include "operators/spec.h"

/* There is an attribute per dimension of the array: 1 if it is dropped (at the index in the next scalar argument), 0 if it is kept.
 * This counts the dropped ones. */
static int dropped(const wadi_bind *b) {
    int n = 0;
    for (int d = 0; d < b->nattrs; d++) n += b->attrs[d] == 1;
    return n;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1 + WADI_MAX_RANK, err));
    WADI_TRY(wadi_rule_attrs(b, b->nattrs, 0, 2, err));
    WADI_TRY(wadi_rule_rank(m, b, 0, b->nattrs, err));
    if (b->nargs != 1 + dropped(b))
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "slice: %d indices for %d dropped dimensions", b->nargs - 1,
                            dropped(b));
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    return wadi_rule_result(m, b, b->nattrs - dropped(b), &wadi_rule_arg(m, b, 0)->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    int kept = 0;
    for (int d = 0; d < b->nattrs; d++)
        if (b->attrs[d] == 0) cx->set(cx, b->results[0], 0, kept++, cx->get(cx, b->args[0], 0, d));
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    int kept = 0, next = 1;
    for (int d = 0; d < b->nattrs; d++)
        source[d] = b->attrs[d] == 1 ? wadi_at_scalar(cx, b->args[next++]) : ix[kept++];
    if (next == 1)
        cx->ops->read(cx, b->args[0], source, out);
    else
        cx->ops->read_checked(cx, b->args[0], source, b->loc, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t source[WADI_MAX_RANK];
    int kept = 0, next = 1;
    for (int d = 0; d < b->nattrs; d++)
        source[d] = b->attrs[d] == 1 ? wadi_eval_i64(cx, b->args[next++]) : ix[kept++];
    const uint64_t *x;
    WADI_TRY(wadi_eval_read(cx, b, b->loc, a, source, &x));
    wadi_eval_put(a, x, out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    int kept = 0;
    for (int d = 0; d < b->nattrs; d++)
        if (b->attrs[d] == 0) extents[kept++] = a->shape[d];
    return wadi_eval_each(cx, b, kept, extents, elem);
}

const wadi_op wadi_op_slice = {
    .name = "slice",
    .form = "slice dropped=1,0.. a i..",
    .types = "a[.., n, ..], i64.. -> a[..]",
    .about =
        "drops the dimensions where `dropped` is 1, each at an index; an index outside is a fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "es",
    .indexes = 1,
    .attrs = "dropped",
    .cheap = true,
    .type = type,
    .shape = shape,
    .same = wadi_law_same_shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_slice(int n, const wadi_spec *spec, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("slice");
    if (n > 0) wadi_draft_given(&d, spec, "entries");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const int fixed = wadi_spec_fixed(n, spec);
    const wadi_dims dims = wadi_spec_dims(&d, t, n, spec, t->rank - fixed);
    wadi_spec_entries(&d, &dims);
    return wadi_draft_acc(&d, &wadi_op_slice, t->rank - fixed, &t->elem);
}
