/* An index is read as a sum. If it has the variable of the loop around once, whose step is not less than the number of lanes, and the number
 * of the lane once, and all else in it stays the same, then no two rounds or lanes have the same index. */
#include "codegen/emit/lanes/apart.h"

#include "codegen/loop/own.h"

static wadi_lv first_of_column(const wadi_lfun *f, const wadi_linst *column) {
    for (uint32_t v = 0; v < f->n; v++) {
        const wadi_linst *i = f->inst[v];
        if (i->kind == WADI_L_COLUMN && i->slot == column->slot && i->index == column->index)
            return v;
    }
    return column->self;
}

wadi_lv wadi_c_apart_root(const wadi_lfun *f, wadi_lv pointer) {
    const wadi_linst *i = wadi_l_root(f, pointer);
    if (i->kind == WADI_L_COLUMN) return first_of_column(f, i);
    return i->kind == WADI_L_SCRATCH ? i->self : WADI_LV_NONE;
}

typedef struct sum {
    const wadi_lfun *f;
    const wadi_linst *rounds, *lanes;
    int nrounds, nlanes; /* how often the variables of both loops occur */
} sum;

static bool take(sum *x, wadi_lv v) {
    v = wadi_own_plain(x->f, v);
    const wadi_linst *i = x->f->inst[v];
    if (v == x->rounds->var) return ++x->nrounds == 1;
    if (v == x->lanes->var) return ++x->nlanes == 1;
    if (i->kind == WADI_L_CONST || !wadi_own_is_made_in(x->f, v, x->rounds->block[0])) return true;
    return i->kind == WADI_L_PRIM && i->op == WADI_SOP_ADD && take(x, i->args[0]) &&
           take(x, i->args[1]);
}

static bool is_far(const wadi_lfun *f, const wadi_linst *rounds) {
    const wadi_linst *step = f->inst[rounds->args[2]];
    return (int64_t)step->imm.bits >= WADI_GROUP_LANES;
}

/* How many instructions of the scope store to that memory or load it again. */
static int uses_of(const wadi_lfun *f, const wadi_lscope *s, wadi_lv root) {
    int n = 0;
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        const bool copies = i->kind == WADI_L_COPY;
        if (i->kind == WADI_L_STORE || i->kind == WADI_L_FRESH || copies) {
            const wadi_lv at = wadi_c_apart_root(f, i->args[0]);
            n += copies || at == root || at == WADI_LV_NONE;
        }
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL) n += uses_of(f, i->block[b], root);
    }
    return n;
}

bool wadi_c_apart(const wadi_lfun *f, const wadi_linst *rounds, const wadi_linst *lanes,
                  const wadi_linst *store) {
    sum x = {f, rounds, lanes, 0, 0};
    const wadi_lv root = wadi_c_apart_root(f, store->args[0]);
    if (rounds->kind != WADI_L_FOR || root == WADI_LV_NONE || !is_far(f, rounds)) return false;
    if (wadi_own_is_made_in(f, store->args[0], rounds->block[0])) return false;
    return take(&x, store->args[1]) && x.nrounds == 1 && x.nlanes == 1 &&
           uses_of(f, rounds->block[0], root) == 1;
}
