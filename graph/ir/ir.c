/* Making modules, blocks, bindings and functions.
 *
 * Everything is allocated in the module's arena, so growing a list leaves the old one behind. Lists that grow much (values,
 * bindings, instructions, scalars) double; the others are copied at each addition. Nothing here checks its input;
 * graph/ir/verify.c does. */
#include "graph/ir/ir.h"

#include <string.h>

#include "base/error.h"

/* A new list with room for `want` elements of `size` bytes, which begins with the `n` old ones. */
static void *grown(wadi_module *m, const void *old, size_t size, size_t n, size_t want) {
    void *fresh = wadi_arena_alloc_n(m->arena, size, want);
    if (fresh && n > 0) memcpy(fresh, old, size * n);
    return fresh;
}

static bool append_number(wadi_module *m, uint32_t **list, int *n, uint32_t number) {
    uint32_t *fresh = grown(m, *list, sizeof *fresh, (size_t)*n, (size_t)*n + 1);
    if (!fresh) return false;
    fresh[(*n)++] = number;
    *list = fresh;
    return true;
}

/* A new value that is all zero but for its number. */
static wadi_value *new_value(wadi_module *m, wadi_val *out_v) {
    if (m->nvalues == m->cap) {
        const uint32_t cap = m->cap ? 2 * m->cap : 32;
        wadi_value *fresh = grown(m, m->values, sizeof *fresh, m->nvalues, cap);
        if (!fresh) return NULL;
        m->values = fresh;
        m->cap = cap;
    }
    *out_v = m->nvalues++;
    return &m->values[*out_v];
}

wadi_module *wadi_module_create(const char *name) {
    wadi_arena *arena = wadi_arena_create();
    if (!arena) return NULL;
    wadi_module *m = WADI_NEW(arena, wadi_module);
    if (m) {
        m->arena = arena;
        m->name = wadi_arena_strdup(arena, name ? name : "program");
        m->main = wadi_block_new(m, NULL);
    }
    if (!m || !m->name || !m->main) {
        wadi_arena_destroy(arena);
        return NULL;
    }
    return m;
}

void wadi_module_destroy(wadi_module *m) {
    if (m) wadi_arena_destroy(m->arena);
}

const wadi_array *wadi_module_data(wadi_module *m, const wadi_array *a) {
    wadi_array *copy = grown(m, a, sizeof *a, 1, 1);
    size_t size = 1;
    for (int d = 0; d < a->rank; d++) size *= (size_t)a->shape[d];
    for (int f = 0; copy && f < a->fields; f++) {
        copy->column[f] = grown(m, a->column[f], (size_t)wadi_type_size(a->type[f]), size, size);
        if (!copy->column[f]) return NULL;
    }
    return copy;
}

wadi_block *wadi_block_new(wadi_module *m, wadi_block *parent) {
    wadi_block *b = WADI_NEW(m->arena, wadi_block);
    if (b) b->parent = parent;
    return b;
}

wadi_val wadi_block_param(wadi_module *m, wadi_block *b, wadi_val_type type) {
    wadi_val v = WADI_NONE;
    wadi_value *value = new_value(m, &v);
    if (!value) return WADI_NONE;
    value->type = type;
    value->def = WADI_DEF_PARAM;
    value->number = b->nparams;
    value->block = b;
    return append_number(m, &b->params, &b->nparams, v) ? v : WADI_NONE;
}

bool wadi_block_append(wadi_module *m, wadi_block *b, wadi_bind *bind) {
    if (b->nbinds == b->capacity) {
        const int cap = b->capacity ? 2 * b->capacity : 8;
        wadi_bind **fresh = grown(m, b->binds, sizeof *fresh, (size_t)b->nbinds, (size_t)cap);
        if (!fresh) return false;
        b->binds = fresh;
        b->capacity = cap;
    }
    b->binds[b->nbinds++] = bind;
    return true;
}

bool wadi_block_yield(wadi_module *m, wadi_block *b, wadi_val v) {
    return append_number(m, &b->yields, &b->nyields, v);
}

wadi_bind *wadi_bind_new(wadi_module *m, const struct wadi_op *op, int nargs, int nfuns,
                         int nblocks, int nattrs) {
    wadi_bind *b = WADI_NEW(m->arena, wadi_bind);
    if (!b) return NULL;
    *b =
        (wadi_bind){.op = op, .nargs = nargs, .nfuns = nfuns, .nblocks = nblocks, .nattrs = nattrs};
    b->args = WADI_NEW_N(m->arena, wadi_val, (size_t)nargs);
    b->funs = WADI_NEW_N(m->arena, wadi_fun *, (size_t)nfuns);
    b->blocks = WADI_NEW_N(m->arena, wadi_block *, (size_t)nblocks);
    b->attrs = WADI_NEW_N(m->arena, int64_t, (size_t)nattrs);
    if (!b->args || !b->funs || !b->blocks || !b->attrs) return NULL;
    for (int i = 0; i < nargs; i++) b->args[i] = WADI_NONE;
    return b;
}

wadi_val wadi_bind_result(wadi_module *m, wadi_bind *b, wadi_val_type type) {
    wadi_val v = WADI_NONE;
    wadi_value *value = new_value(m, &v);
    if (!value) return WADI_NONE;
    value->type = type;
    value->def = WADI_DEF_BIND;
    value->number = b->nresults;
    value->bind = b;
    return append_number(m, &b->results, &b->nresults, v) ? v : WADI_NONE;
}

wadi_val wadi_const_val(wadi_module *m, wadi_scalar imm) {
    imm.bits = wadi_scalar_wrap(imm.type, imm.bits);
    imm.im = wadi_type_is_complex(imm.type) ? wadi_scalar_wrap(imm.type, imm.im) : 0;
    for (wadi_val v = 0; v < m->nvalues; v++) {
        const wadi_value *old = &m->values[v];
        if (old->def == WADI_DEF_CONST && wadi_scalar_same(old->imm, imm)) return v;
    }
    const wadi_val_type type = wadi_array_val_type(m, 0, wadi_elem_scalar(imm.type));
    if (!type.array) return WADI_NONE;
    wadi_val v = WADI_NONE;
    wadi_value *value = new_value(m, &v);
    if (!value) return WADI_NONE;
    value->type = type;
    value->def = WADI_DEF_CONST;
    value->imm = imm;
    return v;
}

/* ---- scalar functions ---- */

wadi_fun *wadi_fun_new(wadi_module *m) {
    wadi_fun *f = WADI_NEW(m->arena, wadi_fun);
    if (f) f->body = wadi_sblock_new(m);
    return f && f->body ? f : NULL;
}

/* The number of a new scalar of type `t`. */
static wadi_sval fresh_scalar(wadi_module *m, wadi_fun *f, wadi_type t) {
    if (f->nvals == f->cap) {
        const uint32_t cap = f->cap ? 2 * f->cap : 8;
        wadi_type *fresh = grown(m, f->types, sizeof *fresh, f->nvals, cap);
        if (!fresh) return WADI_NONE;
        f->types = fresh;
        f->cap = cap;
    }
    f->types[f->nvals] = t;
    return f->nvals++;
}

wadi_sval wadi_fun_param(wadi_module *m, wadi_fun *f, wadi_type t) {
    return wadi_sblock_param(m, f, f->body, t);
}

wadi_sblock *wadi_sblock_new(wadi_module *m) {
    return WADI_NEW(m->arena, wadi_sblock);
}

wadi_sval wadi_sblock_param(wadi_module *m, wadi_fun *f, wadi_sblock *b, wadi_type t) {
    const wadi_sval s = fresh_scalar(m, f, t);
    if (s == WADI_NONE) return WADI_NONE;
    return append_number(m, &b->params, &b->nparams, s) ? s : WADI_NONE;
}

bool wadi_sblock_append(wadi_module *m, wadi_sblock *b, wadi_sinst *i) {
    if (b->ninsts == b->capacity) {
        const int cap = b->capacity ? 2 * b->capacity : 8;
        wadi_sinst **fresh = grown(m, b->insts, sizeof *fresh, (size_t)b->ninsts, (size_t)cap);
        if (!fresh) return false;
        b->insts = fresh;
        b->capacity = cap;
    }
    b->insts[b->ninsts++] = i;
    return true;
}

bool wadi_sblock_yield(wadi_module *m, wadi_sblock *b, wadi_sval v) {
    return append_number(m, &b->yields, &b->nyields, v);
}

const wadi_sinst *wadi_sblock_maker(const wadi_sblock *b, wadi_sval v) {
    const wadi_sinst *found = NULL;
    for (int i = 0; i < b->ninsts && !found; i++) {
        const wadi_sinst *s = b->insts[i];
        if (v >= s->first && v - s->first < (wadi_sval)s->nresults) found = s;
        for (int k = 0; k < 2 && !found; k++)
            if (s->block[k]) found = wadi_sblock_maker(s->block[k], v);
    }
    return found;
}

wadi_sinst *wadi_sinst_new(wadi_module *m, wadi_sop op, int nargs) {
    wadi_sinst *i = WADI_NEW(m->arena, wadi_sinst);
    if (!i) return NULL;
    *i = (wadi_sinst){.op = op, .nargs = nargs, .first = WADI_NONE, .array = WADI_NONE};
    i->args = WADI_NEW_N(m->arena, wadi_sval, (size_t)nargs);
    if (!i->args) return NULL;
    for (int a = 0; a < nargs; a++) i->args[a] = WADI_NONE;
    return i;
}

wadi_sval wadi_sinst_results(wadi_module *m, wadi_fun *f, wadi_sinst *i, int n,
                             const wadi_type *types) {
    i->nresults = n;
    i->first = n > 0 ? f->nvals : WADI_NONE;
    for (int r = 0; r < n; r++)
        if (fresh_scalar(m, f, types[r]) == WADI_NONE) return WADI_NONE;
    return i->first;
}

bool wadi_fun_is_identity(const wadi_fun *f, int skip) {
    const wadi_sblock *s = f->body;
    if (s->nparams - skip != s->nyields) return false;
    for (int i = 0; i < s->nyields; i++)
        if (s->yields[i] != s->params[skip + i]) return false;
    return true;
}
