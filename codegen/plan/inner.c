/* Results of a body of arrays that nobody else reads: their memory can be given back before the body is over.
 *
 * A value that is not stored is read where it is computed, so whoever reads it reads what it is made of. Extents do not count: shapes stay. Results
 * of rank 0 stay too, since they may be extents of others. */
#include "codegen/plan/phases.h"
#include "codegen/rewrite.h"

typedef struct looking {
    wadi_planning *p;
    bool *own;  /* [value] result of the body */
    bool *seen; /* [value] read by somebody else */
} looking;

/* The result whose memory v is in. */
static wadi_val memory_of(const looking *s, wadi_val v) {
    while (s->p->y.takes[v] != WADI_NONE) v = s->p->y.takes[v];
    return v;
}

static void see(void *env, const wadi_read *r) {
    looking *s = env;
    const wadi_val v = wadi_planning_resolved(s->p, *r->at);
    const wadi_value *value = &s->p->m->values[v];
    if (r->kind == WADI_READ_EXTENT || s->seen[v]) return;
    s->seen[v] = s->seen[memory_of(s, v)] = true;
    if (value->def == WADI_DEF_BIND && !wadi_is_stored(&s->p->y, v))
        wadi_reads_deep(r->block, value->bind, see, s);
}

/* Whether the binding computes something that the body keeps. What it does not store, its readers read. */
static bool is_of_body(const looking *s, const wadi_bind *b) {
    for (int i = 0; i < b->nresults; i++)
        if (s->own[memory_of(s, b->results[i])]) return true;
    return false;
}

static bool is_delayed(const looking *s, const wadi_bind *b) {
    return b->nresults > 0 && !s->p->m->values[b->results[0]].type.is_seq &&
           !wadi_is_stored(&s->p->y, b->results[0]);
}

static void look(looking *s) {
    wadi_block *main = s->p->m->main;
    for (int i = 0; i < main->nbinds; i++)
        if (!is_of_body(s, main->binds[i]) && !is_delayed(s, main->binds[i]))
            wadi_reads_deep(main, main->binds[i], see, s);
    for (int i = 0; i < main->nyields; i++)
        see(s, &(wadi_read){
                   .kind = WADI_READ_YIELD, .block = main, .number = i, .at = &main->yields[i]});
}

wadi_status wadi_planning_inner(wadi_planning *p, const wadi_body *body, const bool **out) {
    const uint32_t n = p->m->nvalues;
    looking s = {p, WADI_NEW_N(p->y.arena, bool, n + 1), WADI_NEW_N(p->y.arena, bool, n + 1)};
    bool *inner = WADI_NEW_N(p->plan->arena, bool, (size_t)body->nresults + 1);
    bool any = false;
    if (!s.own || !s.seen || !inner) return wadi_planning_no_memory(p);
    for (int i = 0; i < body->nresults; i++) s.own[body->results[i]] = true;
    look(&s);
    for (int i = 0; i < body->nresults; i++) {
        const wadi_val v = body->results[i];
        inner[i] = !s.seen[v] && p->m->values[v].type.array[0].rank > 0;
        any = any || inner[i];
    }
    *out = any ? inner : NULL;
    return WADI_OK;
}
