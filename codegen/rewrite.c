/* Visiting reads, replacing values, moving bindings. */
#include "codegen/rewrite.h"

#include <string.h>

/* ---- reads ---- */

static wadi_read_kind kind_of(wadi_sop op) {
    switch (op) {
    case WADI_SOP_THE:
        return WADI_READ_THE;
    case WADI_SOP_EXTENT:
        return WADI_READ_EXTENT;
    default:
        return WADI_READ_INDEX;
    }
}

static void reads_sblock(const wadi_sblock *s, wadi_read r, wadi_read_fn fn, void *env) {
    for (int i = 0; i < s->ninsts; i++) {
        wadi_sinst *inst = s->insts[i];
        for (int k = 0; k < 2; k++)
            if (inst->block[k]) reads_sblock(inst->block[k], r, fn, env);
        if (inst->array == WADI_NONE) continue;
        r.kind = kind_of(inst->op);
        r.at = &inst->array;
        fn(env, &r);
    }
}

void wadi_reads_own(wadi_block *block, wadi_bind *b, wadi_read_fn fn, void *env) {
    for (int i = 0; i < b->nargs; i++)
        fn(env, &(wadi_read){WADI_READ_ARG, b, block, i, &b->args[i]});
    for (int i = 0; i < b->nfuns; i++)
        reads_sblock(b->funs[i]->body, (wadi_read){WADI_READ_THE, b, block, i, NULL}, fn, env);
}

void wadi_reads_deep(wadi_block *block, wadi_bind *b, wadi_read_fn fn, void *env) {
    wadi_reads_own(block, b, fn, env);
    for (int i = 0; i < b->nblocks; i++) wadi_reads_block(b->blocks[i], fn, env);
}

void wadi_reads_block(wadi_block *block, wadi_read_fn fn, void *env) {
    for (int i = 0; i < block->nbinds; i++) wadi_reads_deep(block, block->binds[i], fn, env);
    for (int i = 0; i < block->nyields; i++)
        fn(env, &(wadi_read){WADI_READ_YIELD, NULL, block, i, &block->yields[i]});
}

/* ---- replacing ---- */

bool wadi_subst_init(wadi_subst *s, wadi_arena *scratch, const wadi_module *m) {
    s->n = m->nvalues;
    s->to = WADI_NEW_N(scratch, wadi_val, s->n);
    for (wadi_val v = 0; s->to && v < s->n; v++) s->to[v] = v;
    return s->to != NULL;
}

void wadi_subst_put(wadi_subst *s, wadi_val from, wadi_val to) {
    s->to[from] = wadi_subst_get(s, to);
}

wadi_val wadi_subst_get(const wadi_subst *s, wadi_val v) {
    while (v < s->n && s->to[v] != v) v = s->to[v];
    return v;
}

static void replace(void *env, const wadi_read *r) {
    *r->at = wadi_subst_get(env, *r->at);
}

void wadi_subst_own(const wadi_subst *s, wadi_block *block, wadi_bind *b) {
    wadi_reads_own(block, b, replace, (void *)s);
}

void wadi_subst_yields(const wadi_subst *s, wadi_block *block) {
    for (int i = 0; i < block->nyields; i++) block->yields[i] = wadi_subst_get(s, block->yields[i]);
}

void wadi_subst_block(const wadi_subst *s, wadi_block *block) {
    wadi_reads_block(block, replace, (void *)s);
}

/* ---- blocks ---- */

bool wadi_rewrite_within(const wadi_block *inner, const wadi_block *outer) {
    while (inner && inner != outer) inner = inner->parent;
    return inner != NULL;
}

static void find_homes(wadi_homes *h, wadi_block *block) {
    for (int i = 0; i < block->nparams; i++) h->of[block->params[i]] = block;
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++) h->of[b->results[r]] = block;
        for (int k = 0; k < b->nblocks; k++) find_homes(h, b->blocks[k]);
    }
}

bool wadi_homes_init(wadi_homes *h, wadi_arena *scratch, wadi_module *m) {
    h->n = m->nvalues;
    h->of = WADI_NEW_N(scratch, wadi_block *, h->n);
    if (h->of) find_homes(h, m->main);
    return h->of != NULL;
}

wadi_block *wadi_homes_get(const wadi_homes *h, wadi_val v) {
    return v < h->n ? h->of[v] : NULL;
}

bool wadi_rewrite_set_block(wadi_module *m, wadi_block *block, int n, wadi_bind *const *binds) {
    wadi_bind **fresh = WADI_NEW_N(m->arena, wadi_bind *, (size_t)n);
    if (!fresh) return false;
    if (n > 0) memcpy(fresh, binds, sizeof *fresh * (size_t)n);
    block->binds = fresh;
    block->nbinds = block->capacity = n;
    return true;
}

void wadi_rewrite_moved(wadi_bind *b, wadi_block *block) {
    for (int i = 0; i < b->nblocks; i++) b->blocks[i]->parent = block;
}
