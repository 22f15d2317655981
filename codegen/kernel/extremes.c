/* Least and greatest numbers of a row, found by the plain comparison.
 *
 * The language's minimum prefers a number to NaN, and -0 to +0. That takes several instructions where `x < acc ? x : acc`
 * takes one, and a reduction rarely needs it. If the plain comparison begins with infinity instead of NaN, it skips NaN and
 * errs at most in the sign of a zero. So a block is first reduced plainly. If the result is zero or still infinite, a second
 * loop settles it by combining the bits of all elements that are equal to it: the sign of any zero, or the infinity if there
 * is one. Minimum and maximum give the same bits in any order, so this keeps the law of operators/reduce_tree.h.
 *
 * This is done only if elements are cheap, because the second loop computes them again. */
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
/* Operations of a function. With more of them, the comparison hardly matters and is not worth a second loop. */
enum { CHEAP = 8 };

/* ---- which folds qualify ---- */

wadi_sop wadi_row_extreme(const wadi_fun *f, int field) {
    const wadi_sblock *b = f->body;
    const wadi_sinst *s = wadi_sblock_maker(b, b->yields[field]);
    if (s == NULL || (s->op != WADI_SOP_MIN && s->op != WADI_SOP_MAX)) return WADI_SOP_CONST;
    if (!wadi_type_is_float(f->types[b->yields[field]])) return WADI_SOP_CONST;
    const wadi_sval acc = b->params[field], x = b->params[b->nyields + field];
    const bool both =
        (s->args[0] == acc && s->args[1] == x) || (s->args[0] == x && s->args[1] == acc);
    return both ? s->op : WADI_SOP_CONST;
}

bool wadi_lower_is_cheap(const wadi_lower *l, wadi_val v) {
    v = wadi_lower_resolve(l, v);
    const wadi_value *value = &l->m->values[v];
    if (value->def != WADI_DEF_BIND || l->loc[v].kind != WADI_LOC_NONE) return true;
    const wadi_bind *bind = value->bind;
    if (bind->op->kind != WADI_OP_PRODUCER || !bind->op->at) return false;
    for (int i = 0; i < bind->nfuns; i++)
        if (wadi_lower_cost(bind->funs[i]) > CHEAP) return false;
    for (int i = 0; i < bind->nargs; i++)
        if (!wadi_lower_is_cheap(l, bind->args[i])) return false;
    return true;
}

/* ---- the plain comparison ---- */

/* A float constant of type t by its bits: `single` for 32 bits, `wide` for 64. */
static wadi_lv bits(wadi_lower *l, wadi_type t, uint64_t single, uint64_t wide) {
    return wadi_lb_const(&l->b, (wadi_scalar){t, wadi_type_size(t) == 4 ? single : wide});
}

static wadi_lv zero(wadi_lower *l, wadi_type t) {
    return bits(l, t, 0, 0);
}

/* What the plain comparison begins with: infinity for a minimum, -infinity for a maximum. */
static wadi_lv worst(wadi_lower *l, wadi_sop op, wadi_type t) {
    return op == WADI_SOP_MIN ? bits(l, t, 0x7f800000, UINT64_C(0x7ff0000000000000))
                              : bits(l, t, 0xff800000, UINT64_C(0xfff0000000000000));
}

wadi_lv wadi_lower_extreme_first(wadi_lower *l, wadi_sop op, wadi_lv x) {
    return wadi_lb_bin(&l->b, op, x, worst(l, op, wadi_lb_type(&l->b, x)));
}

wadi_lv wadi_lower_extreme_next(wadi_lower *l, wadi_sop op, wadi_lv acc, wadi_lv x) {
    wadi_lb *b = &l->b;
    const wadi_lv beyond = wadi_lb_bin(b, op == WADI_SOP_MIN ? WADI_SOP_LT : WADI_SOP_GT, x, acc);
    return wadi_lb_select(b, wadi_lb_type(b, x), beyond, x, acc);
}

/* ---- the second loop, where the plain comparison does not decide ---- */

wadi_lv wadi_lower_extreme_open(wadi_lower *l, wadi_sop op, wadi_lv found) {
    wadi_lb *b = &l->b;
    const wadi_type t = wadi_lb_type(b, found);
    const wadi_lv is_zero = wadi_lb_bin(b, WADI_SOP_EQ, found, zero(l, t));
    return wadi_lb_bin(b, WADI_SOP_LOR, is_zero,
                       wadi_lb_bin(b, WADI_SOP_EQ, found, worst(l, op, t)));
}

static wadi_type bits_type(wadi_type t) {
    return wadi_type_size(t) == 4 ? WADI_U32 : WADI_U64;
}

/* The value that the bits begin with, before any element is combined: the minimum combines bits with OR, the maximum with AND. */
static wadi_lv untouched(wadi_lower *l, wadi_sop op, wadi_type t) {
    const bool none = op == WADI_SOP_MIN;
    return bits(l, bits_type(t), none ? 0 : UINT32_MAX, none ? 0 : UINT64_MAX);
}

wadi_lv wadi_lower_extreme_bits(wadi_lower *l, wadi_sop op, wadi_type t) {
    return wadi_lb_var(&l->b, bits_type(t), false, untouched(l, op, t), "same");
}

void wadi_lower_extreme_take(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found, wadi_lv x) {
    wadi_lb *b = &l->b;
    const wadi_type t = wadi_lb_type(b, x), u = bits_type(t);
    const wadi_lv of_x = wadi_lb_prim(b, WADI_SOP_BITCAST, u, 1, &x);
    const wadi_lv equal = wadi_lb_bin(b, WADI_SOP_EQ, x, found);
    const wadi_lv same = wadi_lb_select(b, u, equal, of_x, untouched(l, op, t));
    wadi_lb_set(
        b, var,
        wadi_lb_bin(b, op == WADI_SOP_MIN ? WADI_SOP_OR : WADI_SOP_AND, wadi_lb_get(b, var), same));
}

/* If the bits are still what they began with and the result is infinity, no element is equal to it: all are NaN. If the result
 * is zero, some element is equal to it. The bits of a minimum may then still be as they began, which is +0 and right. */
wadi_lv wadi_lower_extreme_settled(wadi_lower *l, wadi_sop op, wadi_lv var, wadi_lv found) {
    wadi_lb *b = &l->b;
    const wadi_type t = wadi_lb_type(b, found);
    const wadi_lv same = wadi_lb_get(b, var);
    const wadi_lv left = wadi_lb_bin(b, WADI_SOP_EQ, same, untouched(l, op, t));
    const wadi_lv not_zero = wadi_lb_bin(b, WADI_SOP_NE, found, zero(l, t));
    const wadi_lv none = wadi_lb_bin(b, WADI_SOP_LAND, left, not_zero);
    const wadi_lv nan = bits(l, t, 0x7fc00000, UINT64_C(0x7ff8000000000000));
    return wadi_lb_select(b, t, none, nan, wadi_lb_prim(b, WADI_SOP_BITCAST, t, 1, &same));
}
