/* Common subexpressions: equal computations become one, among arrays and inside scalar functions.
 *
 * Value numbering (Cocke 1970) by keys. The key of a binding is a string of numbers: its operator, attributes, arguments,
 * functions and regions. Values that are defined inside these are numbered from 1 in every key, so equal keys mean equal values.
 * An earlier binding is reused only where it is in scope: the keys of a region are forgotten at its end. Operators on
 * sequences, inputs and host data are never merged: a stream is not a value that can be read twice.
 */
#include "codegen/pass.h"

#include <string.h>

#include "base/error.h"
#include "codegen/rewrite.h"

typedef WADI_VEC(uint64_t) key;

typedef struct entry {
    uint64_t hash;
    const uint64_t *words;
    size_t n;
    uint32_t first; /* first result: array value or scalar */
} entry;

typedef WADI_VEC(entry) entries;

typedef struct numbering {
    wadi_module *m;
    wadi_arena *scratch;
    wadi_subst subst;
    uint64_t *local; /* [value]: number inside the key being made, 0 when defined outside */
    entries seen;    /* bindings in scope, outer ones first */
    bool failed;
} numbering;

/* ---- keys ---- */

static void put(numbering *s, key *k, uint64_t word) {
    if (!wadi_vec_push(k, word)) s->failed = true;
}

static uint64_t hash_of(const uint64_t *words, size_t n) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) h = (h ^ words[i]) * UINT64_C(0x100000001b3) + (h >> 29);
    return h;
}

/* The entry with this key. If there is none, enters the key for `first` and returns NULL. */
static const entry *find_or_add(numbering *s, entries *seen, const key *k, uint32_t first) {
    const uint64_t hash = hash_of(k->at, k->n);
    for (size_t i = seen->n; i-- > 0;) {
        const entry *e = &seen->at[i];
        if (e->hash == hash && e->n == k->n && memcmp(e->words, k->at, k->n * sizeof *k->at) == 0)
            return e;
    }
    uint64_t *words = WADI_NEW_N(s->scratch, uint64_t, k->n);
    if (words) memcpy(words, k->at, k->n * sizeof *words);
    if (!words || !wadi_vec_push(seen, (entry){hash, words, k->n, first})) s->failed = true;
    return NULL;
}

/* ---- scalar code ---- */

/* The number of a scalar in a key. A scalar defined inside the key is numbered from 1; another one stands for itself. */
typedef struct scalars {
    uint64_t *local; /* [nvals] or NULL: nothing is local */
    uint64_t next;
} scalars;

static uint64_t scalar_number(const scalars *n, wadi_sval v) {
    return n->local && n->local[v] ? n->local[v] : (uint64_t)v << 1;
}

static void name_scalars(scalars *n, wadi_sval first, int count) {
    for (int i = 0; n->local && i < count; i++) n->local[first + (wadi_sval)i] = n->next++ << 1 | 1;
}

static uint64_t array_number(const numbering *s, wadi_val v) {
    v = wadi_subst_get(&s->subst, v);
    return v < s->subst.n && s->local[v] ? s->local[v] : (uint64_t)v << 1;
}

static bool commutes(wadi_sop op) {
    return op == WADI_SOP_ADD || op == WADI_SOP_MUL || op == WADI_SOP_AND || op == WADI_SOP_OR ||
           op == WADI_SOP_XOR || op == WADI_SOP_EQ || op == WADI_SOP_NE || op == WADI_SOP_LAND ||
           op == WADI_SOP_LOR;
}

static void put_sblock(numbering *s, key *k, scalars *n, const wadi_fun *f, const wadi_sblock *b);

static void put_inst(numbering *s, key *k, scalars *n, const wadi_fun *f, const wadi_sinst *i) {
    put(s, k, (uint64_t)i->op << 32 | (uint64_t)i->nargs << 16 | (uint64_t)i->nresults);
    for (int r = 0; r < i->nresults; r++) put(s, k, f->types[i->first + (wadi_sval)r]);
    const bool swap =
        commutes(i->op) && scalar_number(n, i->args[0]) > scalar_number(n, i->args[1]);
    for (int a = 0; a < i->nargs; a++) put(s, k, scalar_number(n, i->args[swap ? 1 - a : a]));
    if (i->array != WADI_NONE) put(s, k, array_number(s, i->array));
    if (i->op == WADI_SOP_EXTENT) put(s, k, (uint64_t)i->dim);
    if (i->op == WADI_SOP_CONST) {
        put(s, k, i->imm.bits);
        put(s, k, i->imm.im);
    }
    for (int r = 0; r < 2; r++)
        if (i->block[r]) put_sblock(s, k, n, f, i->block[r]);
    name_scalars(n, i->first, i->nresults);
}

static void put_sblock(numbering *s, key *k, scalars *n, const wadi_fun *f, const wadi_sblock *b) {
    put(s, k, (uint64_t)b->nparams << 32 | (uint64_t)b->ninsts);
    for (int p = 0; p < b->nparams; p++) {
        put(s, k, f->types[b->params[p]]);
        name_scalars(n, b->params[p], 1);
    }
    for (int i = 0; i < b->ninsts; i++) put_inst(s, k, n, f, b->insts[i]);
    for (int y = 0; y < b->nyields; y++) put(s, k, scalar_number(n, b->yields[y]));
}

static void put_fun(numbering *s, key *k, const wadi_fun *f) {
    const size_t mark = wadi_arena_mark(s->scratch);
    scalars n = {WADI_NEW_N(s->scratch, uint64_t, f->nvals), 1};
    put(s, k,
        f->lanes > 0); /* reductions by equal functions may still combine in different orders */
    if (n.local)
        put_sblock(s, k, &n, f, f->body);
    else
        s->failed = true;
    wadi_arena_rewind(s->scratch, mark);
}

/* ---- bindings ---- */

typedef struct locals {
    uint64_t next;
} locals;

static void name_arrays(numbering *s, locals *n, const wadi_val *values, int count) {
    for (int i = 0; i < count; i++) s->local[values[i]] = n->next++ << 1 | 1;
}

static void put_elem(numbering *s, key *k, const wadi_elem *e) {
    for (int f = 0; f < e->fields; f++) {
        put(s, k, (uint64_t)e->type[f]);
        for (const char *c = e->name[f]; c && *c; c++) put(s, k, (unsigned char)*c);
    }
}

static void put_block(numbering *s, key *k, locals *n, const wadi_block *b);

static void put_bind(numbering *s, key *k, locals *n, const wadi_bind *b) {
    put(s, k, (uint64_t)(uintptr_t)b->op);
    put(s, k, (uint64_t)b->nargs << 32 | (uint64_t)b->nattrs << 16 | (uint64_t)b->nresults);
    for (int i = 0; i < b->nargs; i++) put(s, k, array_number(s, b->args[i]));
    for (int i = 0; i < b->nattrs; i++) put(s, k, (uint64_t)b->attrs[i]);
    for (int i = 0; i < b->nresults; i++)
        put_elem(s, k, &s->m->values[b->results[i]].type.array->elem);
    for (int i = 0; i < b->nfuns; i++) put_fun(s, k, b->funs[i]);
    for (int i = 0; i < b->nblocks; i++) put_block(s, k, n, b->blocks[i]);
}

static void put_block(numbering *s, key *k, locals *n, const wadi_block *b) {
    put(s, k, (uint64_t)b->nparams << 32 | (uint64_t)b->nbinds);
    name_arrays(s, n, b->params, b->nparams);
    for (int i = 0; i < b->nbinds; i++) {
        put_bind(s, k, n, b->binds[i]);
        name_arrays(s, n, b->binds[i]->results, b->binds[i]->nresults);
    }
    for (int y = 0; y < b->nyields; y++) put(s, k, array_number(s, b->yields[y]));
}

/* Called after the key is made: what the regions of `b` define is no longer local. */
static void forget_locals(numbering *s, const wadi_bind *b) {
    for (int i = 0; i < b->nblocks; i++) {
        const wadi_block *block = b->blocks[i];
        for (int p = 0; p < block->nparams; p++) s->local[block->params[p]] = 0;
        for (int k = 0; k < block->nbinds; k++) {
            for (int r = 0; r < block->binds[k]->nresults; r++)
                s->local[block->binds[k]->results[r]] = 0;
            forget_locals(s, block->binds[k]);
        }
    }
}

static bool may_share(const wadi_bind *b) {
    return b->op->kind != WADI_OP_SEQUENCE && !b->name && !b->data && b->nresults > 0;
}

/* ---- the instructions of one function, in the same way ---- */

typedef struct scalar_numbering {
    numbering *s;
    const wadi_fun *f;
    wadi_sval *to; /* [nvals] */
    entries seen;
} scalar_numbering;

static bool is_structured(const wadi_sinst *i) {
    return i->block[0] != NULL;
}

static void share_in(scalar_numbering *t, wadi_sblock *b) {
    const size_t outer = t->seen.n;
    const scalars as_they_are = {NULL, 0};
    key k = {0};
    int kept = 0;
    for (int j = 0; j < b->ninsts && !t->s->failed; j++) {
        wadi_sinst *i = b->insts[j];
        for (int a = 0; a < i->nargs; a++) i->args[a] = t->to[i->args[a]];
        for (int r = 0; r < 2; r++)
            if (i->block[r]) share_in(t, i->block[r]);
        const entry *e = NULL;
        if (!is_structured(i)) {
            scalars n = as_they_are;
            wadi_vec_clear(&k);
            put_inst(t->s, &k, &n, t->f, i);
            if (!t->s->failed) e = find_or_add(t->s, &t->seen, &k, i->first);
        }
        for (int r = 0; e && r < i->nresults; r++)
            t->to[i->first + (wadi_sval)r] = e->first + (wadi_sval)r;
        if (!e) b->insts[kept++] = i;
    }
    b->ninsts = kept;
    for (int y = 0; y < b->nyields; y++) b->yields[y] = t->to[b->yields[y]];
    t->seen.n = outer;
    wadi_vec_free(&k);
}

static void share_in_fun(numbering *s, wadi_fun *f) {
    scalar_numbering t = {.s = s, .f = f, .to = WADI_NEW_N(s->scratch, wadi_sval, f->nvals)};
    if (!t.to) {
        s->failed = true;
        return;
    }
    for (wadi_sval v = 0; v < f->nvals; v++) t.to[v] = v;
    share_in(&t, f->body);
    wadi_vec_free(&t.seen);
}

/* ---- the walk ---- */

static bool is_shared(numbering *s, const wadi_bind *b) {
    key k = {0};
    locals n = {1};
    const entry *e = NULL;
    if (!may_share(b)) return false;
    put_bind(s, &k, &n, b);
    forget_locals(s, b);
    if (!s->failed) e = find_or_add(s, &s->seen, &k, b->results[0]);
    /* the results of one binding have consecutive places, so result r equals result r of the earlier one */
    for (int r = 0; e && r < b->nresults; r++) {
        const wadi_bind *earlier = s->m->values[e->first].bind;
        wadi_subst_put(&s->subst, b->results[r], earlier->results[r]);
    }
    wadi_vec_free(&k);
    return e != NULL;
}

static void walk_block(numbering *s, wadi_block *block) {
    const size_t outer = s->seen.n;
    int kept = 0;
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        wadi_subst_own(&s->subst, block, b);
        for (int f = 0; f < b->nfuns && !s->failed; f++) share_in_fun(s, b->funs[f]);
        for (int k = 0; k < b->nblocks && !s->failed; k++) walk_block(s, b->blocks[k]);
        if (s->failed || !is_shared(s, b)) block->binds[kept++] = b;
    }
    if (!s->failed) block->nbinds = kept;
    wadi_subst_yields(&s->subst, block);
    s->seen.n = outer;
}

wadi_status wadi_pass_cse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    numbering s = {.m = m, .scratch = cx->scratch};
    s.local = WADI_NEW_N(cx->scratch, uint64_t, m->nvalues);
    s.failed = !s.local || !wadi_subst_init(&s.subst, cx->scratch, m);
    if (!s.failed) walk_block(&s, m->main);
    wadi_vec_free(&s.seen);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "cse: out of memory") : WADI_OK;
}
