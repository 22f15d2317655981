/* Siblings: consumers of one block that read the same arrays are computed in one pass over them.
 *
 * Law: loops over equal iteration spaces of which none reads what another makes may run as one loop (horizontal fusion of equal sizes:
 * Reppy and Wingerter 2020). This pass only marks values and rewrites nothing. Each consumer keeps its own law, so no bits change.
 *
 * A consumer is a fold, a scan, or a stored array whose elements are computed one by one. Its space is the shape of the array that it
 * reduces or scans, or of the array that it makes. The first consumer of a group is its leader: the group is computed where the leader
 * stands. Another consumer behind it joins if
 *   - its space is proved equal to the leader's;
 *   - it reads, element by element, an array that the group reads;
 *   - all that it reads is there where the leader stands;
 *   - no fault is told for another one: at most one of a group may fault, and it passes nothing that may.
 * How many of a group share the innermost loop, and how many only its blocks, is decided where code is made.
 *
 * What is not done: consumers are not moved behind a value that they need, and arrays of different shapes are never read together. */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/harmless.h"
#include "codegen/rewrite.h"

enum {
    MEMBERS = 8, /* of a group at most: each has a stream of reads and writes of its own */
    AHEAD = 256, /* bindings that are looked at behind a leader */
    NOT_HERE = -1
};

/* What the pass knows of a binding. */
typedef struct consumer {
    bool is_one;              /* a consumer in the sense above */
    bool may_fault;           /* if there are elements */
    bool needs_elements;      /* a row without elements is a fault */
    bool masked;              /* it goes through what a filter keeps, in a loop of its own */
    wadi_val space;           /* a value with the shape of the space */
    int needs;                /* the last binding of the block that it reads from; NOT_HERE: none */
    wadi_val needed;          /* what it reads from there */
    WADI_VEC(wadi_val) reads; /* arrays that are read element by element */
} consumer;

typedef struct pairing {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_block *block;
    consumer *of;   /* [binding of the block] */
    int *at;        /* [value] the binding of the block that makes it, or NOT_HERE */
    uint64_t *seen; /* [value] the last visit */
    uint64_t visit;
    int groups;
    bool failed;
} pairing;

/* ---- what a binding reads ---- */

typedef struct visit {
    pairing *s;
    consumer *c;
    const wadi_bind *bind;
    bool by_element; /* what `bind` reads element by element, the consumer does too */
} visit;

static bool is_delayed(const pairing *s, wadi_val v) {
    const wadi_value *value = &s->m->values[v];
    return value->def == WADI_DEF_BIND && value->storage == WADI_STORE_DELAYED;
}

static void need(const visit *w, wadi_val v) {
    const int at = w->s->at[v];
    if (at <= w->c->needs) return;
    w->c->needs = at;
    w->c->needed = v;
}

static void note_faults(const pairing *s, consumer *c, const wadi_bind *b) {
    c->needs_elements = c->needs_elements || b->op->needs_elements;
    c->may_fault = c->may_fault || !(b->op->faultless || b->op->needs_elements) ||
                   !wadi_is_harmless(s->cx->shapes, b);
}

static void look_into(pairing *s, consumer *c, wadi_bind *b, bool by_element);

static void read_value(const visit *w, wadi_val v, bool by_element) {
    pairing *s = w->s;
    const uint64_t mark = 2 * s->visit + by_element;
    if (s->m->values[v].def == WADI_DEF_CONST || s->seen[v] == mark) return;
    s->seen[v] = mark;
    const bool inside = is_delayed(s, v);
    wadi_bind *b = inside ? s->m->values[v].bind : NULL;
    if (inside && wadi_op_has(b->op, WADI_TRAIT_KEEPS)) w->c->masked = true;
    if (!inside || wadi_op_has(b->op, WADI_TRAIT_ALONE)) need(w, v);
    if (inside && !wadi_op_has(b->op, WADI_TRAIT_ALONE))
        look_into(s, w->c, b,
                  by_element && (b->op->one_to_one || wadi_op_has(b->op, WADI_TRAIT_KEEPS)));
    else if (by_element && !wadi_vec_push(&w->c->reads, v))
        s->failed = true;
}

static void read_by(void *env, const wadi_read *r) {
    const visit *w = env;
    const wadi_val v = *r->at;
    const bool element = r->kind == WADI_READ_ARG && wadi_op_reads(r->bind->op, r->number) == 'e';
    if (r->kind == WADI_READ_EXTENT &&
        is_delayed(w->s, v)) { /* its extents may need what stands before it */
        need(w, v);
        return;
    }
    read_value(w, v, element && w->by_element);
}

static void look_into(pairing *s, consumer *c, wadi_bind *b, bool by_element) {
    visit w = {s, c, b, by_element};
    note_faults(s, c, b);
    wadi_reads_own(s->block, b, read_by, &w);
}

/* ---- consumers ---- */

static int rank_of(const pairing *s, wadi_val v) {
    return s->m->values[v].type.array[0].rank;
}

/* A value with the shape of what the binding goes through; NONE: it is no consumer. */
static wadi_val space_of(const pairing *s, const wadi_bind *b) {
    if (b->nresults != 1 || b->nblocks > 0 || s->m->values[b->results[0]].type.is_seq)
        return WADI_NONE;
    const wadi_val v = b->results[0];
    if (wadi_op_has(b->op, WADI_TRAIT_REDUCES_ROWS)) return b->args[b->nargs - 1];
    if (is_delayed(s, v)) return WADI_NONE;
    if (wadi_op_has(b->op, WADI_TRAIT_BY_BLOCK)) return b->args[b->nargs - 1];
    return wadi_op_has(b->op, WADI_TRAIT_BY_ELEMENT) && !b->op->scalar && !b->op->keeps_memory
               ? v
               : WADI_NONE;
}

static void learn(pairing *s, int i) {
    wadi_bind *b = s->block->binds[i];
    consumer *c = &s->of[i];
    *c = (consumer){.space = space_of(s, b), .needs = NOT_HERE};
    c->is_one = c->space != WADI_NONE && rank_of(s, c->space) > 0;
    if (b->nblocks > 0 || b->op->kind == WADI_OP_SEQUENCE) {
        c->may_fault = true;
        return;
    }
    if (wadi_op_has(b->op, WADI_TRAIT_NO_KERNEL)) return;
    if (!c->is_one && b->nresults > 0 && is_delayed(s, b->results[0])) return; /* its readers may */
    s->visit++;
    look_into(s, c, b, wadi_op_has(b->op, WADI_TRAIT_BY_ELEMENT) ? b->op->one_to_one : c->is_one);
    c->is_one = c->is_one && !c->masked;
}

static wadi_val shared(const consumer *a, const consumer *b) {
    for (size_t i = 0; i < a->reads.n; i++)
        for (size_t k = 0; k < b->reads.n; k++)
            if (a->reads.at[i] == b->reads.at[k]) return a->reads.at[i];
    return WADI_NONE;
}

/* ---- groups ---- */

typedef struct group {
    int n, member[MEMBERS];
    bool may_fault, needs_elements; /* one of them */
    bool
        passed; /* between the leader and the binding at hand, something may fault that is no member */
} group;

static wadi_val shared_with(const pairing *s, const group *g, const consumer *c) {
    for (int k = 0; k < g->n; k++) {
        const wadi_val v = shared(&s->of[g->member[k]], c);
        if (v != WADI_NONE) return v;
    }
    return WADI_NONE;
}

static const char *same_space(const pairing *s, const consumer *a, const consumer *b) {
    if (rank_of(s, a->space) != rank_of(s, b->space)) return "its array has another rank";
    return wadi_shapes_same(s->cx->shapes, s->m, a->space, b->space)
               ? NULL
               : "the shapes are not proved equal";
}

/* Why consumer `i`, which shares an array with the group, is not computed with it; NULL: it is. */
static const char *obstacle(const pairing *s, const group *g, int i) {
    const consumer *c = &s->of[i];
    if (c->masked) return "a fold of kept elements that need their places has a loop of its own";
    const char *why = same_space(s, &s->of[g->member[0]], c);
    if (why) return why;
    if (c->needs >= g->member[0]) return "it needs a value that is computed later";
    if (c->may_fault && (g->may_fault || g->needs_elements))
        return "both may fault, and the first fault must be told";
    if (c->may_fault && g->passed) return "it may fault, and so may what comes before it";
    if (c->needs_elements && g->passed)
        return "an empty row is a fault, and so may be what comes before it";
    return g->n == MEMBERS ? "so many are enough for one pass" : NULL;
}

static wadi_val result_of(const pairing *s, int i) {
    return s->block->binds[i]->results[0];
}

static void refuse(pairing *s, const group *g, int i, wadi_val array, const char *why) {
    const consumer *c = &s->of[i];
    if (!c->masked && c->needs >= g->member[0] && c->needed != WADI_NONE)
        wadi_diag_note(s->cx->diag, WADI_NOTE_APART, result_of(s, i), result_of(s, g->member[0]),
                       "both read %%%u, but it needs %%%u, which is computed later", array,
                       c->needed);
    else
        wadi_diag_note(s->cx->diag, WADI_NOTE_APART, result_of(s, i), result_of(s, g->member[0]),
                       "both read %%%u, but %s", array, why);
}

static void join(pairing *s, group *g, int i, wadi_val array) {
    const consumer *c = &s->of[i];
    wadi_value *leader = &s->m->values[result_of(s, g->member[0])];
    if (g->n == 1) leader->siblings = ++s->groups;
    s->m->values[result_of(s, i)].siblings = leader->siblings;
    g->member[g->n++] = i;
    g->may_fault = g->may_fault || c->may_fault;
    g->needs_elements = g->needs_elements || c->needs_elements;
    wadi_diag_note(s->cx->diag, WADI_NOTE_SIBLING, result_of(s, i), result_of(s, g->member[0]),
                   "both read %%%u", array);
}

/* Whether the binding is computed where it stands and may fault there. */
static bool may_fault_here(const consumer *c) {
    return c->may_fault || c->needs_elements;
}

static void lead(pairing *s, int leader) {
    group g = {.n = 1, .member = {leader}};
    g.may_fault = s->of[leader].may_fault;
    g.needs_elements = s->of[leader].needs_elements;
    for (int i = leader + 1; i < s->block->nbinds && i <= leader + AHEAD; i++) {
        const consumer *c = &s->of[i];
        const bool free = (c->is_one || c->masked) && s->m->values[result_of(s, i)].siblings == 0;
        const wadi_val array = free ? shared_with(s, &g, c) : WADI_NONE;
        const char *why = array != WADI_NONE ? obstacle(s, &g, i) : NULL;
        if (array != WADI_NONE && !why)
            join(s, &g, i, array);
        else
            g.passed = g.passed || may_fault_here(c);
        if (why) refuse(s, &g, i, array, why);
    }
}

static void pair_block(pairing *s, wadi_block *block) {
    s->block = block;
    s->of = WADI_NEW_N(s->cx->scratch, consumer, (size_t)block->nbinds + 1);
    if (!s->of) s->failed = true;
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        for (int r = 0; r < block->binds[i]->nresults; r++) s->at[block->binds[i]->results[r]] = i;
    for (int i = 0; i < block->nbinds && !s->failed; i++) learn(s, i);
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        if (s->of[i].is_one && s->m->values[result_of(s, i)].siblings == 0) lead(s, i);
    for (int i = 0; s->of && i < block->nbinds; i++) wadi_vec_free(&s->of[i].reads);
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        for (int r = 0; r < block->binds[i]->nresults; r++)
            s->at[block->binds[i]->results[r]] = NOT_HERE;
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        for (int k = 0; k < block->binds[i]->nblocks; k++)
            pair_block(s, block->binds[i]->blocks[k]);
}

wadi_status wadi_pass_siblings(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    pairing s = {.m = m,
                 .cx = cx,
                 .at = WADI_NEW_N(cx->scratch, int, m->nvalues + 1),
                 .seen = WADI_NEW_N(cx->scratch, uint64_t, m->nvalues + 1)};
    if (!s.at || !s.seen) return wadi_fail(err, WADI_MEMORY, "siblings: out of memory");
    for (wadi_val v = 0; v < m->nvalues; v++) {
        s.at[v] = NOT_HERE;
        m->values[v].siblings = 0;
    }
    pair_block(&s, m->main);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "siblings: out of memory") : WADI_OK;
}
