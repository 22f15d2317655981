/* Simplification: constants, and exact identities of scalars and of arrays.
 *
 * One walk in program order sees each binding after everything it reads. Laws of single operators are in their rows (`same`
 * and `join` of graph/op.h: map id a = a, reverse (reverse a) = a, ..); those of control and of scalars are here. All are
 * exact (Bird 1987; McDonell et al. 2013, section 4.4 for extents):
 *   unit c                       = the constant c
 *   acond c a b                  = a, or b, for a constant c
 *   awhile (\s -> false) f a     = a
 * Scalar functions are simplified by codegen/scalar_fold.c. Bindings that have lost their readers stay until the pass dce. */
#include "codegen/pass.h"

#include "base/error.h"
#include "codegen/rewrite.h"
#include "codegen/scalar_fold.h"

typedef WADI_VEC(wadi_bind *) binds;

typedef struct simplifying {
    wadi_module *m;
    const wadi_shapes *shapes;
    wadi_subst subst;
    bool *visible; /* values that the present binding may read */
    bool failed;
} simplifying;

/* ---- bindings whose result is one of their arguments ---- */

static bool same_shape(const simplifying *s, wadi_val a, wadi_val b) {
    const uint32_t n = s->shapes->nvalues;
    return a < n && b < n && wadi_shapes_same(s->shapes, s->m, a, b);
}

/* The binding of the same operator that makes argument 0 of `b`, or NULL. */
static const wadi_bind *inner_of(const simplifying *s, const wadi_bind *b) {
    const wadi_value *a = &s->m->values[b->args[0]];
    return a->def == WADI_DEF_BIND && a->bind->op == b->op ? a->bind : NULL;
}

/* The value that the result of `b` equals, or WADI_NONE. Joins `b` with its argument's binding first, if their law allows it. */
static wadi_val same_as(const simplifying *s, wadi_bind *b) {
    if (b->nargs == 0 || b->nresults != 1 || s->m->values[b->results[0]].type.is_seq)
        return WADI_NONE;
    const wadi_bind *inner = b->op->join ? inner_of(s, b) : NULL;
    const wadi_joined joined = inner ? b->op->join(b, inner) : WADI_JOINED_NOT;
    if (joined == WADI_JOINED_UNDONE) return inner->args[0];
    if (joined == WADI_JOINED_ONE) b->args[0] = inner->args[0];
    if (!b->op->same) return WADI_NONE;
    const wadi_val a = b->args[0];
    return b->op->same(s->m, b, same_shape(s, b->results[0], a)) ? a : WADI_NONE;
}

/* ---- the walk ---- */

static void walk_block(simplifying *s, wadi_block *block);
static void walk_into(simplifying *s, const wadi_block *from, wadi_block *block, binds *out);

static void see(simplifying *s, const wadi_val *values, int n, bool visible) {
    for (int i = 0; i < n; i++)
        if (values[i] < s->subst.n) s->visible[values[i]] = visible;
}

static void fold_functions(simplifying *s, const wadi_bind *b) {
    const wadi_scalar_fold cx = {s->m, s->shapes, s->visible, s->subst.n};
    for (int i = 0; i < b->nfuns && !s->failed; i++)
        if (!wadi_simplify_fun(&cx, b->funs[i])) s->failed = true;
}

static void results_are(simplifying *s, const wadi_bind *b, const wadi_val *values) {
    for (int r = 0; r < b->nresults; r++) wadi_subst_put(&s->subst, b->results[r], values[r]);
}

static bool unit_is_const(simplifying *s, const wadi_bind *b) {
    wadi_scalar c;
    if (!b->op->scalar || b->funs[0]->body->nyields != 1) return false;
    if (s->m->values[b->results[0]].type.array->elem.name[0])
        return false; /* a record of one field */
    if (!wadi_simplify_yields_const(b->funs[0], 0, &c)) return false;
    const wadi_val v = wadi_const_val(s->m, c);
    if (v == WADI_NONE)
        s->failed = true;
    else
        results_are(s, b, &v);
    return true;
}

/* If it is known which region runs, that region's bindings replace `b`; if none runs, the arguments do. Returns whether. */
static bool take_outcome(simplifying *s, wadi_bind *b, wadi_block *block, binds *out) {
    const int outcome = b->op->outcome ? b->op->outcome(s->m, b) : WADI_OUTCOME_OPEN;
    if (outcome == WADI_OUTCOME_OPEN) return false;
    if (outcome == WADI_OUTCOME_ARGS) {
        results_are(s, b, b->args);
        return true;
    }
    wadi_block *chosen = b->blocks[outcome];
    walk_into(s, chosen, block, out);
    wadi_subst_yields(&s->subst, chosen);
    results_are(s, b, chosen->yields);
    return true;
}

/* Simplifies the regions of `b`, which may decide its outcome. Returns whether `b` was replaced. */
static bool walk_regions(simplifying *s, wadi_bind *b, wadi_block *block, binds *out) {
    if (take_outcome(s, b, block, out)) return true;
    for (int i = 0; i < b->nblocks && !s->failed; i++) walk_block(s, b->blocks[i]);
    return !s->failed && take_outcome(s, b, block, out);
}

static void walk_bind(simplifying *s, wadi_bind *b, wadi_block *block, binds *out) {
    wadi_subst_own(&s->subst, block, b);
    fold_functions(s, b);
    if (s->failed || unit_is_const(s, b) || walk_regions(s, b, block, out) || s->failed) return;
    const wadi_val same = same_as(s, b);
    if (same != WADI_NONE) {
        results_are(s, b, &same);
        return;
    }
    wadi_rewrite_moved(b, block);
    see(s, b->results, b->nresults, true);
    if (!wadi_vec_push(out, b)) s->failed = true;
}

static void walk_into(simplifying *s, const wadi_block *from, wadi_block *block, binds *out) {
    for (int i = 0; i < from->nbinds && !s->failed; i++) walk_bind(s, from->binds[i], block, out);
}

static void walk_block(simplifying *s, wadi_block *block) {
    binds out = {0};
    see(s, block->params, block->nparams, true);
    walk_into(s, block, block, &out);
    wadi_subst_yields(&s->subst, block);
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    for (size_t i = 0; i < out.n; i++) see(s, out.at[i]->results, out.at[i]->nresults, false);
    see(s, block->params, block->nparams, false);
    wadi_vec_free(&out);
}

wadi_status wadi_pass_simplify(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    simplifying s = {.m = m, .shapes = cx->shapes};
    s.visible = WADI_NEW_N(cx->scratch, bool, m->nvalues);
    s.failed = !s.visible || !wadi_subst_init(&s.subst, cx->scratch, m);
    if (!s.failed) walk_block(&s, m->main);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "simplify: out of memory") : WADI_OK;
}
