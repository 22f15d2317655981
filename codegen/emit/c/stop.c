/* Lets a kernel end soon after its run was cancelled. The kernel checks a flag between strips of a loop's rounds, and in every
 * round of a loop without a counter. Inside a strip, the loop is the same as without checks. So checking takes no measurable
 * time and does not keep a C compiler from vectorising.
 *
 * Strips are short if rounds contain long loops. An innermost loop inside such a loop is left as it is: it may have few rounds
 * and be reached very often, and arrays bound all of its rounds. */
#include "codegen/emit/c/stop.h"

enum {
    SHORT = 4096, /* rounds that an innermost loop may take without a check */
    SIMPLE_STRIP = 65536,
    NEST_STRIP = 16 /* rounds of a loop with long loops in it; as many as a vector's elements */
};

static bool is_const(const wadi_lfun *f, wadi_lv v, int64_t *out) {
    const wadi_linst *i = f->inst[v];
    *out = (int64_t)i->imm.bits;
    return i->kind == WADI_L_CONST;
}

static bool is_short(const wadi_lfun *f, const wadi_linst *loop) {
    int64_t from = 0, below = 0, step = 1;
    if (loop->unrolled || (loop->kind == WADI_L_FOR && loop->brief)) return true;
    if (!is_const(f, loop->args[0], &from) || !is_const(f, loop->args[1], &below)) return false;
    (void)is_const(f, loop->args[2], &step);
    return (below - from) / step <= SHORT;
}

static bool is_op(const wadi_linst *i, wadi_sop op) {
    return i->kind == WADI_L_PRIM && i->op == op;
}

/* Whether the instructions that made `from` and `below` show that the loop has fewer than SHORT rounds. So it is for the end of a
 * piece or block, and for its rest after whole vectors. */
static bool is_near(const wadi_lfun *f, wadi_lv from, wadi_lv below) {
    const wadi_linst *b = f->inst[below], *a = f->inst[from];
    int64_t start = 0, n = 0;
    if (is_const(f, below, &n) && is_const(f, from, &start)) return n - start <= SHORT;
    if (b->kind == WADI_L_RANGE)
        return is_near(f, from, b->args[0]) ||
               (b->args[2] != WADI_LV_NONE && is_near(f, from, b->args[2]));
    if (is_op(b, WADI_SOP_MIN) && (is_near(f, from, b->args[0]) || is_near(f, from, b->args[1])))
        return true;
    if (is_op(b, WADI_SOP_MAX) && b->args[0] == from) return is_near(f, from, b->args[1]);
    if (is_op(a, WADI_SOP_MAX)) return is_near(f, a->args[0], below);
    if (is_op(b, WADI_SOP_AND) && is_const(f, b->args[1], &n) && n < 0)
        return is_near(f, from, b->args[0]);
    if (is_op(b, WADI_SOP_ADD) && b->args[0] == from && is_const(f, b->args[1], &n))
        return n <= SHORT;
    if (is_op(a, WADI_SOP_AND) && a->args[0] == below && is_const(f, a->args[1], &n))
        return n < 0 && n >= -SHORT;
    return is_op(a, WADI_SOP_ADD) && is_const(f, a->args[1], &n) && n >= 0 &&
           is_near(f, a->args[0], below);
}

static bool holds_long_ones(const wadi_lfun *f, const wadi_linst *i) {
    for (int k = 0; k < 2; k++) {
        for (int p = 0; i->block[k] != NULL && p < i->block[k]->n; p++) {
            const wadi_linst *inner = i->block[k]->inst[p];
            if (inner->kind == WADI_L_FOR && !is_short(f, inner)) return true;
            if (holds_long_ones(f, inner)) return true;
        }
    }
    return false;
}

/* Whether a round passes a value to the next one. Then no array bounds the number of rounds. */
static bool carries(const wadi_linst *i) {
    for (int k = 0; k < 2; k++) {
        for (int p = 0; i->block[k] != NULL && p < i->block[k]->n; p++) {
            const wadi_linst *inner = i->block[k]->inst[p];
            if (inner->kind == WADI_L_SET || inner->kind == WADI_L_PUT || carries(inner))
                return true;
        }
    }
    return false;
}

/* Whether it is the loop over the elements of a chunk: the only one that begins at an argument of the kernel. */
static bool over_elements(const wadi_lfun *f, const wadi_linst *loop) {
    return wadi_l_is_bound(f->inst[loop->args[0]]);
}

/* Whether a loop around it, other than the loop over elements, checks for a stop. */
static bool is_inner(const wadi_lfun *f, const wadi_linst *loop) {
    const wadi_lscope *s = loop->scope;
    for (;;) {
        s = wadi_l_merged(s);
        const wadi_linst *owner = s != NULL ? s->owner : NULL;
        if (owner == NULL) return false;
        if (owner->kind == WADI_L_REPEAT && !owner->brief) return true;
        if (owner->kind == WADI_L_FOR && !is_short(f, owner) && !over_elements(f, owner))
            return true;
        s = owner->scope;
    }
}

int64_t wadi_c_strip_of(const wadi_lfun *f, const wadi_linst *loop) {
    int64_t step = 1;
    if (is_short(f, loop)) return 0;
    if (is_const(f, loop->args[2], &step) && step >= SHORT) return 1;
    if (holds_long_ones(f, loop)) return NEST_STRIP;
    if (is_near(f, loop->args[0], loop->args[1])) return 0;
    return is_inner(f, loop) && !carries(loop) ? 0 : SIMPLE_STRIP;
}
