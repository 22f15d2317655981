/* scan_by_key: scan_seq with a state for each key. The key is the first component of an element. The result is the stream of states, one after
 * each element: the next state of the key that it has. */
#include "operators/by_key.h"
#include "operators/rules.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_by_key(m, b, err));
    return wadi_rule_seq_of_yields(m, b, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_rule_state_shapes(cx, b->blocks[0], b->nargs - 1, b->args + 1);
    wadi_rule_seq_shape(cx, b);
}

const wadi_op wadi_op_scan_by_key = {
    .name = "scan_by_key",
    .form = "scan_by_key s z.. (state.., key, x..) { yield next.. }",
    .types = "seq(k, a[..]..), z[..].., (z[..].., k, a[..].. -> z[..]..) -> seq(z[..]..)",
    .about = "scan_seq for each key, in the order of the elements",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_SCAN_BY_KEY},
    .nblocks = 1,
    .block_params = wadi_rule_stepping_params,
    .type = type,
    .shape = shape,
};

wadi_seq wadi_scan_by_key_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("scan_by_key");
    wadi_stepping o;
    if (!wadi_stepping_by_key(&d, f, env, z, s, &o)) return WADI_NO_SEQ;
    return wadi_draft_seq(&d, &wadi_op_scan_by_key, o.n, o.state);
}

wadi_seq wadi_scan_by_key(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_scan_by_key_env(wadi_call_acc2, &f, z, s);
}
