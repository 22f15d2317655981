/* Operations are instructions of scalar functions, but for those that compute nothing. What is delayed is computed by its reader,
 * at each of the places that it reads. An array is picked from where code has an index into it, or an operator takes elements by index. */
#include "codegen/operations.h"

#include "codegen/rewrite.h"

enum { MOST = 1 << 30 };

typedef struct counting {
    wadi_operations_of *of;
    int n;
    int times; /* how often the binding at hand is computed for an element; 0: it has been counted */
    int picked; /* so many of its elements are asked for, where data or numbers tell; 0: all may be */
} counting;

/* What `seen` says of a delayed array, beside the turn. */
enum { PICKED, GONE_THROUGH, STATES };

static bool is_free(wadi_sop op) {
    return op == WADI_SOP_CONST || op == WADI_SOP_EXTENT || op == WADI_SOP_THE ||
           op == WADI_SOP_BITCAST;
}

static int operations_in(const wadi_sblock *b) {
    int n = 0;
    for (int i = 0; i < b->ninsts; i++) {
        n += !is_free(b->insts[i]->op);
        for (int k = 0; k < 2; k++)
            if (b->insts[i]->block[k]) n += operations_in(b->insts[i]->block[k]);
    }
    return n;
}

static int clamped(int64_t n) {
    return n < MOST ? (int)n : MOST;
}

/* Whether the read at `at` is in a loop of the code, whose rounds nobody knows. */
static bool is_in_loop(const wadi_sblock *b, const wadi_val *at, bool around) {
    for (int i = 0; i < b->ninsts; i++) {
        const wadi_sinst *inst = b->insts[i];
        const bool loops = inst->op == WADI_SOP_WHILE || inst->op == WADI_SOP_ITERATE;
        if (&inst->array == at) return around;
        for (int k = 0; k < 2; k++)
            if (inst->block[k] && is_in_loop(inst->block[k], at, around || loops)) return true;
    }
    return false;
}

/* How many elements the read takes for one of the binding at hand; 0: it may go through all. */
static int picked_by(const counting *c, const wadi_read *r) {
    if (r->kind == WADI_READ_ARG)
        return c->picked > 0 ? c->picked : r->bind->op->indexes == r->number + 1;
    if (is_in_loop(r->bind->funs[r->number]->body, r->at, false)) return 0;
    return c->picked > 0 ? c->picked : 1;
}

static void look_into(counting *c, wadi_bind *b);

/* A delayed array that is picked from twice counts as one that is gone through. */
static void look_into_delayed(counting *c, const wadi_read *r, int picked) {
    uint32_t *seen = &c->of->seen[*r->at];
    const counting before = *c;
    const bool again = *seen >= c->of->turn;
    const int places = r->kind == WADI_READ_ARG && r->bind->op->places
                           ? r->bind->op->places(r->bind, r->number)
                           : 1;
    if (*seen == c->of->turn + GONE_THROUGH) return;
    c->picked = again ? 0 : clamped((int64_t)picked * places);
    c->times = again ? 0 : clamped((int64_t)c->times * places);
    *seen = c->of->turn + (c->picked > 0 ? PICKED : GONE_THROUGH);
    look_into(c, c->of->m->values[*r->at].bind);
    c->picked = before.picked;
    c->times = before.times;
}

static void read_by(void *env, const wadi_read *r) {
    counting *c = env;
    wadi_operations_of *of = c->of;
    const wadi_value *value = &of->m->values[*r->at];
    if (r->kind == WADI_READ_EXTENT || value->def == WADI_DEF_CONST || value->type.is_seq) return;
    const int picked = picked_by(c, r);
    if (of->is_delayed(of->env, *r->at))
        look_into_delayed(c, r, picked);
    else if (of->read)
        of->read(of->env, *r->at, picked);
}

static void look_into(counting *c, wadi_bind *b) {
    for (int k = 0; k < b->nfuns; k++)
        c->n = clamped(c->n + (int64_t)c->times * operations_in(b->funs[k]->body));
    wadi_reads_own(NULL, b, read_by, c);
}

int wadi_operations(wadi_operations_of *of, const wadi_bind *b) {
    counting c = {.of = of, .times = 1};
    of->turn += STATES;
    look_into(&c, (wadi_bind *)(uintptr_t)b); /* wadi_reads_own changes nothing */
    return c.n;
}
