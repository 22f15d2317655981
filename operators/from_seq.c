/* from_seq: a stream as arrays. Each component gives the table of shapes, i64[n, rank], and all values as one vector. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    const wadi_elem extent = wadi_elem_scalar(WADI_I64);
    for (int c = 0; c < s->arrays; c++) {
        WADI_TRY(wadi_rule_result(m, b, 2, &extent, err));
        WADI_TRY(wadi_rule_result(m, b, 1, &s->array[c].elem, err));
    }
    return WADI_OK;
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_val_type *s = &cx->module->values[b->args[0]].type;
    for (int c = 0; c < s->arrays; c++) {
        const wadi_val shapes = b->results[2 * c], values = b->results[2 * c + 1];
        const wadi_ext n = cx->opaque(cx, b->results[0], 0, 0); /* elements of the stream */
        cx->set(cx, shapes, 0, 0, n);
        cx->set(cx, shapes, 0, 1, wadi_ext_const(cx->extents, s->array[c].rank));
        cx->set(cx, values, 0, 0, s->array[c].rank == 0 ? n : cx->opaque(cx, values, 0, 0));
    }
}

const wadi_op wadi_op_from_seq = {
    .name = "from_seq",
    .form = "shapes, values = from_seq s",
    .types = "seq(a[..]..) -> (i64[n, rank], a[m])..",
    .about =
        "for each array of an element: its shapes, one per row, and all values one after the other",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_COLLECT, .collect = WADI_COLLECT_SEGMENTS},
    .type = type,
    .shape = shape,
};

wadi_eat wadi_from_seq(wadi_seq s) {
    wadi_draft d = wadi_draft_begin("from_seq");
    int n = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    wadi_array_type *out = wadi_draft_types(&d, 2 * n);
    if (wadi_draft_failed(&d)) return WADI_NO_EAT;
    for (int c = 0; c < n; c++) {
        out[2 * c] = (wadi_array_type){.rank = 2, .elem = wadi_elem_scalar(WADI_I64)};
        out[2 * c + 1] = (wadi_array_type){.rank = 1, .elem = t[c].elem};
    }
    return wadi_draft_eat(&d, &wadi_op_from_seq, 2 * n, out);
}
