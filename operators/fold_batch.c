/* fold_batch: a state carried through a stream, one chunk at a time.
 *
 * The region gets k >= 1 elements at once: per component the table of their shapes, i64[k, rank], and their values as one
 * vector. The scheduler chooses k, so the result must not depend on the cut. The interpreter checks that by cutting in several
 * ways. */
#include "operators/rules.h"
#include "operators/stepping.h"

static int chunk_types(int n, const wadi_array_type *component, int at, wadi_array_type *types) {
    if (at + 2 * n > WADI_MAX_PARAMS) return -1;
    for (int c = 0; c < n; c++) {
        types[at++] = (wadi_array_type){.rank = 2, .elem = wadi_elem_scalar(WADI_I64)};
        types[at++] = (wadi_array_type){.rank = 1, .elem = component[c].elem};
    }
    return at;
}

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    const int n = wadi_rule_state_types(m, b, types);
    return n < 0 || !s ? -1 : chunk_types(s->arrays, s->array, n, types);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type params[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_stepping(m, b, params, err));
    return wadi_rule_results(m, b, b->nargs - 1, params, err);
}

/* All tables of a chunk have one row per element. */
static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    const wadi_val_type *s = &cx->module->values[b->args[0]].type;
    const int n = b->nargs - 1;
    for (int c = 0; c < s->arrays; c++) {
        const wadi_val shapes = r->params[n + 2 * c], values = r->params[n + 2 * c + 1];
        const wadi_ext k = cx->opaque(cx, r->params[n], 0, 0);
        cx->set(cx, shapes, 0, 0, k);
        cx->set(cx, shapes, 0, 1, wadi_ext_const(cx->extents, s->array[c].rank));
        cx->set(cx, values, 0, 0, s->array[c].rank == 0 ? k : cx->opaque(cx, values, 0, 0));
    }
    wadi_rule_loop_shapes(cx, b, r, n, b->args + 1);
}

const wadi_op wadi_op_fold_batch = {
    .name = "fold_batch",
    .form = "fold_batch s z.. (state.., shapes, values..) { yield next.. }",
    .types = "seq(a[..]..), z[..].., (z[..].., (i64[k, rank], a[m]).. -> z[..]..) -> z[..]..",
    .about = "folds chunks of elements, as from_seq gives them; the result must not depend on how "
             "the stream is cut",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_FOLD_CHUNK},
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = shape,
};

wadi_eat wadi_fold_batch_env(wadi_acc_fn2_env step, void *env, wadi_acc z, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("fold_batch");
    wadi_stepping o;
    if (!wadi_stepping_begin(&d, z, s, &o)) return WADI_NO_EAT;
    wadi_array_type *chunk = wadi_draft_types(&d, 2 * o.parts);
    if (wadi_draft_failed(&d)) return WADI_NO_EAT;
    if (chunk_types(o.parts, o.element, 0, chunk) < 0)
        wadi_draft_fail(&d, WADI_UNSUPPORTED, "%d components, expected at most %d", o.parts,
                        WADI_MAX_PARAMS / 2);
    wadi_stepping_region(&d, &o, step, env, 2 * o.parts, chunk);
    return wadi_draft_eat(&d, &wadi_op_fold_batch, o.n, o.state);
}

wadi_eat wadi_fold_batch(wadi_acc_fn2 step, wadi_acc z, wadi_seq s) {
    return wadi_fold_batch_env(wadi_call_acc2, &step, z, s);
}
