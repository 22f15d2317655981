/* Border and interior. A loop is first written as its own interior, aside: each minimum, maximum, comparison and check of an affine index is
 * decided as it is almost everywhere, and the range in which all decisions are right is computed in front of the loop
 * (codegen/loop/interior.h). If anything was decided, the rounds outside this range become a second loop, in which nothing is. It runs twice, so
 * that its code is there once: in front of the interior, and behind it.
 *
 * The rounds of the two loops may run in any order, as those of any loop over the elements of an array. */
#include "codegen/kernel/split.h"

#include "codegen/kernel/arith.h"
#include "codegen/loop/interior.h"

/* Straight code: nothing in the loop's body has a body of its own. */
static bool is_straight(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++)
        if (s->inst[i]->block[0] || s->inst[i]->kind == WADI_L_FAULT ||
            s->inst[i]->kind == WADI_L_VAR || s->inst[i]->kind == WADI_L_FRESH)
            return false;
    return true;
}

void wadi_lower_mark_innermost(wadi_lower *l) {
    if (!l->b.failed) l->b.scope->owner->independent = is_straight(l->b.scope);
}

typedef struct split {
    wadi_lv from, below, end;
    const char *name;
    wadi_split_body body;
    void *env;
} split;

/* One loop. Returns the instruction. */
static wadi_linst *loop(wadi_lower *l, const split *s, wadi_lv from, wadi_lv below,
                        wadi_linterior *in) {
    wadi_lb *b = &l->b;
    const wadi_lv i = wadi_lb_for(b, from, below, 1, s->name);
    wadi_linst *made = b->failed ? &b->spare : b->scope->owner;
    if (wadi_lb_inst(b, s->end)->bits <= WADI_EXTENT_BITS) { /* it is one of 0 .. end - 1 */
        wadi_lb_inst(b, i)->nonneg = true;
        wadi_lb_inst(b, i)->bits = WADI_EXTENT_BITS;
    }
    if (in) {
        in->var = i;
        in->body = b->scope;
        b->interior = b->failed ? NULL : in;
        b->decide = wadi_interior_decide;
    }
    s->body(l, s->env, i);
    b->interior = NULL;
    wadi_lower_mark_innermost(l);
    wadi_lb_end(b);
    return made;
}

/* The range of the interior, within from .. below. */
static void range_of(wadi_lower *l, const split *s, const wadi_linterior *in, wadi_lv *out_from,
                     wadi_lv *out_below) {
    wadi_lv most = in->most;
    if (in->cond != WADI_LV_NONE) {
        const wadi_lv all = most == WADI_LV_NONE ? s->below : most;
        most = wadi_lb_select(&l->b, WADI_I64, in->cond, all, num(l, 0));
    }
    *out_from = s->from;
    *out_below = s->below;
    if (in->from != WADI_LV_NONE)
        *out_from = bin(l, WADI_SOP_MAX, s->from, bin(l, WADI_SOP_MIN, in->from, s->below));
    if (most != WADI_LV_NONE)
        *out_below = bin(l, WADI_SOP_MAX, *out_from, bin(l, WADI_SOP_MIN, most, s->below));
    wadi_lb_name(&l->b, *out_from, "inner");
    wadi_lb_name(&l->b, *out_below, "outer");
}

/* The rounds from `from` to `inner`, and those from `outer` to `below`. The bounds are minima and maxima, from which others learn where the
 * rounds lie. Checks are made in place. */
static void border(wadi_lower *l, const split *s, wadi_lv inner, wadi_lv outer) {
    wadi_loop_version *version = l->checking.version;
    l->checking.version = NULL;
    const wadi_lv far = num(l, INT64_C(1) << WADI_EXTENT_BITS);
    const wadi_lv side = wadi_lb_for(&l->b, num(l, 0), num(l, 2), 1, "side");
    const wadi_lv later = bin(l, WADI_SOP_MAX, s->from, bin(l, WADI_SOP_MUL, outer, side));
    const wadi_lv first = wadi_lb_range(&l->b, later, s->from, s->below);
    const wadi_lv last = bin(l, WADI_SOP_MIN, s->below,
                             bin(l, WADI_SOP_ADD, inner, bin(l, WADI_SOP_MUL, side, far)));
    loop(l, s, first, last, NULL)->brief = true;
    wadi_lb_end(&l->b);
    l->checking.version = version;
}

const wadi_linst *wadi_lower_split(wadi_lower *l, wadi_lv from, wadi_lv below, wadi_lv end,
                                   const char *name, wadi_split_body body, void *env) {
    wadi_lb *b = &l->b;
    const split s = {from, below, end, name, body, env};
    const wadi_loop_version *v = l->checking.version;
    if (b->failed || b->interior || l->checking.trial || l->checking.ahead || (v && !v->fast)) {
        wadi_linterior *around = b->interior;
        b->interior = NULL;
        const wadi_linst *whole = loop(l, &s, from, below, NULL);
        b->interior = around;
        return whole;
    }
    wadi_linterior in = {.home = b->scope,
                         .end = end,
                         .from = WADI_LV_NONE,
                         .most = WADI_LV_NONE,
                         .cond = WADI_LV_NONE};
    wadi_lscope *aside = wadi_lb_aside(b);
    wadi_linst *made = loop(l, &s, from, below, &in);
    wadi_lb_aside_end(b, aside);
    if (in.decided > 0 && !b->failed) {
        wadi_lv inner, outer;
        range_of(l, &s, &in, &inner, &outer);
        made->args[0] = inner;
        made->args[1] = outer;
        border(l, &s, inner, outer);
    }
    wadi_lb_merge(b, aside);
    return made;
}
