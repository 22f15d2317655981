/* batch: stacks n consecutive arrays of one shape to one array with a new outermost dimension. The last batch may be shorter,
 * so its extent is known only when the stream has run. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_seq_and_count(m, b, err));
    wadi_array_type types[WADI_MAX_PARAMS];
    const int n = wadi_rule_component_types(m, b, 0, 1, types, 0);
    for (int c = 0; c < n; c++)
        if (types[c].rank++ == WADI_MAX_RANK)
            return wadi_fail_at(err, b->loc, WADI_SHAPE, "batch: component %d has rank %d already",
                                c, WADI_MAX_RANK);
    return wadi_rule_seq_result(m, b, n, types, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_val s = b->args[0], out = b->results[0];
    for (int c = 0; c < cx->module->values[s].type.arrays; c++) {
        /* all components have the same number of elements in a batch */
        cx->set(cx, out, c, 0, cx->opaque(cx, out, 0, 0));
        for (int d = 0; d < cx->module->values[s].type.array[c].rank; d++)
            cx->set(cx, out, c, d + 1, cx->get(cx, s, c, d));
    }
}

const wadi_op wadi_op_batch = {
    .name = "batch",
    .form = "batch s n",
    .types = "seq(a[..]..), i64 -> seq(a[n, ..]..)",
    .about =
        "n consecutive arrays of one shape as one with a dimension more; the last may be shorter",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_BATCH},
    .type = type,
    .shape = shape,
};

wadi_seq wadi_batch(wadi_exp n, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("batch");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    wadi_draft_int(&d, n);
    wadi_array_type *out = wadi_draft_types(&d, parts);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    for (int c = 0; c < parts; c++) {
        if (t[c].rank == WADI_MAX_RANK)
            wadi_draft_fail(&d, WADI_SHAPE, "component %d has rank %d already", c, t[c].rank);
        out[c] = (wadi_array_type){.rank = t[c].rank + 1, .elem = t[c].elem};
    }
    return wadi_draft_seq(&d, &wadi_op_batch, parts, out);
}
