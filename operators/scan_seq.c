/* scan_seq: a state of arrays is carried through a stream in order. The result is the stream of states, one after each element. */
#include "operators/rules.h"
#include "operators/stepping.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type params[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_stepping(m, b, params, err));
    return wadi_rule_seq_of_yields(m, b, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_state_shapes(cx, b->blocks[0], b->nargs - 1, b->args + 1);
    wadi_rule_seq_shape(cx, b);
}

const wadi_op wadi_op_scan_seq = {
    .name = "scan_seq",
    .form = "scan_seq s z.. (state.., x..) { yield next.. }",
    .types = "seq(a[..]..), z[..].., (z[..].., a[..].. -> z[..]..) -> seq(z[..]..)",
    .about = "the states f(z, s0), f(f(z, s0), s1), ..",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_SCAN},
    .nblocks = 1,
    .block_params = wadi_rule_stepping_params,
    .type = type,
    .shape = shape,
};

wadi_seq wadi_scan_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("scan_seq");
    wadi_stepping o;
    if (!wadi_stepping_begin(&d, z, s, &o)) return WADI_NO_SEQ;
    wadi_stepping_region(&d, &o, f, env, o.parts, o.element);
    return wadi_draft_seq(&d, &wadi_op_scan_seq, o.n, o.state);
}

wadi_seq wadi_scan_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_scan_seq_env(wadi_call_acc2, &f, z, s);
}
