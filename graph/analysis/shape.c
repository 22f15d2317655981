/* Shape analysis: runs the operators' shape rules over all blocks, in the order of the program.
 *
 * The rules say what an operator does to extents. This file knows where else extents come from: declarations, the elements of
 * sequences that flow into a body, and closed scalar code that computes an extent. If a rule asks for an equality that is not
 * proved, it becomes a check of that binding. The results of the binding use the better known side. Inside a region, the
 * equality is believed of the region's own values, so that a loop is seen to keep its shape. Outside, it is believed after the
 * analysis. */
#include "graph/analysis/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

/* A region a rule has run, and the checks that came of it. */
typedef struct visit {
    const wadi_block *block;
    size_t first_check, end_check;
} visit;

typedef struct shaping {
    wadi_shape_cx cx; /* first: rules see this */
    const wadi_module *m;
    wadi_shapes *s;
    const wadi_block **home; /* [value]: the block it is bound in, NULL before that */
    wadi_ext *scalar;        /* [value]: the value of a rank-0 integer as an extent, or NONE */
    const wadi_block *here;  /* the block being analysed */
    WADI_VEC(wadi_shape_check) checks;
    WADI_VEC(wadi_shape_check) facts; /* equalities that an earlier check guarantees */
    WADI_VEC(visit) seen;             /* the regions that the rules under way have run */
    size_t rule_seen;                 /* where those of the innermost rule begin */
    bool out_of_memory;
} shaping;

static const wadi_array_type *type_of(const shaping *sh, wadi_val v, int comp) {
    return &sh->m->values[v].type.array[comp];
}

/* ---- extents that no rule has set ---- */

static wadi_ext declared(const shaping *sh, wadi_val v, int comp, int dim) {
    const wadi_array_type *t = type_of(sh, v, comp);
    if (t->extent && t->extent[dim].kind == WADI_EXTENT_CONST)
        return wadi_ext_const(sh->s->extents, t->extent[dim].value);
    if (t->extent && t->extent[dim].kind == WADI_EXTENT_NAMED)
        return wadi_ext_symbol(sh->s->extents, t->extent[dim].name);
    return wadi_ext_dim(sh->s->extents, v, comp, dim);
}

/* The list of extents of `v`, which is made at the first call. NULL when out of memory. */
static wadi_ext *dims_of(shaping *sh, wadi_val v) {
    if (sh->s->dims[v]) return sh->s->dims[v];
    const size_t n = (size_t)sh->m->values[v].type.arrays * WADI_MAX_RANK;
    wadi_ext *dims = WADI_NEW_N(sh->s->arena, wadi_ext, n);
    if (!dims) {
        sh->out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) dims[i] = WADI_EXT_NONE;
    return sh->s->dims[v] = dims;
}

static wadi_ext get(wadi_shape_cx *cx, wadi_val v, int comp, int dim) {
    shaping *sh = (shaping *)cx;
    const wadi_ext *dims = dims_of(sh, v);
    const wadi_ext e = dims ? dims[comp * WADI_MAX_RANK + dim] : WADI_EXT_NONE;
    return e == WADI_EXT_NONE ? declared(sh, v, comp, dim) : e;
}

static void set(wadi_shape_cx *cx, wadi_val v, int comp, int dim, wadi_ext e) {
    shaping *sh = (shaping *)cx;
    wadi_ext *dims = dims_of(sh, v);
    if (dims) dims[comp * WADI_MAX_RANK + dim] = e;
}

static wadi_ext opaque(wadi_shape_cx *cx, wadi_val v, int comp, int dim) {
    return wadi_ext_dim(cx->extents, v, comp, dim);
}

/* Gives every extent of `v` that has none yet the declared one. */
static void settle(shaping *sh, wadi_val v) {
    const wadi_val_type *t = &sh->m->values[v].type;
    for (int comp = 0; comp < t->arrays; comp++)
        for (int d = 0; d < t->array[comp].rank; d++)
            set(&sh->cx, v, comp, d, get(&sh->cx, v, comp, d));
}

/* ---- scalars as extents ---- */

static wadi_ext scalar(wadi_shape_cx *cx, wadi_val v) {
    shaping *sh = (shaping *)cx;
    const wadi_value *value = &sh->m->values[v];
    if (value->def == WADI_DEF_CONST)
        return wadi_ext_const(sh->s->extents, (int64_t)value->imm.bits);
    if (sh->scalar[v] != WADI_EXT_NONE) return sh->scalar[v];
    return wadi_ext_scalar(sh->s->extents, v);
}

/* What one i64 instruction computes from its arguments, as an extent; NONE if it is no polynomial. */
static wadi_ext symbolic(shaping *sh, const wadi_fun *f, const wadi_sinst *i,
                         const wadi_ext *known) {
    wadi_extents *x = sh->s->extents;
    wadi_ext a[2] = {WADI_EXT_NONE, WADI_EXT_NONE};
    for (int k = 0; k < i->nargs && k < 2; k++) {
        a[k] = known[i->args[k]];
        if (a[k] == WADI_EXT_NONE) return WADI_EXT_NONE;
    }
    switch (i->op) {
    case WADI_SOP_CONST:
        return wadi_ext_const(x, (int64_t)i->imm.bits);
    case WADI_SOP_EXTENT:
        return get(&sh->cx, i->array, 0, i->dim);
    case WADI_SOP_THE:
        return scalar(&sh->cx, i->array);
    case WADI_SOP_CONVERT: /* from an integer to i64: the value stays the same (from u64: the bits) */
        return a[0];
    case WADI_SOP_ADD:
        return f->types[i->first] == WADI_I64 ? wadi_ext_add(x, a[0], a[1]) : WADI_EXT_NONE;
    case WADI_SOP_SUB:
        return f->types[i->first] == WADI_I64 ? wadi_ext_sub(x, a[0], a[1]) : WADI_EXT_NONE;
    case WADI_SOP_MUL:
        return f->types[i->first] == WADI_I64 ? wadi_ext_mul(x, a[0], a[1]) : WADI_EXT_NONE;
    case WADI_SOP_NEG:
        return f->types[i->first] == WADI_I64 ? wadi_ext_sub(x, wadi_ext_const(x, 0), a[0])
                                              : WADI_EXT_NONE;
    case WADI_SOP_MIN:
        return f->types[i->first] == WADI_I64 ? wadi_ext_min(x, a[0], a[1]) : WADI_EXT_NONE;
    case WADI_SOP_MAX:
        return f->types[i->first] == WADI_I64 ? wadi_ext_max(x, a[0], a[1]) : WADI_EXT_NONE;
    default:
        return WADI_EXT_NONE;
    }
}

/* Only integers are extents. A conversion must give i64, because a narrower type may change the value. */
static bool may_be_extent(const wadi_fun *f, const wadi_sinst *i) {
    if (i->nresults != 1 || !wadi_type_is_int(f->types[i->first])) return false;
    if (i->op != WADI_SOP_CONVERT) return true;
    return f->types[i->first] == WADI_I64 && wadi_type_is_int(f->types[i->args[0]]);
}

/* Runs a closed function that gives one integer (of the operator `unit`) on symbolic extents, as long as it has no branches or
 * loops. */
static void find_scalar(shaping *sh, const wadi_bind *b) {
    if (b->nargs != 0 || b->nfuns != 1 || b->nresults != 1) return;
    const wadi_array_type *t = type_of(sh, b->results[0], 0);
    const wadi_fun *f = b->funs[0];
    if (t->rank != 0 || t->elem.fields != 1 || !wadi_type_is_int(t->elem.type[0])) return;
    if (f->body->nparams != 0 || f->body->nyields != 1) return;
    wadi_ext *known = malloc((f->nvals + 1) * sizeof *known);
    if (!known) {
        sh->out_of_memory = true;
        return;
    }
    for (uint32_t k = 0; k < f->nvals; k++) known[k] = WADI_EXT_NONE;
    for (int k = 0; k < f->body->ninsts; k++) {
        const wadi_sinst *i = f->body->insts[k];
        if (may_be_extent(f, i)) known[i->first] = symbolic(sh, f, i, known);
    }
    sh->scalar[b->results[0]] = known[f->body->yields[0]];
    free(known);
}

/* ---- equalities ---- */

static bool bound_here(const void *env, wadi_val v) {
    const shaping *sh = env;
    return sh->home[v] == sh->here;
}

enum { FAR_BACK = 12 }; /* bindings */

/* Whether `b` is computed from results of `older`. Then the checks of `older` have passed when `b` is computed. */
static bool leans_on(const shaping *sh, const wadi_bind *b, const wadi_bind *older, int depth) {
    for (int i = 0; i < b->nargs && depth < FAR_BACK; i++) {
        const wadi_value *v = &sh->cx.module->values[b->args[i]];
        if (v->def != WADI_DEF_BIND || v->type.is_seq) continue;
        if (v->bind == older || leans_on(sh, v->bind, older, depth + 1)) return true;
    }
    return false;
}

static bool checked_before(const shaping *sh, const wadi_bind *bind, wadi_ext a, wadi_ext b) {
    for (size_t i = 0; i < sh->checks.n; i++) {
        const wadi_shape_check *c = &sh->checks.at[i];
        const bool same = (c->a == a && c->b == b) || (c->a == b && c->b == a);
        if (same && c->bind != bind && leans_on(sh, bind, c->bind, 0)) return true;
    }
    return false;
}

static void require_equal(wadi_shape_cx *cx, const wadi_bind *bind, wadi_ext a, wadi_ext b,
                          const char *what, int dim) {
    shaping *sh = (shaping *)cx;
    if (wadi_ext_same(cx->extents, a, b)) return;
    if (checked_before(sh, bind, a, b)) {
        if (!wadi_vec_push(&sh->facts, (wadi_shape_check){bind, a, b, what, dim}))
            sh->out_of_memory = true;
        return;
    }
    if (!wadi_vec_push(&sh->checks, (wadi_shape_check){bind, a, b, what, dim}))
        sh->out_of_memory = true;
    if (sh->here->parent) wadi_ext_unify(cx->extents, a, b);
}

static bool is_unknown(void *env, const wadi_ext_node *atom) {
    (void)env;
    return atom->kind != WADI_EXT_SYMBOL;
}

static bool is_local(void *env, const wadi_ext_node *atom) {
    const shaping *sh = env;
    return atom->kind != WADI_EXT_SYMBOL && sh->home[atom->val] == sh->here;
}

/* How little is known of an extent: 0 it is a constant, 1 it has only named extents in it, 2 it is known outside of the block,
 * 3 any other. */
static int vagueness(shaping *sh, wadi_ext e) {
    const wadi_extents *x = sh->s->extents;
    if (wadi_ext_get(x, e)->kind == WADI_EXT_CONST) return 0;
    if (!wadi_ext_any_atom(x, e, is_unknown, NULL)) return 1;
    return wadi_ext_any_atom(x, e, is_local, sh) ? 3 : 2;
}

static bool is_better(shaping *sh, wadi_ext a, wadi_ext b) {
    const int va = vagueness(sh, a), vb = vagueness(sh, b);
    return va != vb ? va < vb : a < b; /* if they are alike, the older one */
}

/* `e`, or the other side of equality `c` if that is better and the equality belongs to binding `b`. */
static wadi_ext better_side(shaping *sh, const wadi_shape_check *c, const wadi_bind *b,
                            wadi_ext e) {
    if (c->bind != b || (e != c->a && e != c->b)) return e;
    const wadi_ext other = e == c->a ? c->b : c->a;
    return is_better(sh, other, e) ? other : e;
}

static wadi_ext better(shaping *sh, size_t first_check, const wadi_bind *b, wadi_ext e) {
    for (size_t i = first_check; i < sh->checks.n; i++)
        e = better_side(sh, &sh->checks.at[i], b, e);
    for (size_t i = 0; i < sh->facts.n; i++) e = better_side(sh, &sh->facts.at[i], b, e);
    return e;
}

static void improve(shaping *sh, size_t first_check, const wadi_bind *b, wadi_val v) {
    const wadi_val_type *t = &sh->m->values[v].type;
    for (int d = 0; !t->is_seq && d < t->array[0].rank; d++)
        set(&sh->cx, v, 0, d, better(sh, first_check, b, get(&sh->cx, v, 0, d)));
}

/* Learns the equalities that hold in the whole program once its checks have passed. */
static void believe_checks(shaping *sh) {
    for (size_t i = 0; i < sh->checks.n; i++) {
        const wadi_bind *b = sh->checks.at[i].bind;
        if (b->nresults > 0 && sh->home[b->results[0]] == sh->m->main)
            wadi_ext_unify(sh->s->extents, sh->checks.at[i].a, sh->checks.at[i].b);
    }
}

/* ---- blocks ---- */

static bool not_visible(void *env, const wadi_ext_node *atom) {
    const shaping *sh = env;
    if (atom->kind == WADI_EXT_SYMBOL) return false;
    if (sh->m->values[atom->val].type.is_seq) return true; /* differs from element to element */
    for (const wadi_block *b = sh->here; b; b = b->parent)
        if (sh->home[atom->val] == b) return false;
    return true;
}

/* The last parameters of a sequence operator's body are the components of its sequences, in order. They get the extents of the
 * elements if these are the same for the whole stream. */
static void seed_components(shaping *sh, const wadi_bind *b) {
    int total = 0;
    for (int i = 0; i < b->nargs; i++)
        if (sh->m->values[b->args[i]].type.is_seq) total += sh->m->values[b->args[i]].type.arrays;
    if (b->nblocks < 1 || total > b->blocks[0]->nparams) return;
    int next = b->blocks[0]->nparams - total;
    for (int i = 0; i < b->nargs; i++) {
        const wadi_val_type *t = &sh->m->values[b->args[i]].type;
        for (int comp = 0; t->is_seq && comp < t->arrays; comp++, next++)
            for (int d = 0; d < t->array[comp].rank; d++) {
                const wadi_ext e = get(&sh->cx, b->args[i], comp, d);
                if (!wadi_ext_any_atom(sh->s->extents, e, not_visible, sh))
                    set(&sh->cx, b->blocks[0]->params[next], 0, d, e);
            }
    }
}

static void analyse_block(shaping *sh, const wadi_block *b);

static visit *find_visit(const shaping *sh, size_t from, const wadi_block *b) {
    for (size_t i = from; i < sh->seen.n; i++)
        if (sh->seen.at[i].block == b) return &sh->seen.at[i];
    return NULL;
}

/* When a rule runs a region again, it knows more than before, so the checks of the earlier run are removed. */
static void forget_checks(shaping *sh, const visit *old) {
    const size_t gone = old->end_check - old->first_check;
    for (size_t i = old->end_check; i < sh->checks.n; i++)
        sh->checks.at[i - gone] = sh->checks.at[i];
    sh->checks.n -= gone;
    wadi_vec_clear(
        &sh->facts); /* they relied on checks that are gone, and the rules of their bindings have ended */
    for (size_t i = 0; i < sh->seen.n; i++) {
        visit *v = &sh->seen.at[i];
        if (v != old && v->first_check >= old->end_check) {
            v->first_check -= gone;
            v->end_check -= gone;
        }
    }
}

static void region(wadi_shape_cx *cx, const wadi_block *b) {
    shaping *sh = (shaping *)cx;
    const wadi_block *outer = sh->here;
    visit *again = find_visit(sh, sh->rule_seen, b);
    if (again) forget_checks(sh, again);
    const size_t first = sh->checks.n;
    sh->here = b;
    wadi_extents_limit(cx->extents, bound_here, sh);
    analyse_block(sh, b);
    sh->here = outer;
    if (!outer->parent) wadi_extents_limit(cx->extents, NULL, NULL);
    again = find_visit(sh, sh->rule_seen, b);
    if (again)
        *again = (visit){b, first, sh->checks.n};
    else if (!wadi_vec_push(&sh->seen, (visit){b, first, sh->checks.n}))
        sh->out_of_memory = true;
}

static void analyse_bind(shaping *sh, const wadi_bind *b) {
    const size_t outer = sh->rule_seen, first_check = sh->checks.n;
    sh->rule_seen = sh->seen.n;
    for (int r = 0; r < b->nresults; r++) sh->home[b->results[r]] = sh->here;
    if (b->op->kind == WADI_OP_SEQUENCE && !wadi_seq_has(&b->op->seq, WADI_FORM_CHUNKS))
        seed_components(sh, b);
    if (b->op->shape) b->op->shape(&sh->cx, b);
    for (int i = 0; i < b->nblocks; i++)
        if (!find_visit(sh, sh->rule_seen, b->blocks[i])) region(&sh->cx, b->blocks[i]);
    sh->seen.n = sh->rule_seen;
    sh->rule_seen = outer;
    for (int r = 0; r < b->nresults; r++) {
        settle(sh, b->results[r]);
        improve(sh, first_check, b, b->results[r]);
    }
    find_scalar(sh, b);
}

static void analyse_block(shaping *sh, const wadi_block *b) {
    for (int p = 0; p < b->nparams; p++) {
        sh->home[b->params[p]] = b;
        settle(sh, b->params[p]);
    }
    for (int i = 0; i < b->nbinds && !sh->out_of_memory; i++) {
        if (wadi_extents_failed(sh->s->extents) != WADI_OK) return;
        analyse_bind(sh, b->binds[i]);
    }
}

/* ---- the analysis ---- */

static wadi_shapes *shapes_create(const wadi_module *m) {
    wadi_arena *arena = wadi_arena_create();
    wadi_shapes *s = arena ? WADI_NEW(arena, wadi_shapes) : NULL;
    if (s) {
        s->arena = arena;
        s->nvalues = m->nvalues;
        s->dims = WADI_NEW_N(arena, wadi_ext *, m->nvalues);
        s->extents = wadi_extents_create();
    }
    if (s && s->dims && s->extents) return s;
    if (s) wadi_extents_destroy(s->extents);
    wadi_arena_destroy(arena);
    return NULL;
}

void wadi_shapes_destroy(wadi_shapes *s) {
    if (!s) return;
    wadi_extents_destroy(s->extents);
    wadi_arena_destroy(s->arena);
}

static bool keep_checks(shaping *sh) {
    sh->s->checks = WADI_NEW_N(sh->s->arena, wadi_shape_check, sh->checks.n);
    if (!sh->s->checks) return false;
    if (sh->checks.n > 0)
        memcpy(sh->s->checks, sh->checks.at, sh->checks.n * sizeof *sh->checks.at);
    sh->s->nchecks = (int)sh->checks.n;
    return true;
}

static wadi_status run(shaping *sh, wadi_error *err) {
    const uint32_t n = sh->m->nvalues;
    sh->home = WADI_NEW_N(sh->s->arena, const wadi_block *, n);
    sh->scalar = WADI_NEW_N(sh->s->arena, wadi_ext, n);
    if (!sh->home || !sh->scalar) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (uint32_t v = 0; v < n; v++) sh->scalar[v] = WADI_EXT_NONE;
    sh->here = sh->m->main;
    analyse_block(sh, sh->m->main);
    if (!sh->out_of_memory) believe_checks(sh);
    const wadi_status failed = wadi_extents_failed(sh->s->extents);
    if (failed == WADI_UNSUPPORTED)
        return wadi_fail(err, failed, "the extents of '%s' are too complex", sh->m->name);
    if (failed != WADI_OK || sh->out_of_memory || !keep_checks(sh))
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    return WADI_OK;
}

wadi_status wadi_shapes_analyse(const wadi_module *m, wadi_shapes **out, wadi_error *err) {
    shaping sh = {.m = m, .s = shapes_create(m)};
    if (!sh.s) return wadi_fail(err, WADI_MEMORY, "out of memory");
    sh.cx = (wadi_shape_cx){.module = (wadi_module *)m, /* rules read it */
                            .extents = sh.s->extents,
                            .get = get,
                            .set = set,
                            .scalar = scalar,
                            .require_equal = require_equal,
                            .opaque = opaque,
                            .region = region};
    const wadi_status st = run(&sh, err);
    wadi_extents_limit(sh.s->extents, NULL, NULL);
    wadi_vec_free(&sh.checks);
    wadi_vec_free(&sh.facts);
    wadi_vec_free(&sh.seen);
    if (st == WADI_OK)
        *out = sh.s;
    else
        wadi_shapes_destroy(sh.s);
    return st;
}

wadi_ext wadi_shapes_extent(const wadi_shapes *s, wadi_val v, int comp, int dim) {
    if (v >= s->nvalues || !s->dims[v]) return WADI_EXT_NONE;
    return s->dims[v][comp * WADI_MAX_RANK + dim];
}

bool wadi_shapes_same(const wadi_shapes *s, const wadi_module *m, wadi_val a, wadi_val b) {
    const int rank = m->values[a].type.array[0].rank;
    if (rank != m->values[b].type.array[0].rank) return false;
    for (int d = 0; d < rank; d++) {
        const wadi_ext ea = wadi_shapes_extent(s, a, 0, d);
        const wadi_ext eb = wadi_shapes_extent(s, b, 0, d);
        if (ea == WADI_EXT_NONE || eb == WADI_EXT_NONE) return false;
        if (!wadi_ext_same(s->extents, ea, eb)) return false;
    }
    return true;
}

bool wadi_ext_any_atom(const wadi_extents *x, wadi_ext e,
                       bool (*see)(void *env, const wadi_ext_node *atom), void *env) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    switch (n->kind) {
    case WADI_EXT_SYMBOL:
    case WADI_EXT_DIM:
    case WADI_EXT_SCALAR:
        return see(env, n);
    default:
        for (int i = 0; i < n->n; i++)
            if (wadi_ext_any_atom(x, n->term[i], see, env)) return true;
        return false;
    }
}
