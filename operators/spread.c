/* spread: the fields of a record as a new dimension. Element j along dimension `dim` of the result is field j. All fields have
 * one type.
 *
 * A record is computed once and its fields are written to all their places. So a function can give several elements, as the
 * butterflies of a Fourier transform do. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_attrs(b, 1, 0, a->rank + 1, err));
    for (int f = 1; f < a->elem.fields; f++)
        if (a->elem.type[f] != a->elem.type[0])
            return wadi_fail_at(err, b->loc, WADI_TYPE, "spread: fields of different types");
    if (a->rank == WADI_MAX_RANK)
        return wadi_fail_at(err, b->loc, WADI_SHAPE, "spread: rank %d, expected %d at most",
                            a->rank, WADI_MAX_RANK - 1);
    const wadi_elem e = wadi_elem_scalar(a->elem.type[0]);
    return wadi_rule_result(m, b, a->rank + 1, &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_array_type *a = wadi_rule_arg(cx->module, b, 0);
    const int dim = (int)b->attrs[0];
    for (int d = 0; d <= a->rank; d++)
        cx->set(cx, b->results[0], 0, d,
                d == dim ? wadi_ext_const(cx->extents, a->elem.fields)
                         : cx->get(cx, b->args[0], 0, d < dim ? d : d - 1));
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    const int dim = (int)b->attrs[0];
    int64_t from[WADI_MAX_RANK];
    for (int d = 0, k = 0; d <= a->rank; d++)
        if (d != dim) from[k++] = ix[d];
    const uint64_t *cells = wadi_eval_get(a, from);
    const int each = wadi_elem_cells(&a->elem) / a->elem.fields;
    for (int c = 0; c < each; c++) out[c] = cells[ix[dim] * each + c];
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    const int dim = (int)b->attrs[0];
    int64_t extents[WADI_MAX_RANK];
    for (int d = 0, k = 0; d <= a->rank; d++)
        extents[d] = d == dim ? a->elem.fields : a->shape[k++];
    return wadi_eval_each(cx, b, a->rank + 1, extents, elem);
}

const wadi_op wadi_op_spread = {
    .name = "spread",
    .form = "spread dim=0 a",
    .types = "{a, a..}[..] -> a[.., k, ..]",
    .about = "the fields of a record, all of one type, as a new dimension",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_SPREAD,
    .attrs = "dim",
    .reads = "e",
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_spread_on(int dim, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("spread");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (dim < 0 || dim > t->rank)
        wadi_draft_fail(&d, WADI_SHAPE, "dimension %d, expected 0 to %d", dim, t->rank);
    for (int f = 1; f < t->elem.fields; f++)
        if (t->elem.type[f] != t->elem.type[0])
            wadi_draft_expected(&d, t, WADI_TYPE, "a record whose fields have one type");
    wadi_draft_attr(&d, dim);
    const wadi_elem e = wadi_elem_scalar(t->elem.type[0]);
    return wadi_draft_acc(&d, &wadi_op_spread, t->rank + 1, &e);
}
