/* acond and awhile inside a kernel: a branch, and a loop over a state of arrays.
 *
 * What leaves a branch or changes in a loop is held in variables: the fields of a scalar, or the pointers and extents of an
 * array; elements are not copied on the way out of a branch. A loop whose state keeps its shape has two buffers per array
 * and swaps them, and gives back each round's scratch; a state whose shape changes takes new scratch each round, which is
 * given back with the element. */
#include "codegen/kernel/lower.h"

#include <string.h>

#include "base/error.h"

/* ---- values held in variables ---- */

typedef struct holder {
    wadi_val v;
    const wadi_array_type *t;
    bool opaque; /* its extents are known only at run time */
    wadi_lv field[WADI_MAX_FIELDS], extent[WADI_MAX_RANK]; /* variables */
} holder;

static bool is_opaque(const wadi_lower *l, wadi_val v) {
    for (int d = 0; d < wadi_type_of(l, v)->rank; d++) {
        const wadi_ext e = wadi_shapes_extent(l->y->shapes, v, 0, d);
        const wadi_ext_node *n = e == WADI_EXT_NONE ? NULL : wadi_ext_get(l->y->shapes->extents, e);
        if (!n || (n->kind == WADI_EXT_DIM && n->val == v)) return true;
    }
    return false;
}

static holder declare(wadi_lower *l, wadi_val v, const char *name) {
    holder h = {.v = v, .t = wadi_type_of(l, v), .opaque = is_opaque(l, v)};
    for (int f = 0; f < h.t->elem.fields; f++)
        h.field[f] = wadi_lb_var(&l->b, h.t->elem.type[f], h.t->rank > 0, WADI_LV_NONE, name);
    for (int d = 0; h.opaque && d < h.t->rank; d++)
        h.extent[d] = wadi_lb_var(&l->b, WADI_I64, false, WADI_LV_NONE, "extent");
    return h;
}

/* Sets the variables to stored value `from`. */
static void assign(wadi_lower *l, const holder *h, wadi_val from) {
    wadi_lv x[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    if (h->t->rank == 0) wadi_lower_read(l, from, NULL, x);
    for (int f = 0; f < h->t->elem.fields; f++)
        wadi_lb_set(&l->b, h->field[f], h->t->rank == 0 ? x[f] : wadi_lower_pointer(l, from, f));
    for (int d = 0; h->opaque && d < h->t->rank; d++)
        wadi_lb_set(&l->b, h->extent[d], wadi_lower_extent(l, from, d));
}

/* What the variables hold now, as a place for a value. */
static wadi_vloc held(wadi_lower *l, const holder *h) {
    wadi_vloc at = {.kind = h->t->rank == 0 ? WADI_LOC_SCALAR : WADI_LOC_MEMORY,
                    .own_extents = h->opaque};
    const char *name = l->m->values[h->v].name;
    for (int f = 0; f < h->t->elem.fields; f++)
        at.field[f] = wadi_lb_name(&l->b, wadi_lb_get(&l->b, h->field[f]), name);
    for (int d = 0; h->opaque && d < h->t->rank; d++) {
        at.extent[d] = wadi_lb_get(&l->b, h->extent[d]);
        wadi_lb_inst(&l->b, at.extent[d])->nonneg = true;
        wadi_lb_inst(&l->b, at.extent[d])->bits = WADI_EXTENT_BITS;
    }
    return at;
}

/* Values that had to be stored in a scope that will close: outside it they are delayed again. */
typedef struct borrowed {
    int n;
    wadi_val v[64];
} borrowed;

static void store(wadi_lower *l, wadi_val v, borrowed *out) {
    v = wadi_lower_resolve(l, v);
    const bool delayed = l->loc[v].kind == WADI_LOC_NONE;
    wadi_lower_store(l, v);
    if (delayed && out->n < 64) out->v[out->n++] = v;
}

static void forget(wadi_lower *l, const borrowed *values) {
    for (int i = 0; i < values->n; i++) l->loc[values->v[i]] = (wadi_vloc){.kind = WADI_LOC_NONE};
}

static void region(wadi_lower *l, const wadi_block *r, borrowed *out) {
    out->n = 0;
    wadi_lower_binds(l, r->nbinds, (const wadi_bind *const *)r->binds, NULL);
    for (int i = 0; i < r->nyields; i++) store(l, r->yields[i], out);
}

static holder *holders(wadi_lower *l, int n, const wadi_val *values, const char *name) {
    holder *h = WADI_NEW_N(l->y->arena, holder, (size_t)n);
    if (!h) l->b.failed = true;
    for (int i = 0; h && i < n; i++) h[i] = declare(l, values[i], name);
    return h;
}

/* ---- acond ---- */

void wadi_lower_cond(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv p;
    borrowed values;
    wadi_lower_read(l, bind->args[0], NULL, &p);
    holder *h = holders(l, bind->nresults, bind->results, "chosen");
    if (!h || l->status) return;
    wadi_lb_if(&l->b, p);
    for (int side = 0; side < 2; side++) {
        if (side == 1) wadi_lb_else(&l->b);
        region(l, bind->blocks[side], &values);
        for (int i = 0; i < bind->nresults; i++) assign(l, &h[i], bind->blocks[side]->yields[i]);
        forget(l, &values);
    }
    wadi_lb_end(&l->b);
    for (int i = 0; i < bind->nresults; i++) l->loc[bind->results[i]] = held(l, &h[i]);
}

/* ---- awhile ---- */

typedef struct looping {
    const wadi_bind *bind;
    holder *state, *spare; /* spare: the buffers not in use, when the shape stays */
    bool keeps_shape;
} looping;

static bool keeps_shape(const wadi_lower *l, const wadi_bind *bind) {
    for (int i = 0; i < bind->nargs; i++)
        if (!wadi_shapes_same(l->y->shapes, l->m, bind->args[i], bind->blocks[1]->params[i]))
            return false;
    return true;
}

/* Two buffers per array of the state; the first starts as the initial state. */
static void start_buffers(wadi_lower *l, const looping *o) {
    for (int i = 0; i < o->bind->nargs; i++) {
        const holder *h = &o->state[i], *spare = &o->spare[i];
        wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
        assign(l, h, o->bind->args[i]);
        if (h->t->rank == 0 || !o->keeps_shape) continue;
        wadi_lower_extents(l, o->bind->args[i], extent);
        for (int f = 0; f < h->t->elem.fields; f++) {
            pointer[f] = wadi_lb_scratch(&l->b, h->t->elem.type[f], h->t->rank, extent, "state");
            wadi_lb_set(&l->b, h->field[f], pointer[f]);
            wadi_lb_set(
                &l->b, spare->field[f],
                wadi_lb_scratch(&l->b, h->t->elem.type[f], h->t->rank, extent, "next_state"));
        }
        wadi_lower_copy(l, o->bind->args[i], extent, pointer);
    }
}

static void place_params(wadi_lower *l, const looping *o, int block) {
    for (int i = 0; i < o->bind->nargs; i++)
        l->loc[o->bind->blocks[block]->params[i]] = held(l, &o->state[i]);
}

/* The next state is copied to the buffers not in use, and they change places. */
static void swap_buffers(wadi_lower *l, const looping *o) {
    const wadi_block *body = o->bind->blocks[1];
    for (int i = 0; i < o->bind->nargs; i++) {
        const holder *h = &o->state[i], *spare = &o->spare[i];
        wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
        if (h->t->rank == 0) continue;
        wadi_lower_extents(l, body->yields[i], extent);
        for (int f = 0; f < h->t->elem.fields; f++)
            pointer[f] = wadi_lb_get(&l->b, spare->field[f]);
        wadi_lower_copy(l, body->yields[i], extent, pointer);
    }
    for (int i = 0; i < o->bind->nargs; i++) {
        const holder *h = &o->state[i], *spare = &o->spare[i];
        if (h->t->rank == 0) {
            assign(l, h, body->yields[i]);
            continue;
        }
        for (int f = 0; f < h->t->elem.fields; f++) {
            const wadi_lv fresh = wadi_lb_get(&l->b, spare->field[f]);
            wadi_lb_set(&l->b, spare->field[f], wadi_lb_get(&l->b, h->field[f]));
            wadi_lb_set(&l->b, h->field[f], fresh);
        }
    }
}

/* All variables are set from values that were read before, so the order does not matter. */
static void next_state(wadi_lower *l, const looping *o) {
    for (int i = 0; i < o->bind->nargs; i++) assign(l, &o->state[i], o->bind->blocks[1]->yields[i]);
}

void wadi_lower_loop(wadi_lower *l, const wadi_bind *bind) {
    looping o = {.bind = bind, .keeps_shape = keeps_shape(l, bind)};
    wadi_lv go, mark = WADI_LV_NONE;
    borrowed values = {0};
    o.state = holders(l, bind->nargs, bind->results, "state");
    o.spare = holders(l, bind->nargs, bind->results, "spare");
    for (int i = 0; i < bind->nargs; i++) store(l, bind->args[i], &values);
    if (!o.state || !o.spare || l->status) return;
    start_buffers(l, &o);
    forget(l, &values);
    wadi_lb_repeat(&l->b);
    if (o.keeps_shape) mark = wadi_lb_act(&l->b, WADI_L_MARK, 0, NULL)->self;
    place_params(l, &o, 0);
    region(l, bind->blocks[0], &values);
    wadi_lower_read(l, bind->blocks[0]->yields[0], NULL, &go);
    forget(l, &values);
    wadi_lb_leave_unless(&l->b, go);
    place_params(l, &o, 1);
    region(l, bind->blocks[1], &values);
    if (o.keeps_shape) {
        swap_buffers(l, &o);
        (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
    } else {
        next_state(l, &o);
    }
    forget(l, &values);
    wadi_lb_end(&l->b);
    for (int i = 0; i < bind->nresults; i++) l->loc[bind->results[i]] = held(l, &o.state[i]);
}
