/* stream_out: delivers a stream, in order, to the sink bound by name when the program runs; stream_out_unordered: in any order. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    if (b->name) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_INVALID, "%s: needs a name", b->op->name);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    WADI_UNUSED(cx), WADI_UNUSED(b);
}

const wadi_op wadi_op_stream_out = {
    .name = "stream_out",
    .form = "stream_out \"name\" s",
    .types = "seq(a[..]..) ->",
    .about = "delivers the stream, in order, to the sink that is bound to the name",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_DELIVER},
    .type = type,
    .shape = shape,
};

const wadi_op wadi_op_stream_out_unordered = {
    .name = "stream_out_unordered",
    .form = "stream_out_unordered \"name\" s",
    .types = "seq(a[..]..) ->",
    .about =
        "delivers the elements of the stream, in any order, to the sink that is bound to the name",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_DELIVER, .unordered = true},
    .type = type,
    .shape = shape,
};

static void deliver(const wadi_op *op, wadi_seq s, const char *name) {
    wadi_draft d = wadi_draft_begin(op->name);
    int n = 0;
    (void)wadi_draft_seq_arg(&d, s, &n);
    wadi_draft_name(&d, name);
    wadi_draft_effect(&d, op);
}

void wadi_stream_out(wadi_seq s, const char *name) {
    deliver(&wadi_op_stream_out, s, name);
}

void wadi_stream_out_unordered(wadi_seq s, const char *name) {
    deliver(&wadi_op_stream_out_unordered, s, name);
}
