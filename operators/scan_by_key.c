/* scan_by_key: scan_seq with a state for each key. The key is the first component of an element. The result is the stream of states, one after
 * each element: the next state of the key that it has. */
#include "base/error.h"
#include "operators/rules.h"
#include "operators/stepping.h"

static bool is_whole(wadi_type t) {
    return t >= WADI_I8 && t <= WADI_U64;
}

/* Keys are compared bit by bit, so they are integers. */
static bool is_key(const wadi_array_type *t) {
    bool whole = t->rank == 0;
    for (int f = 0; f < t->elem.fields; f++) whole = whole && is_whole(t->elem.type[f]);
    return whole;
}

static const char no_key[] =
    "the first component of an element is its key, an integer or a record of integers";

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type params[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_stepping(m, b, params, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    if (s->arrays < 1 || !is_key(&s->array[0]))
        return wadi_fail_at(err, b->loc, WADI_TYPE, "scan_by_key: %s", no_key);
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
    if (!wadi_stepping_begin(&d, z, s, &o)) return WADI_NO_SEQ;
    if (o.parts < 1 || !is_key(&o.element[0])) wadi_draft_fail(&d, WADI_TYPE, "%s", no_key);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_stepping_region(&d, &o, f, env, o.parts, o.element);
    return wadi_draft_seq(&d, &wadi_op_scan_by_key, o.n, o.state);
}

wadi_seq wadi_scan_by_key(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_scan_by_key_env(wadi_call_acc2, &f, z, s);
}
