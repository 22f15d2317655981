/* What the rules of the sequence operators share: the components of streams as parameters of
 * regions. */
#include "base/error.h"
#include "operators/rules.h"

int wadi_rule_component_types(const wadi_module *m, const wadi_bind *b, int from, int to,
                              wadi_array_type *types, int n) {
    for (int i = from; i < to; i++) {
        const wadi_val_type *s = wadi_rule_seq(m, b, i);
        if (!s || n + s->arrays > WADI_MAX_PARAMS) return -1;
        for (int c = 0; c < s->arrays; c++)
            types[n++] = (wadi_array_type){.rank = s->array[c].rank, .elem = s->array[c].elem};
    }
    return n;
}

int wadi_rule_state_types(const wadi_module *m, const wadi_bind *b, wadi_array_type *types) {
    if (b->nargs - 1 > WADI_MAX_PARAMS) return -1;
    for (int i = 1; i < b->nargs; i++) {
        const wadi_array_type *z = wadi_rule_arg(m, b, i);
        if (!z) return -1;
        types[i - 1] = (wadi_array_type){.rank = z->rank, .elem = z->elem};
    }
    return b->nargs - 1;
}

int wadi_rule_stepping_params(const wadi_module *m, const wadi_bind *b, int block,
                              wadi_array_type *types) {
    WADI_UNUSED(block);
    const int n = wadi_rule_state_types(m, b, types);
    return n < 0 ? -1 : wadi_rule_component_types(m, b, 0, 1, types, n);
}

wadi_status wadi_rule_stepping(wadi_module *m, wadi_bind *b, wadi_array_type *out_params,
                               wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, WADI_MAX_PARAMS, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    (void)b->op->block_params(m, b, 0, out_params);
    return wadi_rule_yields(m, b, 0, b->nargs - 1, out_params, err);
}

wadi_status wadi_rule_seq_and_count(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    return wadi_rule_scalars(m, b, 1, 1, WADI_I64, err);
}

wadi_status wadi_rule_seq_result(wadi_module *m, wadi_bind *b, int n, const wadi_array_type *types,
                                 wadi_error *err) {
    if (n < 0)
        return wadi_fail_at(err, b->loc, WADI_UNSUPPORTED, "%s: too many components", b->op->name);
    const wadi_val_type t = wadi_seq_val_type(m, n, types);
    if (t.array && wadi_bind_result(m, b, t) != WADI_NONE) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_MEMORY, "%s: out of memory", b->op->name);
}

wadi_status wadi_rule_seq_like(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type types[WADI_MAX_PARAMS];
    const int n = wadi_rule_component_types(m, b, 0, 1, types, 0);
    return wadi_rule_seq_result(m, b, n, types, err);
}

/* The elements of the result are elements of the argument, but under other numbers. Extents that all elements share stay known.
 * An extent that the argument alone names is a different unknown for each element. */
void wadi_rule_seq_shape_like(wadi_shape_cx *cx, const wadi_bind *b) {
    if (b->nblocks > 0) cx->region(cx, b->blocks[0]);
    const wadi_val_type *s = &cx->module->values[b->args[0]].type;
    for (int c = 0; c < s->arrays; c++)
        for (int d = 0; d < s->array[c].rank; d++)
            cx->set(cx, b->results[0], c, d, cx->get(cx, b->args[0], c, d));
}

void wadi_rule_seq_depend_like(wadi_depend_cx *cx, const wadi_bind *b) {
    for (int c = 0; c < cx->module->values[b->args[0]].type.arrays; c++)
        cx->set(cx, b->results[0], c, cx->get(cx, b->args[0], c));
}

void wadi_rule_seq_shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    for (int c = 0; c < r->nyields; c++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, r->yields[c]); d++)
            cx->set(cx, b->results[0], c, d, cx->get(cx, r->yields[c], 0, d));
}
