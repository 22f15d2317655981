/* Sequences within an element as arrays: collecting them, and folds over chunks.
 *
 * Components are appended to vectors in scratch memory that double when they are full. If every element is a scalar and their
 * number is known, the vector has its final length from the start and is never checked. */
#include "codegen/kernel/sequence/vector.h"

#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"

/* ---- collecting ---- */

typedef struct component {
    const wadi_array_type *t;
    wadi_vector values, shapes;   /* shapes: only if they are wanted */
    wadi_lv first[WADI_MAX_RANK]; /* variables: the first shape, or the least extents */
} component;

typedef struct collecting {
    wadi_inner in;
    const wadi_bind *bind;
    int n;
    component *c;
    wadi_lv count; /* variable */
    bool shapes, alike, least;
} collecting;

static void start(wadi_lower *l, collecting *k) {
    static const wadi_type i64 = WADI_I64;
    const wadi_val s = k->bind->args[0];
    const wadi_val_type *t = &l->m->values[s].type;
    wadi_lv n = num(l, 16);
    const bool known = wadi_inner_length(l, s, &n);
    k->in = wadi_inner_start(l, NULL);
    k->n = t->arrays;
    k->count = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "count");
    k->c = WADI_NEW_N(l->y->arena, component, (size_t)k->n + 1);
    if (!k->c) l->b.failed = true;
    for (int i = 0; k->c && i < k->n; i++) {
        component *c = &k->c[i];
        c->t = &t->array[i];
        const bool fits = known && c->t->rank == 0;
        c->values =
            wadi_vector_start(l, c->t->elem.fields, c->t->elem.type, fits ? n : num(l, 64), fits);
        if (k->shapes) c->shapes = wadi_vector_start(l, 1, &i64, num(l, 16), false);
        for (int d = 0; d < c->t->rank; d++)
            c->first[d] = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "extent");
    }
}

static void check_alike(wadi_lower *l, const collecting *k, const component *c,
                        const wadi_vloc *at) {
    for (int d = 0; d < c->t->rank; d++) {
        const wadi_lv first = wadi_lb_get(&l->b, c->first[d]);
        wadi_lb_if(&l->b, bin(l, WADI_SOP_NE, at->extent[d], first));
        wadi_lower_fault(l, WADI_FAULT_SHAPE,
                         wadi_layout_place(l->y, k->bind->op->name,
                                           wadi_lower_words(l, WADI_SAID_FIRST, d, (int)(c - k->c)),
                                           k->bind->loc),
                         at->extent[d], first);
        wadi_lb_end(&l->b);
    }
}

static void note_shape(wadi_lower *l, const collecting *k, const component *c,
                       const wadi_vloc *at) {
    wadi_lb *b = &l->b;
    if (c->t->rank == 0 || (!k->alike && !k->least)) return;
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, wadi_lb_get(b, k->count), num(l, 0)));
    for (int d = 0; d < c->t->rank; d++) wadi_lb_set(b, c->first[d], at->extent[d]);
    wadi_lb_else(b);
    if (k->alike) check_alike(l, k, c, at);
    for (int d = 0; k->least && d < c->t->rank; d++)
        wadi_lb_set(b, c->first[d],
                    bin(l, WADI_SOP_MIN, wadi_lb_get(b, c->first[d]), at->extent[d]));
    wadi_lb_end(b);
}

static void append_number(wadi_lower *l, const collecting *k, const wadi_vector *v, wadi_lv x) {
    const wadi_array_type t = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    const wadi_vloc at = {.kind = WADI_LOC_SCALAR, .field = {x}};
    wadi_vector_append(l, &k->in, NULL, v, &at, &t);
}

static void collected(wadi_lower *l, void *env, const wadi_inner_element *e) {
    const collecting *k = env;
    wadi_lb *b = &l->b;
    for (int i = 0; i < k->n; i++) {
        const component *c = &k->c[i];
        note_shape(l, k, c, &e->at[i]);
        for (int d = 0; k->shapes && d < c->t->rank; d++)
            append_number(l, k, &c->shapes, e->at[i].extent[d]);
        wadi_vector_append(l, &k->in, NULL, &c->values, &e->at[i], c->t);
    }
    wadi_lb_set(b, k->count, bin(l, WADI_SOP_ADD, wadi_lb_get(b, k->count), num(l, 1)));
}

static void collect(wadi_lower *l, collecting *k) {
    start(l, k);
    if (!l->status && !l->b.failed) wadi_inner_each(l, &k->in, k->bind->args[0], collected, k);
}

/* ---- results ---- */

/* The vector as an array; extent[0] is set. */
static wadi_vloc array_of(wadi_lower *l, const wadi_vector *v) {
    wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = true};
    for (int f = 0; f < v->fields; f++) at.field[f] = wadi_lb_get(&l->b, v->pointer[f]);
    at.extent[0] = wadi_inner_extent(l, v->used);
    return at;
}

static void give_elements(wadi_lower *l, const collecting *k) {
    for (int i = 0; i < k->n; i++) l->loc[k->bind->results[i]] = array_of(l, &k->c[i].values);
}

static void table_extents(wadi_lower *l, const collecting *k, const component *c, wadi_lv *extent) {
    extent[0] = wadi_inner_extent(l, k->count);
    for (int d = 0; d < c->t->rank; d++) extent[1 + d] = wadi_inner_extent(l, c->first[d]);
}

static void give_table(wadi_lower *l, const collecting *k) {
    for (int i = 0; i < k->n; i++) {
        wadi_vloc at = array_of(l, &k->c[i].values);
        table_extents(l, k, &k->c[i], at.extent);
        l->loc[k->bind->results[i]] = at;
    }
}

static wadi_vloc shapes_of(wadi_lower *l, const collecting *k, const component *c) {
    wadi_vloc at = array_of(l, &c->shapes);
    at.extent[0] = wadi_inner_extent(l, k->count);
    at.extent[1] = num(l, c->t->rank);
    return at;
}

static void give_segments(wadi_lower *l, const collecting *k) {
    for (int i = 0; i < k->n; i++) {
        l->loc[k->bind->results[2 * i]] = shapes_of(l, k, &k->c[i]);
        l->loc[k->bind->results[2 * i + 1]] = array_of(l, &k->c[i].values);
    }
}

/* ---- cutting to the least extents: the corner that all arrays have ---- */

typedef struct cutting {
    const component *c;
    wadi_lv begin; /* where the array begins in the values */
    wadi_lv shape[WADI_MAX_RANK];
    wadi_lv place; /* where its part of the result begins */
    wadi_lv corner[WADI_MAX_RANK];
    wadi_lv to[WADI_MAX_FIELDS];
} cutting;

static void cut_one(wadi_lower *l, void *env, const wadi_lv *ix) {
    const cutting *x = env;
    wadi_lb *b = &l->b;
    const wadi_lv from = wadi_lower_linear(l, x->c->t->rank, x->shape, ix);
    const wadi_lv to = wadi_lower_linear(l, x->c->t->rank, x->corner, ix);
    for (int f = 0; f < x->c->values.fields; f++) {
        const wadi_lv memory = wadi_lb_get(b, x->c->values.pointer[f]);
        const wadi_lv place = bin(l, WADI_SOP_ADD, x->place, to);
        const wadi_lv value = wadi_lb_fresh(b, memory, bin(l, WADI_SOP_ADD, x->begin, from));
        wadi_lb_store(b, x->to[f], place, value);
    }
}

static void give_least(wadi_lower *l, const collecting *k, const component *c, wadi_val result) {
    wadi_lb *b = &l->b;
    const int rank = c->t->rank;
    cutting x = {.c = c};
    wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = true};
    table_extents(l, k, c, at.extent);
    memcpy(x.corner, at.extent + 1, (size_t)rank * sizeof *x.corner);
    for (int f = 0; f < c->values.fields; f++)
        at.field[f] = x.to[f] =
            wadi_lb_scratch(b, c->values.type[f], rank + 1, at.extent, "corners");
    const wadi_lv shapes = wadi_lb_get(b, c->shapes.pointer[0]);
    const wadi_lv begin = wadi_lb_var(b, WADI_I64, false, num(l, 0), "begin");
    const wadi_lv e = wadi_lb_for(b, num(l, 0), at.extent[0], 1, "e");
    for (int d = 0; d < rank; d++)
        x.shape[d] = wadi_lb_fresh(
            b, shapes, bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, e, num(l, rank)), num(l, d)));
    x.begin = wadi_lb_get(b, begin);
    x.place = bin(l, WADI_SOP_MUL, e, wadi_lower_size(l, rank, x.corner));
    wadi_lower_nest(l, rank, x.corner, cut_one, &x);
    wadi_lb_set(b, begin, bin(l, WADI_SOP_ADD, x.begin, wadi_lower_size(l, rank, x.shape)));
    wadi_lb_end(b);
    l->loc[result] = at;
}

/* ---- a fold over chunks: all elements at once, if there are any ---- */

static void fold_chunk(wadi_lower *l, const collecting *k) {
    const wadi_bind *bind = k->bind;
    const wadi_block *r = bind->blocks[0];
    const int n = bind->nargs - 1;
    wadi_borrowed values = {0};
    wadi_holder *h = wadi_holders(l, n, bind->results, "state");
    for (int i = 0; i < n; i++) wadi_borrow(l, bind->args[1 + i], &values);
    if (!h || l->status || l->b.failed) return;
    for (int i = 0; i < n; i++) {
        wadi_holder_set(l, &h[i], bind->args[1 + i]);
        l->loc[r->params[i]] = wadi_inner_place(l, bind->args[1 + i]);
    }
    for (int i = 0; i < k->n; i++) {
        l->loc[r->params[n + 2 * i]] = shapes_of(l, k, &k->c[i]);
        l->loc[r->params[n + 2 * i + 1]] = array_of(l, &k->c[i].values);
    }
    wadi_give_back(l, &values);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_GT, wadi_lb_get(&l->b, k->count), num(l, 0)));
    wadi_lower_run_region(l, r, &values);
    for (int i = 0; i < n && !l->status; i++) wadi_holder_set(l, &h[i], r->yields[i]);
    wadi_give_back(l, &values);
    wadi_lb_end(&l->b);
    for (int i = 0; i < n; i++) l->loc[bind->results[i]] = wadi_holder_get(l, &h[i]);
}

bool wadi_inner_collect(wadi_lower *l, const wadi_bind *bind) {
    const wadi_seq_rule *seq = &bind->op->seq;
    const bool collects = seq->form == WADI_SEQ_COLLECT, folds = seq->form == WADI_SEQ_FOLD_CHUNK;
    if (!collects && !folds) return false;
    collecting k = {.bind = bind};
    k.alike = collects && seq->collect == WADI_COLLECT_TABLE;
    k.least = collects && seq->collect == WADI_COLLECT_LEAST_TABLE;
    k.shapes = folds || k.least || seq->collect == WADI_COLLECT_SEGMENTS;
    collect(l, &k);
    if (l->status || l->b.failed) return true;
    if (folds) {
        fold_chunk(l, &k);
        return true;
    }
    switch (seq->collect) {
    case WADI_COLLECT_VALUES:
        give_elements(l, &k);
        break;
    case WADI_COLLECT_TABLE:
        give_table(l, &k);
        break;
    case WADI_COLLECT_LEAST_TABLE:
        for (int i = 0; i < k.n; i++) give_least(l, &k, &k.c[i], bind->results[i]);
        break;
    case WADI_COLLECT_SEGMENTS:
        give_segments(l, &k);
        break;
    }
    return true;
}
