/* Elements, bytes, and what counts as a pass. */
#include "codegen/amounts.h"

#include "base/type.h"
#include "graph/op.h"

static int64_t width_of(const wadi_named *x, wadi_val v) {
    const wadi_elem *e = &x->m->values[v].type.array[0].elem;
    return wadi_fields_size(e->type, e->fields);
}

wadi_ext wadi_amount_elements(const wadi_named *x, wadi_val v) {
    const wadi_shapes *s = x->shapes;
    wadi_ext n = wadi_ext_const(s->extents, 1);
    if (v >= s->nvalues) return WADI_EXT_NONE;
    for (int d = 0; d < x->m->values[v].type.array[0].rank; d++) {
        const wadi_ext e = wadi_shapes_extent(s, v, 0, d);
        if (e == WADI_EXT_NONE) return WADI_EXT_NONE;
        n = wadi_ext_mul(s->extents, n, e);
    }
    return n;
}

wadi_ext wadi_amount_add(const wadi_named *x, wadi_ext sum, wadi_val v) {
    return wadi_amount_add_most(x, sum, v, WADI_EXT_NONE);
}

wadi_ext wadi_amount_add_most(const wadi_named *x, wadi_ext sum, wadi_val v, wadi_ext most) {
    wadi_ext n = wadi_amount_elements(x, v);
    wadi_extents *e = x->shapes->extents;
    if (n != WADI_EXT_NONE && most != WADI_EXT_NONE) n = wadi_ext_min(e, n, most);
    if (n == WADI_EXT_NONE || sum == WADI_EXT_NONE) return WADI_EXT_NONE;
    return wadi_ext_add(e, sum, wadi_ext_mul(e, n, wadi_ext_const(e, width_of(x, v))));
}

wadi_ext wadi_amount_zero(const wadi_named *x) {
    return wadi_ext_const(x->shapes->extents, 0);
}

void wadi_amount_print(const wadi_named *x, wadi_ext e, const char *unit) {
    int64_t n = 0;
    if (e == WADI_EXT_NONE)
        wadi_text_add(x->out, "?");
    else if (wadi_named_number(x, e, &n))
        wadi_text_addf(x->out, "%lld", (long long)n);
    else
        wadi_named_extent(x, e);
    wadi_text_addf(x->out, " %s", unit);
}

bool wadi_amount_is_delayed(const wadi_named *x, wadi_val v) {
    const wadi_value *value = &x->m->values[v];
    return value->def == WADI_DEF_BIND && value->storage == WADI_STORE_DELAYED;
}

bool wadi_amount_has_pass(const wadi_named *x, const wadi_bind *b) {
    if (b->nresults == 0 || wadi_op_has(b->op, WADI_TRAIT_NO_KERNEL) || b->op->scalar) return false;
    if (b->nblocks > 0 || b->op->kind == WADI_OP_SEQUENCE) return false;
    return !wadi_amount_is_delayed(x, b->results[0]) && !x->m->values[b->results[0]].type.is_seq;
}

bool wadi_amount_is_given(const wadi_bind *b) {
    return b->op->given != WADI_GIVEN_NOT && b->op->kind != WADI_OP_SEQUENCE;
}
