/* Values in the memory of others: which values of a fold's body may overwrite the current state, and which arrays of the main block may
 * overwrite an array that nobody reads any more.
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
#include "codegen/diag.h"
#include "codegen/plan/fold.h"
#include "codegen/plan/phases.h"
#include "codegen/rewrite.h"

typedef struct placing {
    wadi_planning *p;
    wadi_block *r;
    int depth; /* of delayed values */
} placing;

/* Looking for reads of `from`. What may have the memory of another array is read where that is read: a reshaped array, and what a branch, a loop
 * or a routine's region hands on. */
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

static bool may_be_same(const wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    return value->def == WADI_DEF_BIND &&
           (value->bind->op->keeps_memory || value->bind->nblocks > 0);
}

static void see(void *env, const wadi_read *r) {
    reading *s = env;
    const wadi_val v = wadi_planning_resolved(s->p, *r->at);
    if (r->kind == WADI_READ_EXTENT || s->found) return;
    if (v == s->from || s->depth > DEEPEST) s->found = true;
    if (s->found || !(is_delayed(s->p, v) || may_be_same(s->p, v))) return;
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

/* How many arguments, from the first, the result may overwrite: those that are copied whole into it, or all of a map's or a scan's. */
static int placed_args(const wadi_bind *b) {
    int copied = 0;
    while (copied < b->nargs && wadi_op_reads(b->op, copied) == 'c') copied++;
    return b->op->one_to_one || b->op->in_place ? b->nargs : copied;
}

static bool same_elements(const wadi_elem *a, const wadi_elem *b) {
    if (a->fields != b->fields) return false;
    for (int f = 0; f < a->fields; f++)
        if (a->type[f] != b->type[f]) return false;
    return true;
}

/* What is computed field by field is stored field by field, and one that is stored may be read for the next. What is copied reads anew. */
static bool is_by_fields(const placing *g, const wadi_bind *b, wadi_val v) {
    return g->p->m->values[v].type.array[0].elem.fields > 1 &&
           (b->op->one_to_one || b->op->in_place);
}

static bool may_take(const placing *g, wadi_bind *b, wadi_val v, wadi_val from) {
    const wadi_value *of = g->p->m->values;
    if (is_by_fields(g, b, v)) return false;
    if (!wadi_shapes_same(g->p->y.shapes, g->p->m, v, from) ||
        !same_elements(&of[v].type.array[0].elem, &of[from].type.array[0].elem))
        return false;
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

/* ---- arrays of the main block ---- */

/* An array of the pending phase that is memory of its own: not what a branch, a loop or a routine's region gives, which may be what it was passed. */
static bool is_own(const wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    return value->def == WADI_DEF_BIND && value->bind->nresults == 1 && wadi_is_stored(&p->y, v) &&
           value->type.array[0].rank > 0 && !value->bind->op->keeps_memory &&
           value->bind->nblocks == 0;
}

/* The number of b among the pending bindings; their number: it is none of them. */
static size_t turn(const wadi_planning *p, const wadi_bind *b) {
    size_t i = 0;
    while (i < p->pending.n && p->pending.at[i] != b) i++;
    return i;
}

/* Whether pending binding `at` is the last that reads `from`. Phases need not have the order of the program. */
static bool is_last(const placing *g, size_t at, wadi_val from) {
    const wadi_planning *p = g->p;
    for (int i = 0; i < g->r->nbinds; i++) {
        wadi_bind *b = g->r->binds[i];
        if (b != p->pending.at[at] && reads(g, b, from) && turn(p, b) >= at) return false;
    }
    for (int i = 0; i < g->r->nyields; i++)
        if (value_reads(g, g->r->yields[i], from)) return false;
    return true;
}

/* Whether pending binding `at` may write its result into `from`. */
static bool may_replace(const placing *g, size_t at, wadi_val from) {
    const wadi_planning *p = g->p;
    wadi_bind *b = (wadi_bind *)(uintptr_t)p->pending.at[at];
    return is_own(p, from) && turn(p, p->m->values[from].bind) < at &&
           may_take(g, b, b->results[0], from) && is_last(g, at, from);
}

/* An array that the result of pending binding `at` may be written into, which is v or what a delayed v reads; WADI_NONE. */
static wadi_val replaced(placing *g, size_t at, wadi_val v) {
    wadi_val found = WADI_NONE;
    v = wadi_planning_resolved(g->p, v);
    if (!is_delayed(g->p, v)) return may_replace(g, at, v) ? v : WADI_NONE;
    const wadi_bind *b = g->p->m->values[v].bind;
    if (!b->op->one_to_one || g->depth >= DEEPEST) return WADI_NONE;
    g->depth++;
    for (int i = 0; i < b->nargs && found == WADI_NONE; i++) found = replaced(g, at, b->args[i]);
    g->depth--;
    return found;
}

void wadi_planning_place_arrays(wadi_planning *p) {
    placing g = {.p = p, .r = p->m->main};
    for (size_t k = 0; k < p->pending.n; k++) {
        const wadi_bind *b = p->pending.at[k];
        wadi_val from = WADI_NONE;
        /* siblings go through what they read in one pass, which is worth more */
        if (b->nresults != 1 || !is_own(p, b->results[0]) || b->nblocks > 0 ||
            p->m->values[b->results[0]].siblings > 0)
            continue;
        for (int i = 0; i < placed_args(b) && from == WADI_NONE; i++)
            from = replaced(&g, k, b->args[i]);
        if (from == WADI_NONE) continue;
        p->y.takes[b->results[0]] = from;
        wadi_diag_note(p->diag, WADI_NOTE_PLACED, b->results[0], from,
                       "nobody reads it later, and each element is read before it is replaced");
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
