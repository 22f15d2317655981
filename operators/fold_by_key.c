/* fold_by_key: the last states of scan_by_key. Behind the last element comes one for each key, the key and its state, in the order in which the keys
 * first came. */
#include "operators/by_key.h"
#include "operators/rules.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type types[1 + WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_by_key(m, b, err));
    const wadi_block *r = b->blocks[0];
    types[0] = wadi_rule_seq(m, b, 0)->array[0];
    types[0].extent = NULL;
    for (int i = 0; i < r->nyields; i++) {
        types[i + 1] = *m->values[r->yields[i]].type.array;
        types[i + 1].extent = NULL;
    }
    return wadi_rule_seq_result(m, b, 1 + r->nyields, types, err);
}

/* Each state that there is has been yielded. */
static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    wadi_rule_state_shapes(cx, r, b->nargs - 1, b->args + 1);
    for (int c = 0; c < r->nyields; c++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, r->yields[c]); d++)
            cx->set(cx, b->results[0], c + 1, d, cx->get(cx, r->yields[c], 0, d));
}

static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    cx->set(cx, b->results[0], 0, (wadi_dep){.shape = false, .elems = true});
    for (int c = 0; c < r->nyields; c++)
        cx->set(cx, b->results[0], c + 1,
                (wadi_dep){.shape = cx->get(cx, r->yields[c], 0).shape, .elems = true});
}

const wadi_op wadi_op_fold_by_key = {
    .name = "fold_by_key",
    .form = "fold_by_key s z.. (state.., key, x..) { yield next.. }",
    .types = "seq(k, a[..]..), z[..].., (z[..].., k, a[..].. -> z[..]..) -> seq(k, z[..]..)",
    .about = "each key and its last state, behind the last element",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_FOLD_BY_KEY},
    .nblocks = 1,
    .block_params = wadi_rule_stepping_params,
    .type = type,
    .shape = shape,
    .depend = depend,
};

wadi_seq wadi_fold_by_key_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("fold_by_key");
    wadi_stepping o;
    if (!wadi_stepping_by_key(&d, f, env, z, s, &o)) return WADI_NO_SEQ;
    wadi_array_type *types = wadi_draft_types(&d, 1 + o.n);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    types[0] = (wadi_array_type){.elem = o.element[0].elem};
    for (int i = 0; i < o.n; i++) types[i + 1] = o.state[i];
    return wadi_draft_seq(&d, &wadi_op_fold_by_key, 1 + o.n, types);
}

wadi_seq wadi_fold_by_key(wadi_acc_fn2 f, wadi_acc z, wadi_seq s) {
    return wadi_fold_by_key_env(wadi_call_acc2, &f, z, s);
}
