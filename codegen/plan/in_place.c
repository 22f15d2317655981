/* States that change in place: which values of a fold's body may overwrite the current state.
 *
 * The next state of a fold takes over the memory of the current one, so that no step copies it, if every element is read
 * before it is replaced or at that moment. That holds for
 *   - a permute whose defaults are the old state, and
 *   - a map, zip_with or imap that reads the old state at the same index,
 * or a chain of these, if nobody reads the old state later. A read counts when something that is stored needs it: a delayed
 * value is read when its reader is computed. Extents do not count, because they stay the same.
 *
 * A fault leaves such a state half changed, but after a fault nobody reads it. If a library routine declines, the whole body
 * runs again from the old state, so the states of a body with routines do not change in place. */
#include "codegen/plan/fold.h"
#include "codegen/rewrite.h"

typedef struct placing {
    wadi_planning *p;
    wadi_block *r;
    int depth; /* of delayed values */
} placing;

/* Looking for reads of `from`. */
typedef struct reading {
    const wadi_planning *p;
    wadi_val from;
    int depth;
    bool found;
} reading;

enum {
    DEEPEST = 64
}; /* delayed values inside each other; deeper ones are taken to read everything */

static bool is_delayed(const wadi_planning *p, wadi_val v) {
    return p->m->values[v].def == WADI_DEF_BIND && !wadi_is_stored(&p->y, v);
}

static void see(void *env, const wadi_read *r) {
    reading *s = env;
    const wadi_val v = wadi_planning_resolved(s->p, *r->at);
    if (r->kind == WADI_READ_EXTENT || s->found) return;
    if (v == s->from || s->depth > DEEPEST) s->found = true;
    if (s->found || !is_delayed(s->p, v)) return;
    s->depth++;
    wadi_reads_deep(r->block, s->p->m->values[v].bind, see, s);
    s->depth--;
}

static bool reads(const placing *g, wadi_bind *b, wadi_val from) {
    reading s = {.p = g->p, .from = from};
    wadi_reads_deep(g->r, b, see, &s);
    return s.found;
}

static void see_own(void *env, const wadi_read *r) {
    if (r->kind != WADI_READ_ARG) see(env, r);
}

/* Whether the functions of b read `from`. */
static bool functions_read(const placing *g, wadi_bind *b, wadi_val from) {
    reading s = {.p = g->p, .from = from};
    wadi_reads_own(g->r, b, see_own, &s);
    return s.found;
}

static bool value_reads(const placing *g, wadi_val v, wadi_val from) {
    reading s = {.p = g->p, .from = from};
    see(&s, &(wadi_read){.kind = WADI_READ_ARG, .block = g->r, .at = &v});
    return s.found;
}

/* Whether element ix of v needs no element of `from` but ix. */
static bool same_index(const placing *g, wadi_val v, wadi_val from, int depth) {
    v = wadi_planning_resolved(g->p, v);
    if (v == from || !value_reads(g, v, from)) return true;
    wadi_bind *b = g->p->m->values[v].bind;
    if (!b->op->one_to_one || depth > DEEPEST || functions_read(g, b, from)) return false;
    for (int i = 0; i < b->nargs; i++)
        if (!same_index(g, b->args[i], from, depth + 1)) return false;
    return true;
}

/* The position of b among the bindings of the region, or -1. */
static int position(const placing *g, const wadi_bind *b) {
    for (int i = 0; i < g->r->nbinds; i++)
        if (g->r->binds[i] == b) return i;
    return -1;
}

static bool read_later(const placing *g, int at, wadi_val from) {
    for (int i = at + 1; i < g->r->nbinds; i++)
        if (reads(g, g->r->binds[i], from)) return true;
    for (int i = 0; i < g->r->nyields; i++)
        if (value_reads(g, g->r->yields[i], from)) return true;
    return false;
}

/* How many arguments, from the first, the result may overwrite: those that are copied whole into it, or all of a map's. */
static int placed_args(const wadi_bind *b) {
    int copied = 0;
    while (copied < b->nargs && wadi_op_reads(b->op, copied) == 'c') copied++;
    return b->op->one_to_one ? b->nargs : copied;
}

static bool may_take(const placing *g, wadi_bind *b, wadi_val v, wadi_val from) {
    if (!wadi_shapes_same(g->p->y.shapes, g->p->m, v, from)) return false;
    if (functions_read(g, b, from)) return false;
    for (int i = 0; i < b->nargs; i++) {
        if (i < placed_args(b) ? !same_index(g, b->args[i], from, 0)
                               : value_reads(g, b->args[i], from))
            return false;
    }
    return !read_later(g, position(g, b), from);
}

static bool place(placing *g, wadi_val v, wadi_val param);

/* Places `taker` in the memory of v, its argument, or of a stored value that the delayed v reads. */
static bool place_from(placing *g, wadi_val taker, wadi_val v, wadi_val param) {
    wadi_bind *b = g->p->m->values[taker].bind;
    v = wadi_planning_resolved(g->p, v);
    if (is_delayed(g->p, v)) {
        wadi_bind *delayed = g->p->m->values[v].bind;
        for (int i = 0; delayed->op->one_to_one && g->depth < DEEPEST && i < delayed->nargs; i++) {
            g->depth++;
            const bool placed = place_from(g, taker, delayed->args[i], param);
            g->depth--;
            if (placed) return true;
        }
        return false;
    }
    if (!may_take(g, b, taker, v) || !place(g, v, param)) return false;
    g->p->y.takes[taker] = v;
    return true;
}

/* Whether v can overwrite `param`. If so, notes whose memory v takes. */
static bool place(placing *g, wadi_val v, wadi_val param) {
    v = wadi_planning_resolved(g->p, v);
    const wadi_value *value = &g->p->m->values[v];
    if (v == param) return true;
    if (value->def != WADI_DEF_BIND || value->bind->nresults != 1 || !wadi_is_stored(&g->p->y, v) ||
        position(g, value->bind) < 0 || g->depth > DEEPEST)
        return false;
    bool placed = false;
    g->depth++;
    for (int i = 0; i < placed_args(value->bind) && !placed; i++)
        placed = place_from(g, v, value->bind->args[i], param);
    g->depth--;
    return placed;
}

void wadi_planning_in_place(wadi_planning *p, wadi_block *r, int nstate, const int *slot,
                            bool *out) {
    placing g = {.p = p, .r = r};
    const bool repeats = wadi_planning_calls(r);
    for (int i = 0; i < nstate; i++) {
        const wadi_val param = r->params[i];
        out[i] = !repeats && p->m->values[param].type.array[0].rank > 0 &&
                 place(&g, r->yields[i], param);
        if (!out[i]) continue;
        for (wadi_val v = wadi_planning_resolved(p, r->yields[i]); v != param; v = p->y.takes[v])
            p->y.slot_of[v] = slot[i];
    }
}

/* ---- what a fold starts from ---- */

typedef struct counting {
    wadi_val v;
    int n;
} counting;

static void count(void *env, const wadi_read *r) {
    counting *c = env;
    if (*r->at == c->v && r->kind != WADI_READ_EXTENT) c->n++;
}

bool wadi_planning_is_last_read(const wadi_planning *p, wadi_val v) {
    counting c = {.v = v};
    if (p->m->values[v].def != WADI_DEF_BIND || p->y.alias_of[v] != WADI_NONE) return false;
    wadi_reads_block(p->m->main, count, &c);
    return c.n == 1;
}
