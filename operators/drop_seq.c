/* drop_seq: a stream without its first n elements; a negative n counts as 0. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_seq_and_count(m, b, err));
    return wadi_rule_seq_like(m, b, err);
}

const wadi_op wadi_op_drop_seq = {
    .name = "drop_seq",
    .form = "drop_seq s n",
    .types = "seq(a[..]..), i64 -> seq(a[..]..)",
    .about = "all but the first n elements; n is clamped",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_PICK, .pick = {.first = 1}},
    .type = type,
    .shape = wadi_rule_seq_shape_like,
    .depend = wadi_rule_seq_depend_like,
};

wadi_seq wadi_drop_seq(wadi_exp n, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("drop_seq");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    wadi_draft_int(&d, n);
    return wadi_draft_seq_like(&d, &wadi_op_drop_seq, parts, t);
}
