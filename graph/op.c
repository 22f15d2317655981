/* What holds for all operators: finding one, what its skeleton is like, and the dependence rule of those that state none. */
#include "graph/op.h"

#include <string.h>

const unsigned wadi_op_traits[WADI_SKELETONS] = {
#define WADI_SKELETON(NAME, name, traits) [WADI_SKEL_##NAME] = (traits),
#include "graph/skeletons.def"
#undef WADI_SKELETON
};

const wadi_op *wadi_op_find(const wadi_op_table *t, const char *name) {
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->ops[i]->name, name) == 0) return t->ops[i];
    return NULL;
}

const wadi_derived *wadi_op_derived(const wadi_op_table *t, const char *name, size_t n) {
    const wadi_derived *d = t->derived ? t->derived(0) : NULL;
    for (int i = 1; d && (strlen(d->name) != n || memcmp(d->name, name, n) != 0); i++)
        d = t->derived(i);
    return d;
}

const unsigned wadi_seq_traits[] = {
    [WADI_SEQ_NONE] = 0,
#define WADI_SEQ_FORM(NAME, name, traits) [WADI_SEQ_##NAME] = (traits),
#include "graph/seq.def"
#undef WADI_SEQ_FORM
};

int wadi_op_funs(const wadi_bind *b) {
    return b->op->nfuns < 0 && b->op->count_funs ? b->op->count_funs(b) : b->op->nfuns;
}

char wadi_op_reads(const wadi_op *op, int arg) {
    if (!op->reads) return 'w';
    const int last = (int)strlen(op->reads) - 1;
    return op->reads[arg < last ? arg : last];
}

const wadi_op *wadi_op_scalar(const wadi_op_table *t) {
    for (int i = 0; i < t->n; i++)
        if (t->ops[i]->scalar) return t->ops[i];
    return NULL;
}

const wadi_op *wadi_op_generator(const wadi_op_table *t) {
    for (int i = 0; i < t->n; i++)
        if (t->ops[i]->generates) return t->ops[i];
    return NULL;
}

static bool arg_depends(wadi_depend_cx *cx, wadi_val v) {
    const int arrays = cx->module->values[v].type.arrays;
    for (int comp = 0; comp < arrays; comp++) {
        const wadi_dep d = cx->get(cx, v, comp);
        if (d.shape || d.elems) return true;
    }
    return false;
}

static bool inputs_depend(wadi_depend_cx *cx, const wadi_bind *b) {
    for (int i = 0; i < b->nargs; i++)
        if (arg_depends(cx, b->args[i])) return true;
    for (int i = 0; i < b->nfuns; i++)
        if (cx->fun(cx, b->funs[i])) return true;
    for (int i = 0; i < b->nblocks; i++)
        for (int y = 0; y < b->blocks[i]->nyields; y++)
            if (arg_depends(cx, b->blocks[i]->yields[y])) return true;
    return false;
}

static bool extents_depend(wadi_depend_cx *cx, wadi_val v, int comp) {
    const int rank = cx->module->values[v].type.array[comp].rank;
    for (int d = 0; d < rank; d++)
        if (cx->extent(cx, v, comp, d)) return true;
    return false;
}

void wadi_depend_default(wadi_depend_cx *cx, const wadi_bind *b) {
    for (int i = 0; i < b->nblocks; i++) cx->region(cx, b->blocks[i]);
    const bool closed =
        b->nargs == 0 && b->nfuns == 0 && b->nblocks == 0; /* an input: bound once per run */
    const bool elems = !closed && inputs_depend(cx, b);
    for (int r = 0; r < b->nresults; r++) {
        const wadi_val v = b->results[r];
        for (int comp = 0; comp < cx->module->values[v].type.arrays; comp++) {
            const bool shape = !closed && extents_depend(cx, v, comp);
            cx->set(cx, v, comp, (wadi_dep){shape, elems || shape});
        }
    }
}
