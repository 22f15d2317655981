/* Schedule flat of loops over arrays: whether turns of one may run together.
 *
 * A part of the state may be such that the rest of the loop does not depend on its elements: neither the predicate nor other parts of the state. If its next
 * value is one step, which reads the old one near the same index of the outermost dimension and nothing else that changes from turn to
 * turn, the runtime can let the rest go ahead, and then go over a few rows in several turns while they are in a cache (sched/steps/turns.c). */
#include "base/error.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/flat/members.h"
#include "codegen/rewrite.h"

enum { ANYWHERE = WADI_FLAT_ANYWHERE };

typedef struct turns {
    wadi_flat *c;
    const wadi_bind *loop;
    int value;             /* number of the state */
    const wadi_bind *next; /* makes its next value */
    bool inside;           /* what is visited is for `next` */
    int64_t distance;      /* of the reads that are being visited */
    int64_t reach;
    bool failed;
    int visits;
} turns;

/* ---- who is who ---- */

static const wadi_value *value_of(const turns *t, wadi_val v) {
    return &t->c->y->m->values[v];
}

static bool is_state(const turns *t, wadi_val v) {
    return v == t->loop->blocks[0]->params[t->value] || v == t->loop->blocks[1]->params[t->value];
}

static bool is_param(const turns *t, wadi_val v) {
    const wadi_value *is = value_of(t, v);
    return is->def == WADI_DEF_PARAM &&
           (is->block == t->loop->blocks[0] || is->block == t->loop->blocks[1]);
}

static wadi_bind *made_in_loop(const turns *t, wadi_val v) {
    wadi_bind *bind = value_of(t, v)->def == WADI_DEF_BIND ? value_of(t, v)->bind : NULL;
    for (int k = 0; bind && k < 2; k++)
        for (int i = 0; i < t->loop->blocks[k]->nbinds; i++)
            if (t->loop->blocks[k]->binds[i] == bind) return bind;
    return NULL;
}

/* ---- what is read ---- */

/* Elements of the state, of its next value or of what else changes. */
static void note(turns *t, wadi_val v, int64_t distance) {
    if (!t->inside) {
        if (is_state(t, v) || v == t->next->results[0]) t->failed = true;
    } else if (!is_state(t, v) || distance == ANYWHERE || distance > WADI_FLAT_FAR) {
        t->failed = true;
    } else if (distance > t->reach) {
        t->reach = distance;
    }
}

static void visit(void *env, const wadi_read *r);

/* What is not stored is read where it is used. */
static void visit_delayed(turns *t, wadi_bind *bind, int64_t distance) {
    const int64_t before = t->distance;
    if (t->visits++ >= WADI_FLAT_VISITS || (t->inside && bind->nblocks > 0)) {
        t->failed = true;
        return;
    }
    t->distance = distance;
    wadi_reads_deep(NULL, bind, visit, t);
    t->distance = before;
}

static void visit(void *env, const wadi_read *r) {
    turns *t = env;
    const wadi_val v = wadi_layout_resolved(t->c->y, *r->at);
    wadi_bind *bind = made_in_loop(t, v);
    if (r->kind == WADI_READ_EXTENT && (is_state(t, v) || !t->inside)) return;
    const int64_t distance =
        r->kind == WADI_READ_EXTENT ? ANYWHERE : wadi_flat_distance(t->c, r, t->distance);
    if (is_param(t, v) || (bind && wadi_is_stored(t->c->y, v)))
        note(t, v, distance);
    else if (bind)
        visit_delayed(t, bind, distance);
}

/* Whether nothing else in the loop reads elements of the state or of its next value. */
static bool is_apart(turns *t) {
    t->inside = false;
    t->distance = ANYWHERE;
    for (int k = 0; k < 2; k++) {
        const wadi_block *block = t->loop->blocks[k];
        for (int i = 0; i < block->nbinds; i++) {
            wadi_bind *b = block->binds[i];
            const bool delayed =
                b->nblocks == 0 && b->nresults == 1 && !wadi_is_stored(t->c->y, b->results[0]);
            if (b != t->next && !delayed) wadi_reads_deep(NULL, b, visit, t);
        }
        for (int i = 0; i < block->nyields; i++) {
            const wadi_read yield = {.kind = WADI_READ_YIELD, .number = i, .at = &block->yields[i]};
            if (k == 0 || i != t->value) visit(t, &yield);
        }
    }
    return !t->failed;
}

static bool reads_near(turns *t) {
    t->inside = true;
    t->distance = 0;
    wadi_reads_own(NULL, made_in_loop(t, t->next->results[0]), visit, t);
    return !t->failed;
}

static bool find(turns *t) {
    const wadi_val v = wadi_layout_resolved(t->c->y, t->loop->blocks[1]->yields[t->value]);
    t->next = made_in_loop(t, v);
    return t->next && t->next->nblocks == 0 && wadi_flat_is_member(t->c, t->next) && is_apart(t) &&
           reads_near(t);
}

/* ---- its steps ---- */

static bool fills(const wadi_plan_step *step, wadi_step_kind kind, int slot) {
    return step->kind == kind && step->nslots == 1 && step->slots[0] == slot;
}

/* Where the three steps that make `slot` begin, from `first` on; -1: they are others. */
static int steps_of(const turns *t, size_t first, int slot) {
    for (size_t i = first; i + 2 < t->c->steps.n; i++) {
        const wadi_plan_step *s = &t->c->steps.at[i];
        if (!fills(&s[0], WADI_STEP_SHAPE, slot) || !fills(&s[1], WADI_STEP_ALLOC, slot)) continue;
        const bool plain = s[1].strips == 0 && s[2].kind == WADI_STEP_FLAT && s[2].halo == 0 &&
                           s[2].rounds == 0 && !s[2].serial && !s[2].several && !s[2].apart;
        return plain && s[2].touches.quiet ? (int)(i - first) : -1; /* else it may end early */
    }
    return -1;
}

wadi_status wadi_flat_turns(wadi_flat *c, const wadi_bind *loop, wadi_plan_control *k) {
    const size_t first = c->steps.n - (size_t)k->part[1].nsteps;
    for (int i = 0; i < k->nvalues; i++) {
        turns t = {.c = c, .loop = loop, .value = i};
        if (!k->part[1].moves[i] || !find(&t)) continue;
        const int step = steps_of(&t, first, k->part[1].yields[i]);
        if (step < 0) continue;
        wadi_plan_turns *out = WADI_NEW(c->y->keep, wadi_plan_turns);
        if (!out) return wadi_flat_no_memory(c);
        *out = (wadi_plan_turns){.value = i, .step = step, .reach = (int)t.reach};
        k->turns = out;
        return WADI_OK;
    }
    return WADI_OK;
}
