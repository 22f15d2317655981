/* map_seq: a region applied to every element of one or more streams. The shortest stream ends the result. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    return wadi_rule_component_types(m, b, 0, b->nargs, types, 0);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_MAX_PARAMS, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, b->nargs, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    WADI_TRY(wadi_rule_yields(m, b, 0, b->blocks[0]->nyields, NULL, err));
    return wadi_rule_seq_of_yields(m, b, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    cx->region(cx, b->blocks[0]);
    wadi_rule_seq_shape(cx, b);
}

const wadi_op wadi_op_map_seq = {
    .name = "map_seq",
    .form = "map_seq s t.. (x, y..) { yield a.. }",
    .types = "seq(a[..]..), seq(b[..]..).., (a[..].., b[..].. -> c[..]..) -> seq(c[..]..)",
    .about =
        "any array program per element; with several streams, the result ends with the shortest",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_MAP},
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = shape,
};

wadi_seq wadi_map_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("map_seq");
    int n = 0, parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_acc x = wadi_draft_param_acc(&d, n, t);
    t = wadi_draft_gives_acc(&d, WADI_ASK_ACC(f, env, x), &parts);
    return wadi_draft_seq(&d, &wadi_op_map_seq, parts, t);
}

wadi_seq wadi_map_seq(wadi_acc_fn1 f, wadi_seq s) {
    return wadi_map_seq_env(wadi_call_acc1, &f, s);
}

wadi_seq wadi_zip_with_seq_env(wadi_acc_fn2_env f, void *env, wadi_seq s, wadi_seq t) {
    wadi_draft d = wadi_draft_begin("zip_with_seq");
    int n = 0, m = 0, parts = 0;
    const wadi_array_type *left = wadi_draft_seq_arg(&d, s, &n);
    const wadi_array_type *right = wadi_draft_seq_arg(&d, t, &m);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_acc x = wadi_draft_param_acc(&d, n, left), y = wadi_draft_param_acc(&d, m, right);
    const wadi_array_type *out = wadi_draft_gives_acc(&d, WADI_ASK_ACC(f, env, x, y), &parts);
    return wadi_draft_seq(&d, &wadi_op_map_seq, parts, out);
}

wadi_seq wadi_zip_with_seq(wadi_acc_fn2 f, wadi_seq s, wadi_seq t) {
    return wadi_zip_with_seq_env(wadi_call_acc2, &f, s, t);
}
