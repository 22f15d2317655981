/* produce: the stream f(0), f(1), ..., f(n - 1). */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(m), WADI_UNUSED(b), WADI_UNUSED(block);
    types[0] = (wadi_array_type){.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    return 1;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_scalars(m, b, 0, 1, WADI_I64, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    WADI_TRY(wadi_rule_yields(m, b, 0, b->blocks[0]->nyields, NULL, err));
    return wadi_rule_seq_of_yields(m, b, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    cx->region(cx, b->blocks[0]);
    wadi_rule_seq_shape(cx, b);
}

const wadi_op wadi_op_produce = {
    .name = "produce",
    .form = "produce n (i) { yield a.. }",
    .types = "i64, (i64 -> a[..]..) -> seq(a[..]..)",
    .about = "the stream f(0) .. f(n - 1)",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_COUNT},
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = shape,
};

wadi_seq wadi_produce_env(wadi_exp n, wadi_produce_fn_env f, void *env) {
    wadi_draft d = wadi_draft_begin("produce");
    wadi_draft_int(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_exp i = wadi_draft_param_the(&d, WADI_I64);
    int parts = 0;
    const wadi_array_type *t = wadi_draft_gives_acc(&d, WADI_ASK_ACC(f, env, i), &parts);
    return wadi_draft_seq(&d, &wadi_op_produce, parts, t);
}

wadi_seq wadi_produce(wadi_exp n, wadi_produce_fn f) {
    return wadi_produce_env(n, wadi_call_produce, &f);
}
