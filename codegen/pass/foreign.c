/* Replaces library routines and manual liftings that cannot be used by region 0, which defines what they compute.
 *
 * Law: let (x.. -> e) a.. in b = b[e[a../x..]]. This is done before anything else rewrites arrays, so that the language's own
 * computation is simplified, hoisted and fused with its surroundings.
 *
 * A routine stays if the build has it. If the steady form is asked for, the routine is renamed to it. A manual lifting stays if
 * it is directly in a stage body and its arguments are regular; schedule flat can then run it on the whole chunk. */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/rewrite.h"

typedef struct inlining {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_subst subst;
    bool failed;
} inlining;

typedef WADI_VEC(wadi_bind *) bind_list;

static bool is_regular(const inlining *s, wadi_val v) {
    return s->m->values[v].def != WADI_DEF_CONST &&
           wadi_rep_of(wadi_deps_get(s->cx->deps, v, 0)) == WADI_REP_REGULAR;
}

static bool can_lift(const inlining *s, const wadi_bind *b) {
    for (int i = 0; i < b->nargs; i++)
        if (!is_regular(s, b->args[i])) return false;
    for (int i = 0; i < b->nresults; i++)
        if (!is_regular(s, b->results[i])) return false;
    return true;
}

/* Whether the build has the routine. A routine that learns which of its ways is fastest may round differently after learning;
 * its steady form does not learn. */
static bool can_call(inlining *s, wadi_bind *b) {
    if (!s->cx->routine) return false;
    if (s->cx->steady) {
        b->name = wadi_arena_printf(s->m->arena, "%s.steady", b->name);
        if (!b->name) s->failed = true;
    }
    return b->name && s->cx->routine(b->name);
}

static bool stays(inlining *s, wadi_bind *b, bool in_body) {
    if (b->op->routine) return can_call(s, b);
    if (b->op->by_chunk) return in_body && can_lift(s, b);
    return true;
}

static void visit(inlining *s, wadi_block *block, bool in_body);

static void put(inlining *s, bind_list *list, wadi_bind *b) {
    if (!wadi_vec_push(list, b)) s->failed = true;
}

static void take_binding(inlining *s, wadi_block *block, wadi_bind *b, bool in_body,
                         bind_list *out) {
    wadi_subst_own(&s->subst, block, b);
    if (stays(s, b, in_body)) {
        const bool body = b->op->kind == WADI_OP_SEQUENCE;
        for (int k = 0; k < b->nblocks; k++) visit(s, b->blocks[k], body);
        put(s, out, b);
        return;
    }
    wadi_block *r = b->blocks[0];
    for (int p = 0; p < r->nparams; p++) wadi_subst_put(&s->subst, r->params[p], b->args[p]);
    for (int i = 0; i < r->nbinds && !s->failed; i++) {
        wadi_rewrite_moved(r->binds[i], block);
        take_binding(s, block, r->binds[i], in_body, out);
    }
    for (int i = 0; i < b->nresults; i++) wadi_subst_put(&s->subst, b->results[i], r->yields[i]);
}

static void visit(inlining *s, wadi_block *block, bool in_body) {
    bind_list out = {0};
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        take_binding(s, block, block->binds[i], in_body, &out);
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    wadi_subst_yields(&s->subst, block);
    wadi_vec_free(&out);
}

wadi_status wadi_pass_foreign(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    inlining s = {.m = m, .cx = cx};
    s.failed = !wadi_subst_init(&s.subst, cx->scratch, m);
    if (!s.failed) visit(&s, m->main, false);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "foreign: out of memory") : WADI_OK;
}
