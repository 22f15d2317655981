/* The order of a plan's phases.
 *
 * Bindings of the main block are planned in order, each after those it needs. Arrays gather until a sequence is consumed.
 * Consumers that read one sequence, or sequences made from one source, share one pass over it. So later consumers are planned
 * with the first, together with the arrays that they need. That is impossible if a consumer needs the result of another. Then
 * the sequence is computed twice, but a source can be read only once, so the program is refused. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "codegen/plan/phases.h"
#include "codegen/rewrite.h"

typedef struct ordering {
    wadi_planning *p;
    const wadi_block *main;
    int *bind_of;  /* [value] number of the main binding that makes it, or -1 */
    bool *planned; /* [binding] */
    bool *mark;    /* [binding] for walks */
    bool *eaten;   /* [value] sequences that the group's consumers read, also indirectly */
    WADI_VEC(const wadi_bind *) group;
} ordering;

static const wadi_bind *bind_at(const ordering *o, int i) {
    return o->main->binds[i];
}

static bool gives_sequence(const ordering *o, const wadi_bind *b) {
    return b->nresults == 1 && o->p->m->values[b->results[0]].type.is_seq;
}

static bool is_consumer(const ordering *o, int i) {
    return bind_at(o, i)->op->kind == WADI_OP_SEQUENCE && !gives_sequence(o, bind_at(o, i));
}

static bool is_read_once(const wadi_bind *b) {
    return wadi_seq_has(&b->op->seq, WADI_FORM_ONCE);
}

/* ---- what needs what ---- */

typedef void (*visitor)(ordering *o, int binding, void *env);

typedef struct walk {
    ordering *o;
    visitor fn;
    void *env;
} walk;

static void on_read(void *env, const wadi_read *r) {
    const walk *w = env;
    const int j = w->o->bind_of[*r->at];
    if (j >= 0) w->fn(w->o, j, w->env);
}

/* Calls fn for each main binding that binding i reads from. */
static void each_need(ordering *o, int i, visitor fn, void *env) {
    walk w = {o, fn, env};
    /* wadi_reads_deep changes nothing; it takes a block that is not const */
    wadi_reads_deep((wadi_block *)(uintptr_t)o->main, o->main->binds[i], on_read, &w);
}

static void mark_needs(ordering *o, int i, void *env) {
    if (o->mark[i]) return;
    o->mark[i] = true;
    each_need(o, i, mark_needs, env);
}

/* Marks everything that binding i needs, itself included. */
static void mark_all(ordering *o, int i) {
    memset(o->mark, 0, (size_t)o->main->nbinds * sizeof *o->mark);
    mark_needs(o, i, NULL);
}

/* ---- groups ---- */

/* Marks `seq` and all sequences that it is made of. */
static void mark_eaten(ordering *o, wadi_val seq, bool *eaten) {
    const wadi_bind *b = o->p->m->values[seq].bind;
    seq = o->p->stream.first[seq];
    if (eaten[seq]) return;
    eaten[seq] = true;
    for (int a = 0; a < b->nargs; a++)
        if (o->p->m->values[b->args[a]].type.is_seq) mark_eaten(o, b->args[a], eaten);
}

/* A sequence that both the group and `seq` are made of: a source that can be read only once if there is one. WADI_NONE if they
 * have none in common. */
static wadi_val common(const ordering *o, wadi_val seq) {
    const wadi_bind *b = o->p->m->values[seq].bind;
    wadi_val found = o->eaten[o->p->stream.first[seq]] ? o->p->stream.first[seq] : WADI_NONE;
    for (int a = 0; a < b->nargs; a++) {
        if (!o->p->m->values[b->args[a]].type.is_seq) continue;
        const wadi_val below = common(o, b->args[a]);
        if (below != WADI_NONE) found = below; /* sources are the deepest */
        if (found != WADI_NONE && is_read_once(o->p->m->values[found].bind)) return found;
    }
    return found;
}

/* The consumer of the group whose result binding i needs, or NULL. */
static const wadi_bind *needed_member(ordering *o, int i) {
    mark_all(o, i);
    for (size_t k = 0; k < o->group.n; k++)
        for (int r = 0; r < o->group.at[k]->nresults; r++)
            if (o->mark[o->bind_of[o->group.at[k]->results[r]]]) return o->group.at[k];
    return NULL;
}

static wadi_status read_twice(ordering *o, const wadi_bind *b, const wadi_bind *member,
                              wadi_val source) {
    char at[300] = "";
    const wadi_bind *in = o->p->m->values[source].bind;
    if (member->loc.file)
        (void)snprintf(at, sizeof at, " at %s:%d", member->loc.file, member->loc.line);
    return wadi_fail_at(o->p->y.err, b->loc, WADI_UNSUPPORTED,
                        "%s reads the stream \"%s\" and needs the result of %s%s, which reads it "
                        "too: a source can be read only once",
                        b->op->name, in->name, member->op->name, at);
}

/* Adds consumer i to the group if it belongs there. */
static wadi_status consider(ordering *o, int i, bool *out_grown) {
    const wadi_bind *b = bind_at(o, i);
    const wadi_val source = common(o, b->args[0]);
    if (source == WADI_NONE) return WADI_OK;
    const wadi_bind *member = needed_member(o, i);
    const bool once = is_read_once(o->p->m->values[source].bind);
    if (member && once) return read_twice(o, b, member, source);
    if (member) return WADI_OK;
    if (!wadi_vec_push(&o->group, b)) return wadi_planning_no_memory(o->p);
    mark_eaten(o, b->args[0], o->eaten);
    o->planned[i] = true;
    *out_grown = true;
    return WADI_OK;
}

static wadi_status gather(ordering *o, int i) {
    wadi_vec_clear(&o->group);
    memset(o->eaten, 0, o->p->m->nvalues * sizeof *o->eaten);
    if (!wadi_vec_push(&o->group, bind_at(o, i))) return wadi_planning_no_memory(o->p);
    mark_eaten(o, bind_at(o, i)->args[0], o->eaten);
    o->planned[i] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int k = i + 1; k < o->main->nbinds; k++)
            if (is_consumer(o, k) && !o->planned[k]) WADI_TRY(consider(o, k, &grown));
    }
    return WADI_OK;
}

/* ---- planning ---- */

static wadi_status plan_binding(ordering *o, int i);

/* Plans everything that binding i needs and that is not planned yet, in order. */
static wadi_status plan_needs(ordering *o, int i) {
    bool *need = WADI_NEW_N(o->p->y.arena, bool, (size_t)o->main->nbinds + 1);
    if (!need) return wadi_planning_no_memory(o->p);
    mark_all(o, i);
    memcpy(need, o->mark, (size_t)o->main->nbinds * sizeof *need);
    for (int k = 0; k < i; k++)
        if (need[k]) WADI_TRY(plan_binding(o, k));
    return WADI_OK;
}

static int number_of(const ordering *o, const wadi_bind *b) {
    for (int i = 0; i < o->main->nbinds; i++)
        if (bind_at(o, i) == b) return i;
    return -1;
}

static wadi_status plan_consumers(ordering *o, int i) {
    WADI_TRY(gather(o, i));
    const size_t n = o->group.n;
    const wadi_bind **group = WADI_NEW_N(o->p->y.arena, const wadi_bind *, n + 1);
    if (!group) return wadi_planning_no_memory(o->p);
    memcpy(group, o->group.at, n * sizeof(group[0]));
    for (size_t k = 0; k < n; k++) WADI_TRY(plan_needs(o, number_of(o, group[k])));
    WADI_TRY(wadi_planning_array_phase(o->p));
    return wadi_planning_stream_phase(o->p, (int)n, group);
}

static wadi_status plan_binding(ordering *o, int i) {
    const wadi_bind *b = bind_at(o, i);
    if (o->planned[i]) return WADI_OK;
    if (is_consumer(o, i)) return plan_consumers(o, i);
    o->planned[i] = true;
    if (b->op->given == WADI_GIVEN_BY_RUN) return wadi_planning_input(o->p, b);
    if (b->op->given == WADI_GIVEN_BY_PROGRAM) return wadi_planning_use(o->p, b);
    if (b->op->kind == WADI_OP_SEQUENCE) return WADI_OK; /* planned by its consumers */
    return wadi_vec_push(&o->p->pending, b) ? WADI_OK : wadi_planning_no_memory(o->p);
}

/* ---- tables ---- */

/* The first stream_in with the name of binding i: both are the same stream. */
static wadi_val first_of_name(const ordering *o, int i) {
    const wadi_bind *b = bind_at(o, i);
    for (int k = 0; k < i; k++) {
        const wadi_bind *other = bind_at(o, k);
        if (other->op == b->op && strcmp(other->name, b->name) == 0) return other->results[0];
    }
    return b->results[0];
}

static wadi_status make_tables(ordering *o) {
    wadi_planning *p = o->p;
    const size_t values = p->m->nvalues, binds = (size_t)o->main->nbinds;
    o->bind_of = WADI_NEW_N(p->y.arena, int, values + 1);
    o->planned = WADI_NEW_N(p->y.arena, bool, binds + 1);
    o->mark = WADI_NEW_N(p->y.arena, bool, binds + 1);
    o->eaten = WADI_NEW_N(p->y.arena, bool, values + 1);
    p->stream.stage_of = WADI_NEW_N(p->y.arena, int, values + 1);
    p->stream.part_of = WADI_NEW_N(p->y.arena, int *, values + 1);
    p->stream.readers = WADI_NEW_N(p->y.arena, int, values + 1);
    p->stream.first = WADI_NEW_N(p->y.arena, wadi_val, values + 1);
    if (!o->bind_of || !o->planned || !o->mark || !o->eaten || !p->stream.stage_of ||
        !p->stream.part_of || !p->stream.readers || !p->stream.first)
        return wadi_planning_no_memory(p);
    for (wadi_val v = 0; v < values; v++) {
        o->bind_of[v] = -1;
        p->stream.first[v] = v;
    }
    for (int i = 0; i < o->main->nbinds; i++) {
        const wadi_bind *b = bind_at(o, i);
        for (int r = 0; r < b->nresults; r++) o->bind_of[b->results[r]] = i;
        if (is_read_once(b)) p->stream.first[b->results[0]] = first_of_name(o, i);
    }
    return WADI_OK;
}

wadi_status wadi_planning_main(wadi_planning *p) {
    ordering o = {.p = p, .main = p->m->main};
    wadi_status st = make_tables(&o);
    for (int i = 0; i < o.main->nbinds && !st; i++) st = plan_binding(&o, i);
    if (!st) st = wadi_planning_array_phase(p);
    wadi_vec_free(&o.group);
    return st;
}
