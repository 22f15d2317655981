/* Programs from text, invented inputs for them, and comparing what they compute. */
#include "tests/codegen/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "operators/interp/interp.h"
#include "operators/table.h"
#include "tests/graph/module_copy.h"

wadi_module *program(const char *text) {
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_ir_parse(text, "test", wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    return m;
}

char *text_of(const wadi_module *m) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print(m, &t);
    char *s = wadi_text_take(&t);
    assert_non_null(s);
    return s;
}

/* ---- invented inputs ---- */

enum { STREAM = 4, BIG = 64 };

typedef struct inventing {
    wadi_arena *arena;
    uint64_t random;
    wadi_interp_io io;
    wadi_interp_input inputs[16];
    wadi_interp_source sources[8];
} inventing;

static uint64_t next_random(inventing *x) {
    x->random = x->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return x->random >> 33;
}

/* Equal names mean equal extents; sizes are small so that indices made up by tests stay in range. */
static int64_t extent_for(const wadi_extent_decl *e, int open) {
    if (!e || e->kind == WADI_EXTENT_ANY) return open;
    return e->kind == WADI_EXTENT_CONST ? e->value : 3 + (int64_t)(e->name[0] % 5);
}

/* A small number, so that sums of floats are exact and numbers can be indices into anything. */
static void invent_number(inventing *x, wadi_type t, void *at) {
    const uint64_t k = next_random(x) % 3;
    const float f = (float)k;
    const double d = (double)k;
    if (wadi_type_is_complex(t)) { /* the parts are numbers of half the size */
        const wadi_type part = t == WADI_C64 ? WADI_F32 : WADI_F64;
        invent_number(x, part, at);
        invent_number(x, part, (char *)at + wadi_type_size(part));
    } else if (t == WADI_F32)
        memcpy(at, &f, sizeof f);
    else if (t == WADI_F64)
        memcpy(at, &d, sizeof d);
    else if (t == WADI_BOOL)
        *(uint8_t *)at = (uint8_t)(k & 1);
    else
        memcpy(at, &k, (size_t)wadi_type_size(t)); /* little-endian */
}

static wadi_array invent_array(inventing *x, const wadi_array_type *t, int open) {
    wadi_array a = {.rank = t->rank, .fields = t->elem.fields};
    size_t size = 1;
    for (int d = 0; d < t->rank; d++) {
        a.shape[d] = extent_for(t->extent ? &t->extent[d] : NULL, open);
        size *= (size_t)a.shape[d];
    }
    for (int f = 0; f < a.fields; f++) {
        const size_t width = (size_t)wadi_type_size(t->elem.type[f]);
        a.type[f] = t->elem.type[f];
        a.column[f] = wadi_arena_alloc(x->arena, size * width + 1);
        for (size_t i = 0; i < size; i++)
            invent_number(x, a.type[f], (char *)a.column[f] + i * width);
    }
    return a;
}

static void invent_source(inventing *x, const wadi_bind *b, const wadi_val_type *t) {
    wadi_array *elements = WADI_NEW_N(x->arena, wadi_array, (size_t)(STREAM * t->arrays));
    for (int i = 0; i < STREAM; i++)
        for (int c = 0; c < t->arrays; c++)
            elements[i * t->arrays + c] = invent_array(x, &t->array[c], 1 + 2 * i);
    x->sources[x->io.nsources++] =
        (wadi_interp_source){.name = b->name, .n = STREAM, .elements = elements};
}

static void invent(inventing *x, const wadi_module *m) {
    x->arena = wadi_arena_create();
    x->random = 7;
    x->io.inputs = x->inputs;
    x->io.sources = x->sources;
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        const wadi_val_type *t = b->nresults ? &m->values[b->results[0]].type : NULL;
        if (strcmp(b->op->name, "input") == 0)
            x->inputs[x->io.ninputs++] = (wadi_interp_input){b->name, invent_array(x, t->array, 5)};
        else if (strcmp(b->op->name, "stream_in") == 0)
            invent_source(x, b, t);
    }
}

/* ---- comparing ---- */

static void assert_same_array(const wadi_array *a, const wadi_array *b) {
    size_t size = 1;
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->fields, b->fields);
    for (int d = 0; d < a->rank; d++) {
        assert_int_equal(a->shape[d], b->shape[d]);
        size *= (size_t)a->shape[d];
    }
    for (int f = 0; f < a->fields; f++) {
        assert_int_equal(a->type[f], b->type[f]);
        assert_memory_equal(a->column[f], b->column[f], size * (size_t)wadi_type_size(a->type[f]));
    }
}

static void assert_same_results(const wadi_interp_results *a, const wadi_interp_results *b) {
    assert_int_equal(a->noutputs, b->noutputs);
    assert_int_equal(a->nsinks, b->nsinks);
    for (int i = 0; i < a->noutputs; i++)
        assert_same_array(&a->outputs[i].array, &b->outputs[i].array);
    for (int i = 0; i < a->nsinks; i++) {
        assert_int_equal(a->sinks[i].n, b->sinks[i].n);
        for (int64_t k = 0; k < a->sinks[i].n * a->sinks[i].components; k++)
            assert_same_array(&a->sinks[i].elements[k], &b->sinks[i].elements[k]);
    }
}

void assert_same_meaning(const wadi_module *a, const wadi_module *b) {
    inventing x = {.arena = NULL};
    wadi_interp_results *ra = NULL, *rb = NULL;
    wadi_error ea = {.status = WADI_OK}, eb = {.status = WADI_OK};
    invent(&x, a);
    const wadi_status sa = wadi_interp_run(a, &x.io, &ra, &ea);
    const wadi_status sb = wadi_interp_run(b, &x.io, &rb, &eb);
    if (sa != sb) fail_msg("before: %s, after: %s", ea.msg, eb.msg);
    if (sa == WADI_OK) assert_same_results(ra, rb);
    wadi_interp_results_destroy(ra);
    wadi_interp_results_destroy(rb);
    wadi_arena_destroy(x.arena);
}

/* ---- looking at modules ---- */

wadi_val value_named(const wadi_module *m, const char *name) {
    wadi_arena *arena = wadi_arena_create();
    const char *const *names = wadi_ir_names(m, arena);
    wadi_val found = WADI_NONE;
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (names[v] && strcmp(names[v], name) == 0) found = v;
    wadi_arena_destroy(arena);
    if (found == WADI_NONE) fail_msg("no value is named %s", name);
    return found;
}

static bool has_kernel(const wadi_module *m, const wadi_bind *b) {
    if (wadi_op_has(b->op, WADI_TRAIT_NO_KERNEL) || b->nblocks > 0 || b->nresults != 1)
        return false;
    return strcmp(b->op->name, "unit") != 0 &&
           m->values[b->results[0]].storage == WADI_STORE_MANIFEST;
}

static int kernels_in(const wadi_module *m, const wadi_block *block) {
    int n = 0;
    for (int i = 0; i < block->nbinds; i++) {
        n += has_kernel(m, block->binds[i]);
        for (int k = 0; k < block->binds[i]->nblocks; k++)
            n += kernels_in(m, block->binds[i]->blocks[k]);
    }
    return n;
}

int kernels(const wadi_module *m) {
    return kernels_in(m, m->main);
}

/* Whether an earlier value has the same number of siblings. */
static bool has_elder(const wadi_module *m, wadi_val v) {
    for (wadi_val u = 0; u < v; u++)
        if (m->values[u].siblings == m->values[v].siblings) return true;
    return false;
}

int passes(const wadi_module *m) {
    int n = kernels(m);
    for (wadi_val v = 0; v < m->nvalues; v++)
        n -= m->values[v].siblings > 0 && m->values[v].storage == WADI_STORE_MANIFEST &&
             has_elder(m, v);
    return n;
}

static int count_in(const wadi_block *block, const char *op) {
    int n = 0;
    for (int i = 0; i < block->nbinds; i++) {
        n += strcmp(block->binds[i]->op->name, op) == 0;
        for (int k = 0; k < block->binds[i]->nblocks; k++)
            n += count_in(block->binds[i]->blocks[k], op);
    }
    return n;
}

int count_op(const wadi_module *m, const char *op) {
    return count_in(m->main, op);
}

/* ---- the whole pipeline ---- */

compiled compile(const char *text, const char *disable) {
    const wadi_pipeline_options options = {.disable = disable};
    wadi_error err = {.status = WADI_OK};
    compiled c = {program(text), wadi_diag_create(true), {NULL, NULL}};
    wadi_module *before = module_copy(c.m);
    assert_non_null(c.d);
    assert_non_null(before);
    if (wadi_pipeline_run(c.m, &options, c.d, &c.facts, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_same_meaning(before, c.m);
    wadi_module_destroy(before);
    return c;
}

void compiled_free(compiled *c) {
    wadi_facts_fini(&c->facts);
    wadi_diag_destroy(c->d);
    wadi_module_destroy(c->m);
}
