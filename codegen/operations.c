/* Operations are instructions of scalar functions, but for those that compute nothing. What is delayed is computed by its reader,
 * at each of the places that it reads. */
#include "codegen/operations.h"

#include "codegen/rewrite.h"

enum { MOST = 1 << 30 };

typedef struct counting {
    wadi_operations_of *of;
    int n;
    int times; /* how often the binding at hand is computed for an element */
} counting;

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

static void look_into(counting *c, wadi_bind *b);

static void read_by(void *env, const wadi_read *r) {
    counting *c = env;
    wadi_operations_of *of = c->of;
    const wadi_val v = *r->at;
    const wadi_value *value = &of->m->values[v];
    if (r->kind == WADI_READ_EXTENT || value->def == WADI_DEF_CONST || value->type.is_seq) return;
    if (!of->is_delayed(of->env, v)) {
        if (of->read) of->read(of->env, v);
        return;
    }
    if (of->seen[v] == of->turn) return;
    of->seen[v] = of->turn;
    const int times = c->times;
    if (r->kind == WADI_READ_ARG && r->bind->op->places)
        c->times = clamped((int64_t)times * r->bind->op->places(r->bind, r->number));
    look_into(c, value->bind);
    c->times = times;
}

static void look_into(counting *c, wadi_bind *b) {
    for (int k = 0; k < b->nfuns; k++)
        c->n = clamped(c->n + (int64_t)c->times * operations_in(b->funs[k]->body));
    wadi_reads_own(NULL, b, read_by, c);
}

int wadi_operations(wadi_operations_of *of, const wadi_bind *b) {
    counting c = {.of = of, .times = 1};
    of->turn++;
    look_into(&c, (wadi_bind *)(uintptr_t)b); /* wadi_reads_own changes nothing */
    return c.n;
}
