/* fold_seq: a state of arrays that is carried through a stream in order. */
#include "operators/rules.h"
#include "operators/stepping.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type params[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_stepping(m, b, params, err));
    return wadi_rule_results(m, b, b->nargs - 1, params, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_loop_shapes(cx, b, b->blocks[0], b->nargs - 1, b->args + 1);
}

const wadi_op wadi_op_fold_seq = {
    .name = "fold_seq",
    .form = "fold_seq s z.. (state.., x..) { yield next.. }",
    .types = "seq(a[..]..), z[..].., (z[..].., a[..].. -> z[..]..) -> z[..]..",
    .about = "the last of the states f(z, s0), f(f(z, s0), s1), ..",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_FOLD},
    .nblocks = 1,
    .block_params = wadi_rule_stepping_params,
    .type = type,
    .shape = shape,
};

wadi_eat wadi_fold_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("fold_seq");
    wadi_stepping o;
    if (!wadi_stepping_begin(&d, z, s, &o)) return WADI_NO_EAT;
    wadi_stepping_region(&d, &o, f, env, o.parts, o.element);
    return wadi_draft_eat(&d, &wadi_op_fold_seq, o.n, o.state);
}

wadi_eat wadi_fold_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_fold_seq_env(wadi_call_acc2, &f, z, s);
}
