/* Operations are instructions of scalar functions, but for those that compute nothing. What is delayed is computed by its reader. */
#include "codegen/operations.h"

#include "codegen/rewrite.h"

typedef struct counting {
    wadi_operations_of *of;
    int n;
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
    if (of->seen[v] != of->turn) look_into(c, value->bind);
    of->seen[v] = of->turn;
}

static void look_into(counting *c, wadi_bind *b) {
    for (int k = 0; k < b->nfuns; k++) c->n += operations_in(b->funs[k]->body);
    wadi_reads_own(NULL, b, read_by, c);
}

int wadi_operations(wadi_operations_of *of, const wadi_bind *b) {
    counting c = {.of = of};
    of->turn++;
    look_into(&c, (wadi_bind *)(uintptr_t)b); /* wadi_reads_own changes nothing */
    return c.n;
}
