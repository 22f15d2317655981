/* expand_seq: replaces one element by several. The region gives arrays with one outermost extent, and each of their outermost
 * slices becomes an element. An extent of 0 gives none. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    return wadi_rule_component_types(m, b, 0, 1, types, 0);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, 1, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    const wadi_block *r = b->blocks[0];
    WADI_TRY(wadi_rule_yields(m, b, 0, r->nyields, NULL, err));
    wadi_array_type types[WADI_MAX_PARAMS];
    if (r->nyields < 1 || r->nyields > WADI_MAX_PARAMS)
        return wadi_fail_at(err, b->loc, WADI_TYPE, "expand_seq: %d yields, expected 1..%d",
                            r->nyields, WADI_MAX_PARAMS);
    for (int i = 0; i < r->nyields; i++) {
        const wadi_array_type *t = m->values[r->yields[i]].type.array;
        if (t->rank < 1)
            return wadi_fail_at(err, b->loc, WADI_SHAPE,
                                "expand_seq: yield %d has rank 0, expected 1 or more", i + 1);
        types[i] = (wadi_array_type){.rank = t->rank - 1, .elem = t->elem};
    }
    return wadi_rule_seq_result(m, b, r->nyields, types, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    cx->region(cx, r);
    for (int c = 0; c < r->nyields; c++)
        for (int d = 1; d < wadi_rule_rank_of(cx->module, r->yields[c]); d++)
            cx->set(cx, b->results[0], c, d - 1, cx->get(cx, r->yields[c], 0, d));
}

/* The shape of the new elements may be independent even if their number is not: the outermost extent does not count. */
static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    for (int c = 0; c < r->nyields; c++) {
        wadi_dep dep = {false, true};
        for (int d = 1; d < wadi_rule_rank_of(cx->module, r->yields[c]); d++)
            dep.shape = dep.shape || cx->extent(cx, r->yields[c], 0, d);
        cx->set(cx, b->results[0], c, dep);
    }
}

const wadi_op wadi_op_expand_seq = {
    .name = "expand_seq",
    .form = "expand_seq s (x) { yield a.. }",
    .types = "seq(a[..]..), (a[..].. -> b[n, ..]..) -> seq(b[..]..)",
    .about = "the outermost slices of the array that each element gives",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_EXPAND},
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = shape,
    .depend = depend,
};

wadi_seq wadi_expand_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("expand_seq");
    int n = 0, parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &n);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_acc x = wadi_draft_param_acc(&d, n, t);
    t = wadi_draft_gives_acc(&d, WADI_ASK_ACC(f, env, x), &parts);
    wadi_array_type *out = wadi_draft_types(&d, parts);
    if (wadi_draft_failed(&d) || !t || !out) return WADI_NO_SEQ;
    for (int c = 0; c < parts; c++) {
        if (t[c].rank < 1)
            wadi_draft_fail(&d, WADI_SHAPE, "the function gives %s, expected rank 1 or more",
                            wadi_array_type_text(&t[c]));
        out[c] = (wadi_array_type){.rank = t[c].rank - 1, .elem = t[c].elem};
    }
    return wadi_draft_seq(&d, &wadi_op_expand_seq, parts, out);
}

wadi_seq wadi_expand_seq(wadi_acc_fn1 f, wadi_seq s) {
    return wadi_expand_seq_env(wadi_call_acc1, &f, s);
}
