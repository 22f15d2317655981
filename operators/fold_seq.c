/* fold_seq: a state of arrays carried through a stream, in order. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, WADI_MAX_PARAMS, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    wadi_array_type params[WADI_MAX_PARAMS];
    (void)wadi_rule_stepping_params(m, b, 0, params);
    WADI_TRY(wadi_rule_yields(m, b, 0, b->nargs - 1, params, err));
    return wadi_rule_results(m, b, b->nargs - 1, params, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_loop_shapes(cx, b, b->blocks[0], b->nargs - 1, b->args + 1);
}

const wadi_op wadi_op_fold_seq = {
    .name = "fold_seq",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .nblocks = 1,
    .block_params = wadi_rule_stepping_params,
    .type = type,
    .shape = shape,
};

wadi_eat wadi_fold_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("fold_seq");
    int n = 0, parts = 0;
    const wadi_array_type *element = wadi_draft_seq_arg(&d, s, &parts);
    const wadi_array_type *start = wadi_draft_tuple(&d, z, &n);
    wadi_array_type *state = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_EAT;
    for (int i = 0; i < n; i++)
        state[i] = (wadi_array_type){.rank = start[i].rank, .elem = start[i].elem};
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_acc acc = wadi_draft_param_acc(&d, n, state);
    const wadi_acc x = wadi_draft_param_acc(&d, parts, element);
    wadi_draft_gives_types(&d, f(env, acc, x), n, state);
    return wadi_draft_eat(&d, &wadi_op_fold_seq, n, state);
}

wadi_eat wadi_fold_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_fold_seq_env(wadi_call_acc2, &f, z, s);
}
