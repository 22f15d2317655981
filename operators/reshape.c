/* reshape: the same elements, in row-major order, in another shape. The sizes must match. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1 + WADI_MAX_RANK, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    return wadi_rule_result(m, b, b->nargs - 1, &wadi_rule_arg(m, b, 0)->elem, err);
}

static const char sizes[] = "sizes before and after";

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_ext before = wadi_ext_const(cx->extents, 1), after = before;
    for (int d = 0; d < wadi_rule_rank_of(cx->module, b->args[0]); d++)
        before = wadi_ext_mul(cx->extents, before, cx->get(cx, b->args[0], 0, d));
    for (int d = 0; d < b->nargs - 1; d++)
        after = wadi_ext_mul(cx->extents, after, cx->scalar(cx, b->args[1 + d]));
    cx->require_equal(cx, b, before, after, sizes, -1);
    wadi_rule_shape_args(cx, b, 1, b->nargs - 1);
}

static wadi_sx linear(wadi_at *cx, wadi_val v, int rank, const wadi_sx *ix) {
    if (rank == 0) return wadi_at_i64(cx, 0);
    wadi_sx at = ix[0];
    for (int d = 1; d < rank; d++) {
        at = wadi_at_bin(cx, WADI_SOP_MUL, at, cx->ops->extent(cx, v, d));
        at = wadi_at_bin(cx, WADI_SOP_ADD, at, ix[d]);
    }
    return at;
}

/* The array has an element, so no extent is zero, and the divisions cannot fault. The outermost index is what remains, so a vector
 * costs no division. */
static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]);
    wadi_sx source[WADI_MAX_RANK], rest = linear(cx, b->results[0], b->nargs - 1, ix);
    for (int d = rank - 1; d > 0; d--) {
        const wadi_sx extent = cx->ops->extent(cx, b->args[0], d);
        source[d] = wadi_at_bin(cx, WADI_SOP_REM, rest, extent);
        rest = wadi_at_bin(cx, WADI_SOP_QUOT, rest, extent);
    }
    source[0] = rest;
    cx->ops->read(cx, b->args[0], source, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]), *result = cx->array(cx, b->results[0]);
    const int64_t i = wadi_eval_linear(result->rank, result->shape, ix);
    wadi_eval_put(a, a->cell + i * a->cells, out);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extents[WADI_MAX_RANK];
    wadi_eval_args(cx, b, 1, b->nargs - 1, extents);
    int64_t size = 1; /* wraps, as it does in kernels */
    for (int d = 0; d < b->nargs - 1; d++) size = (int64_t)((uint64_t)size * (uint64_t)extents[d]);
    if (size != a->size) return wadi_eval_differ(cx, b, sizes, -1, a->size, size);
    return wadi_eval_each(cx, b, b->nargs - 1, extents, elem);
}

const wadi_op wadi_op_reshape = {
    .name = "reshape",
    .form = "reshape a n..",
    .types = "a[..], i64.. -> a[n..]",
    .about =
        "the same elements in the same order, with other extents; if the sizes differ, a fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "es",
    .cheap = true,
    .keeps_memory = true,
    .type = type,
    .shape = shape,
    .same = wadi_law_same_shape,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_reshape(wadi_ix extents, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("reshape");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_draft_shape(&d, extents);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_draft_acc(&d, &wadi_op_reshape, extents.rank, &t->elem);
}
