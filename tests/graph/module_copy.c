/* A deep copy of a module. The copy owns everything; only the operators' table rows are shared. */
#include "tests/graph/module_copy.h"

#include <string.h>

#include "base/error.h"

/* Where the copy goes. A failed allocation sets `failed`; the code that follows then does no harm. */
typedef struct copying {
    wadi_module *m;
    bool failed;
    const char *file, *own_file; /* the last file of a place, and its copy */
} copying;

static void *copied(copying *c, const void *from, size_t size, size_t n) {
    void *to = wadi_arena_alloc_n(c->m->arena, size, n);
    if (!to)
        c->failed = true;
    else if (n > 0)
        memcpy(to, from, size * n);
    return to;
}

static const char *copied_name(copying *c, const char *name) {
    if (!name) return NULL;
    const char *to = wadi_arena_strdup(c->m->arena, name);
    if (!to) c->failed = true;
    return to;
}

/* A place read from text points to a string of its module, so the copy needs its own. */
static void own_place(copying *c, wadi_loc *loc) {
    if (loc->file != c->file) {
        c->file = loc->file;
        c->own_file = copied_name(c, loc->file);
    }
    loc->file = c->own_file;
    if (loc->array) loc->array = copied_name(c, loc->array);
}

static wadi_array_type copied_array_type(copying *c, const wadi_array_type *t) {
    wadi_array_type to = *t;
    for (int f = 0; f < t->elem.fields; f++) to.elem.name[f] = copied_name(c, t->elem.name[f]);
    if (!t->extent) return to;
    to.extent = copied(c, t->extent, sizeof *t->extent, (size_t)t->rank);
    for (int d = 0; to.extent && d < t->rank; d++)
        to.extent[d].name = copied_name(c, t->extent[d].name);
    return to;
}

static wadi_val_type copied_type(copying *c, wadi_val_type t) {
    wadi_array_type *array = copied(c, t.array, sizeof *t.array, (size_t)t.arrays);
    for (int i = 0; array && i < t.arrays; i++) array[i] = copied_array_type(c, &t.array[i]);
    t.array = array;
    return t;
}

/* ---- scalar functions: scalars keep their numbers, so only the tree is rebuilt ---- */

static wadi_sblock *copied_sblock(copying *c, const wadi_sblock *b);

static wadi_sinst *copied_sinst(copying *c, const wadi_sinst *i) {
    wadi_sinst *to = copied(c, i, sizeof *i, 1);
    if (!to) return NULL;
    own_place(c, &to->loc);
    to->args = copied(c, i->args, sizeof *i->args, (size_t)i->nargs);
    for (int k = 0; k < 2; k++) to->block[k] = i->block[k] ? copied_sblock(c, i->block[k]) : NULL;
    return to;
}

static wadi_sblock *copied_sblock(copying *c, const wadi_sblock *b) {
    wadi_sblock *to = copied(c, b, sizeof *b, 1);
    if (!to) return NULL;
    to->params = copied(c, b->params, sizeof *b->params, (size_t)b->nparams);
    to->yields = copied(c, b->yields, sizeof *b->yields, (size_t)b->nyields);
    to->insts = copied(c, b->insts, sizeof *b->insts, (size_t)b->ninsts);
    to->capacity = b->ninsts;
    for (int i = 0; to->insts && i < b->ninsts; i++) to->insts[i] = copied_sinst(c, b->insts[i]);
    return to;
}

static wadi_fun *copied_fun(copying *c, const wadi_fun *f) {
    wadi_fun *to = copied(c, f, sizeof *f, 1);
    if (!to) return NULL;
    to->types = copied(c, f->types, sizeof *f->types, f->nvals);
    to->cap = f->nvals;
    to->body = copied_sblock(c, f->body);
    if (f->names) {
        const int n = f->body->nyields;
        to->names = copied(c, f->names, sizeof *f->names, (size_t)n);
        for (int i = 0; to->names && i < n; i++) to->names[i] = copied_name(c, f->names[i]);
    }
    return to;
}

/* ---- array level ---- */

static wadi_block *copied_block(copying *c, const wadi_block *b, wadi_block *parent);

/* Points the copied values at the copied binding. */
static void define_results(copying *c, wadi_bind *b) {
    for (int r = 0; r < b->nresults; r++) c->m->values[b->results[r]].bind = b;
}

static wadi_bind *copied_bind(copying *c, const wadi_bind *b, wadi_block *around) {
    wadi_bind *to = copied(c, b, sizeof *b, 1);
    if (!to) return NULL;
    own_place(c, &to->loc);
    to->results = copied(c, b->results, sizeof *b->results, (size_t)b->nresults);
    to->args = copied(c, b->args, sizeof *b->args, (size_t)b->nargs);
    to->funs = copied(c, b->funs, sizeof *b->funs, (size_t)b->nfuns);
    to->blocks = copied(c, b->blocks, sizeof *b->blocks, (size_t)b->nblocks);
    to->attrs = copied(c, b->attrs, sizeof *b->attrs, (size_t)b->nattrs);
    to->name = copied_name(c, b->name);
    if (b->data && !(to->data = wadi_module_data(c->m, b->data))) c->failed = true;
    if (c->failed) return NULL;
    define_results(c, to);
    for (int i = 0; i < b->nfuns; i++) to->funs[i] = copied_fun(c, b->funs[i]);
    for (int i = 0; i < b->nblocks; i++) to->blocks[i] = copied_block(c, b->blocks[i], around);
    return to;
}

static wadi_block *copied_block(copying *c, const wadi_block *b, wadi_block *parent) {
    wadi_block *to = copied(c, b, sizeof *b, 1);
    if (!to) return NULL;
    to->parent = parent;
    to->params = copied(c, b->params, sizeof *b->params, (size_t)b->nparams);
    to->yields = copied(c, b->yields, sizeof *b->yields, (size_t)b->nyields);
    to->binds = copied(c, b->binds, sizeof *b->binds, (size_t)b->nbinds);
    to->capacity = b->nbinds;
    if (c->failed) return NULL;
    for (int p = 0; p < to->nparams; p++) c->m->values[to->params[p]].block = to;
    for (int i = 0; i < b->nbinds && !c->failed; i++)
        to->binds[i] = copied_bind(c, b->binds[i], to);
    return to;
}

static void copy_values(copying *c, const wadi_module *from) {
    c->m->values = copied(c, from->values, sizeof *from->values, from->nvalues);
    if (!c->m->values) return;
    c->m->nvalues = c->m->cap = from->nvalues;
    for (uint32_t v = 0; v < from->nvalues; v++) {
        wadi_value *value = &c->m->values[v];
        value->type = copied_type(c, value->type);
        value->name = copied_name(c, value->name);
        /* values of code that was removed keep no pointer into the old module */
        value->bind = NULL;
        value->block = NULL;
    }
}

static void copy_outputs(copying *c, const wadi_module *from) {
    if (!from->outputs) return;
    c->m->outputs = copied(c, from->outputs, sizeof *from->outputs, (size_t)from->main->nyields);
    for (int i = 0; c->m->outputs && i < from->main->nyields; i++)
        c->m->outputs[i] = copied_name(c, from->outputs[i]);
}

wadi_module *module_copy(const wadi_module *m) {
    copying c = {.m = wadi_module_create(m->name)};
    if (!c.m) return NULL;
    copy_values(&c, m);
    if (!c.failed) copy_outputs(&c, m);
    if (!c.failed) c.m->main = copied_block(&c, m->main, NULL);
    if (!c.failed) return c.m;
    wadi_module_destroy(c.m);
    return NULL;
}
