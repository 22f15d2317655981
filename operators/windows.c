/* windows: overlapping windows over a stream of samples.
 *
 * The elements of the stream, which are vectors or single samples, are concatenated. A window of `size` samples begins every `hop`
 * samples. The attribute says what becomes of a last window that the samples do not fill. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 3, 3, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, 2, WADI_I64, err));
    WADI_TRY(wadi_rule_attrs(b, 1, WADI_LAST_DROP, WADI_LAST_KEEP + 1, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    wadi_array_type types[WADI_MAX_PARAMS];
    const int n = wadi_rule_component_types(m, b, 0, 1, types, 0);
    if (n == 0)
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "windows: elements of no arrays have no samples");
    for (int c = 0; c < n; c++) {
        if (types[c].rank > 1)
            return wadi_fail_at(err, b->loc, WADI_SHAPE,
                                "windows: component %d has rank %d, expected 0 or 1", c,
                                s->array[c].rank);
        types[c].rank = 1;
    }
    return wadi_rule_seq_result(m, b, n, types, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_val s = b->results[0];
    for (int c = 0; c < cx->module->values[s].type.arrays; c++)
        cx->set(cx, s, c, 0,
                b->attrs[0] == WADI_LAST_KEEP ? cx->opaque(cx, s, c, 0)
                                              : cx->scalar(cx, b->args[1]));
}

const wadi_op wadi_op_windows = {
    .name = "windows",
    .form = "windows last=0 s size hop",
    .types = "seq(a[n]..), i64, i64 -> seq(a[size]..)",
    .about =
        "a window of size samples every hop samples; last: 0 drops the rest, 1 pads it, 2 keeps it",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_WINDOWS},
    .attrs = "last",
    .type = type,
    .shape = shape,
};

wadi_seq wadi_windows(wadi_exp size, wadi_exp hop, wadi_last last, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("windows");
    int n = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    wadi_draft_int(&d, size);
    wadi_draft_int(&d, hop);
    if ((int)last < WADI_LAST_DROP || (int)last > WADI_LAST_KEEP)
        wadi_draft_fail(&d, WADI_INVALID, "there is no wadi_last %d", (int)last);
    wadi_draft_attr(&d, (int64_t)last);
    wadi_array_type *out = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    for (int c = 0; c < n; c++) {
        if (t[c].rank > 1)
            wadi_draft_fail(&d, WADI_SHAPE, "component %d is %s, expected rank 0 or 1", c,
                            wadi_array_type_text(&t[c]));
        out[c] = (wadi_array_type){.rank = 1, .elem = t[c].elem};
    }
    return wadi_draft_seq(&d, &wadi_op_windows, n, out);
}
