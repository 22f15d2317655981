/* elements: all elements of all arrays of a stream, as one vector per component. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    for (int c = 0; c < s->arrays; c++) WADI_TRY(wadi_rule_result(m, b, 1, &s->array[c].elem, err));
    return WADI_OK;
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    for (int i = 0; i < b->nresults; i++)
        cx->set(cx, b->results[i], 0, 0, cx->opaque(cx, b->results[i], 0, 0));
}

const wadi_op wadi_op_elements = {
    .name = "elements",
    .form = "elements s",
    .types = "seq(a[..]) -> a[n]",
    .about = "all elements of all arrays as one vector",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_COLLECT, .collect = WADI_COLLECT_VALUES},
    .type = type,
    .shape = shape,
};

wadi_eat wadi_elements(wadi_seq s) {
    wadi_draft d = wadi_draft_begin("elements");
    int n = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    wadi_array_type *out = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_EAT;
    for (int c = 0; c < n; c++) out[c] = (wadi_array_type){.rank = 1, .elem = t[c].elem};
    return wadi_draft_eat(&d, &wadi_op_elements, n, out);
}
