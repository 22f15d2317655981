/* filter_seq: the elements of a stream for which a predicate holds. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static const wadi_array_type truth = {.rank = 0, .elem = {.fields = 1, .type = {WADI_BOOL}}};

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    return wadi_rule_component_types(m, b, 0, 1, types, 0);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    WADI_TRY(wadi_rule_yields(m, b, 0, 1, &truth, err));
    return wadi_rule_seq_like(m, b, err);
}

const wadi_op wadi_op_filter_seq = {
    .name = "filter_seq",
    .form = "filter_seq s (x) { yield p }",
    .types = "seq(a[..]..), (a[..].. -> bool) -> seq(a[..]..)",
    .about = "the elements for which p is true",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_FILTER},
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = wadi_rule_seq_shape_like,
    .depend = wadi_rule_seq_depend_like,
};

wadi_seq wadi_filter_seq_env(wadi_acc_fn1_env p, void *env, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("filter_seq");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_acc x = wadi_draft_param_acc(&d, parts, t);
    wadi_draft_gives_types(&d, WADI_ASK_ACC(p, env, x), 1, &truth);
    return wadi_draft_seq_like(&d, &wadi_op_filter_seq, parts, t);
}

wadi_seq wadi_filter_seq(wadi_acc_fn1 p, wadi_seq s) {
    return wadi_filter_seq_env(wadi_call_acc1, &p, s);
}
