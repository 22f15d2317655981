/* Decides which loop nests become functions, and which values these get as arguments.
 *
 * A stage body has dozens of nests in a row. In one function of that size a C compiler stops analysing the addresses of later
 * loops and does not vectorise them. As a function of a few lines with `restrict` arguments, each nest is compiled separately,
 * and the whole runs several times faster. */
#include "codegen/emit/c/outline.h"

#include <string.h>

typedef struct search {
    const wadi_lfun *f;
    const wadi_c_names *names;
    bool *inside; /* [value] defined in the nest */
    wadi_c_nest *nest;
    bool alone;
} search;

static void mark(search *x, const wadi_linst *i) {
    x->inside[i->self] = true;
    if (i->kind == WADI_L_FOR) x->inside[i->var] = true;
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++) mark(x, i->block[k]->inst[p]);
}

static void reads(search *x, wadi_lv v) {
    v = wadi_c_strip(x->f, v);
    if (v == WADI_LV_NONE || x->inside[v]) return;
    const wadi_linst *i = x->f->inst[v];
    if (i->kind == WADI_L_CONST) return;
    if (i->kind == WADI_L_LANES) x->alone = false;
    for (size_t k = 0; k < x->nest->params.n; k++)
        if (x->nest->params.at[k] == v) return;
    if (!wadi_vec_push(&x->nest->params, v)) x->alone = false;
}

/* Looks at what statement `i` needs. A nest that assigns to a variable outside cannot be a function, nor one that emits results or
 * calls a library. */
static void visit(search *x, const wadi_linst *i) {
    const wadi_c_value *v = &x->names->at[i->self];
    if (!v->printed && !v->inlined) return;
    if ((i->kind == WADI_L_SET || i->kind == WADI_L_PUT) && !x->inside[i->args[0]])
        x->alone = false;
    if (i->kind == WADI_L_EMIT || i->kind == WADI_L_EMITTED || i->kind == WADI_L_FOREIGN)
        x->alone = false;
    if (i->kind == WADI_L_STORE && !x->nest->array) {
        const wadi_lv array = wadi_c_strip(x->f, i->args[0]);
        if (!x->inside[array]) x->nest->array = x->names->at[array].name;
    }
    for (int a = 0; a < i->nargs; a++) reads(x, i->args[a]);
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++) visit(x, i->block[k]->inst[p]);
}

/* Whether `i` is the loop over the elements of a chunk: the only one that begins at an argument of the kernel. */
static bool over_elements(const wadi_lfun *f, const wadi_linst *i) {
    return i && i->kind == WADI_L_FOR && f->inst[i->args[0]]->kind == WADI_L_ARG;
}

/* Whether the code of the scope runs for each element: it is in the loop over elements, or in branches and loops without a
 * counter inside that loop. */
static bool for_each_element(const wadi_lfun *f, const wadi_lscope *s) {
    while (s->merged) s = s->merged;
    const wadi_linst *owner = s->owner;
    while (owner && (owner->kind == WADI_L_IF || owner->kind == WADI_L_REPEAT)) {
        const wadi_lscope *around = owner->scope;
        while (around && around->merged) around = around->merged;
        owner = around ? around->owner : NULL;
    }
    return over_elements(f, owner);
}

bool wadi_c_outline(const wadi_lfun *f, const wadi_c_names *names, const wadi_lscope *s, int p,
                    wadi_c_nest *out) {
    const wadi_linst *loop = s->inst[p];
    if (loop->kind != WADI_L_FOR || !for_each_element(f, s)) return false;
    memset(out, 0, sizeof *out);
    search x = {f, names, WADI_NEW_N(names->arena, bool, f->n), out, true};
    if (!x.inside) return false;
    out->loop = loop;
    if (p > 0 && s->inst[p - 1]->kind == WADI_L_NOTE) out->about = s->inst[p - 1]->text;
    mark(&x, loop);
    visit(&x, loop);
    if (x.alone && out->array) return true;
    wadi_vec_free(&out->params);
    return false;
}
