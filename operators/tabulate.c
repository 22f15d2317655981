/* tabulate: stacks the arrays of a stream along a new outer dimension, per component. Shapes that differ are a fault; tabulate_min
 * instead cuts each array to the least extent per dimension. If the stream is empty, every extent is 0. So nothing is known of
 * the extents before the stream has run. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    for (int c = 0; c < s->arrays; c++)
        WADI_TRY(wadi_rule_result(m, b, s->array[c].rank + 1, &s->array[c].elem, err));
    return WADI_OK;
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    for (int i = 0; i < b->nresults; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->results[i]); d++)
            cx->set(cx, b->results[i], 0, d, cx->opaque(cx, b->results[i], 0, d));
}

const wadi_op wadi_op_tabulate = {
    .name = "tabulate",
    .form = "tabulate s",
    .types = "seq(a[..]..) -> a[n, ..]..",
    .about = "stacks the arrays along a new outer dimension; if shapes differ, a fault",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_COLLECT, .collect = WADI_COLLECT_TABLE},
    .type = type,
    .shape = shape,
};

const wadi_op wadi_op_tabulate_min = {
    .name = "tabulate_min",
    .form = "tabulate_min s",
    .types = "seq(a[..]..) -> a[n, ..]..",
    .about = "stacks the arrays along a new outer dimension, cut to the least extent per dimension",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_COLLECT, .collect = WADI_COLLECT_LEAST_TABLE},
    .type = type,
    .shape = shape,
};

static wadi_eat tabulate(const wadi_op *op, wadi_seq s) {
    wadi_draft d = wadi_draft_begin(op->name);
    int n = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    wadi_array_type *out = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_EAT;
    for (int c = 0; c < n; c++) {
        if (t[c].rank == WADI_MAX_RANK)
            wadi_draft_fail(&d, WADI_SHAPE, "component %d has rank %d already", c, t[c].rank);
        out[c] = (wadi_array_type){.rank = t[c].rank + 1, .elem = t[c].elem};
    }
    return wadi_draft_eat(&d, op, n, out);
}

wadi_eat wadi_tabulate(wadi_seq s) {
    return tabulate(&wadi_op_tabulate, s);
}

wadi_eat wadi_tabulate_min(wadi_seq s) {
    return tabulate(&wadi_op_tabulate_min, s);
}
