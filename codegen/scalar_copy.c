/* Copies scalar code into another function: scalars get new numbers, everything else stays. */
#include "codegen/scalar_copy.h"

#include <string.h>

typedef struct copying {
    wadi_module *m;
    const wadi_fun *from;
    wadi_fun *to;
    wadi_sval *as; /* [scalar of from] the scalar of `to` */
} copying;

static bool copy_insts(const copying *c, const wadi_sblock *from, wadi_sblock *into);

static wadi_sblock *copy_block(const copying *c, const wadi_sblock *from) {
    wadi_sblock *b = wadi_sblock_new(c->m);
    for (int p = 0; b && p < from->nparams; p++) {
        const wadi_sval v = from->params[p];
        c->as[v] = wadi_sblock_param(c->m, c->to, b, c->from->types[v]);
        if (c->as[v] == WADI_NONE) return NULL;
    }
    if (!b || !copy_insts(c, from, b)) return NULL;
    for (int y = 0; y < from->nyields; y++)
        if (!wadi_sblock_yield(c->m, b, c->as[from->yields[y]])) return NULL;
    return b;
}

static bool copy_inst(const copying *c, const wadi_sinst *i, wadi_sblock *into) {
    wadi_sinst *copy = wadi_sinst_new(c->m, i->op, i->nargs);
    if (!copy) return false;
    copy->array = i->array;
    copy->dim = i->dim;
    copy->imm = i->imm;
    copy->loc = i->loc;
    for (int k = 0; k < i->nargs; k++) copy->args[k] = c->as[i->args[k]];
    for (int k = 0; k < 2; k++) {
        copy->block[k] = i->block[k] ? copy_block(c, i->block[k]) : NULL;
        if (i->block[k] && !copy->block[k]) return false;
    }
    const wadi_sval first = wadi_sinst_results(c->m, c->to, copy, i->nresults,
                                               i->nresults > 0 ? &c->from->types[i->first] : NULL);
    for (int r = 0; r < i->nresults; r++) c->as[i->first + (wadi_sval)r] = first + (wadi_sval)r;
    return (i->nresults == 0 || first != WADI_NONE) && wadi_sblock_append(c->m, into, copy);
}

static bool copy_insts(const copying *c, const wadi_sblock *from, wadi_sblock *into) {
    for (int i = 0; i < from->ninsts; i++)
        if (!copy_inst(c, from->insts[i], into)) return false;
    return true;
}

bool wadi_scalar_copy(wadi_module *m, const wadi_fun *from, const wadi_sval *args, wadi_fun *to,
                      wadi_sblock *into, wadi_sval *out) {
    const copying c = {m, from, to, WADI_NEW_N(m->arena, wadi_sval, (size_t)from->nvals + 1)};
    const wadi_sblock *body = from->body;
    if (!c.as) return false;
    if (body->nparams > 0)
        for (int p = 0; p < body->nparams; p++) c.as[body->params[p]] = args[p];
    if (!copy_insts(&c, body, into)) return false;
    for (int y = 0; y < body->nyields; y++) out[y] = c.as[body->yields[y]];
    return true;
}
