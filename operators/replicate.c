/* replicate: repeats an array along new dimensions. Nothing is copied. */
#include "operators/rules.h"

#include "operators/spec.h"

/* There is an attribute per dimension of the result: 1 for a new one (its extent is the next scalar argument), 0 for a dimension of
 * the array. This counts the new ones. */
static int new_dims(const wadi_bind *b) {
    int n = 0;
    for (int d = 0; d < b->nattrs; d++) n += b->attrs[d] == 1;
    return n;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1 + WADI_MAX_RANK, err));
    WADI_TRY(wadi_rule_attrs(b, b->nattrs, 0, 2, err));
    WADI_TRY(wadi_rule_rank(m, b, 0, b->nattrs - new_dims(b), err));
    if (b->nargs != 1 + new_dims(b))
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "replicate: %d extent%s for %d new dimension%s", b->nargs - 1,
                            b->nargs == 2 ? "" : "s", new_dims(b), new_dims(b) == 1 ? "" : "s");
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    return wadi_rule_result(m, b, b->nattrs, &wadi_rule_arg(m, b, 0)->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    int fresh = 0, kept = 0;
    for (int d = 0; d < b->nattrs; d++) {
        const wadi_ext e = b->attrs[d] == 1 ? cx->scalar(cx, b->args[1 + fresh++])
                                            : cx->get(cx, b->args[0], 0, kept++);
        cx->set(cx, b->results[0], 0, d, e);
    }
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx source[WADI_MAX_RANK];
    int kept = 0;
    for (int d = 0; d < b->nattrs; d++)
        if (b->attrs[d] == 0) source[kept++] = ix[d];
    cx->ops->read(cx, b->args[0], source, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    int64_t source[WADI_MAX_RANK];
    int kept = 0;
    for (int d = 0; d < b->nattrs; d++)
        if (b->attrs[d] == 0) source[kept++] = ix[d];
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    wadi_eval_put(a, wadi_eval_get(a, source), out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    int fresh = 0, kept = 0;
    for (int d = 0; d < b->nattrs; d++)
        extents[d] = b->attrs[d] == 1 ? wadi_eval_i64(cx, b->args[1 + fresh++]) : a->shape[kept++];
    return wadi_eval_each(cx, b, b->nattrs, extents, elem);
}

const wadi_op wadi_op_replicate = {
    .name = "replicate",
    .form = "replicate new=1,0.. a n..",
    .types = "a[..], i64.. -> a[.., n, ..]",
    .about = "new dimensions, with extents n.., where `new` is 1; dimensions of a where it is 0",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "ms",
    .attrs = "new",
    .cheap = true,
    .type = type,
    .shape = shape,
    .same = wadi_law_same_shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_replicate(int n, const wadi_spec *spec, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("replicate");
    if (n > 0) wadi_draft_given(&d, spec, "entries");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const wadi_dims dims = wadi_spec_dims(&d, t, n, spec, t->rank);
    wadi_spec_entries(&d, &dims);
    return wadi_draft_acc(&d, &wadi_op_replicate, dims.n, &t->elem);
}
