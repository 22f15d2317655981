/* acond and awhile inside a kernel: a branch, and a loop over a state of arrays.
 *
 * What leaves a branch or changes in a loop is held in variables: the fields of a scalar, or the pointers and extents of an
 * array. So elements are not copied on the way out of a branch. A loop whose state keeps its shape has two buffers per array,
 * swaps them, and gives back the scratch memory of each round. A state whose shape changes takes new scratch memory each
 * round, which is given back with the element. */
#include "codegen/kernel/body.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/state.h"

#include <string.h>

/* ---- values held in variables ---- */

static bool is_opaque(const wadi_lower *l, wadi_val v) {
    for (int d = 0; d < wadi_type_of(l, v)->rank; d++) {
        const wadi_ext e = wadi_shapes_extent(l->y->shapes, v, 0, d);
        const wadi_ext_node *n = e == WADI_EXT_NONE ? NULL : wadi_ext_get(l->y->shapes->extents, e);
        if (!n || (n->kind == WADI_EXT_DIM && n->val == v)) return true;
    }
    return false;
}

static wadi_holder declare(wadi_lower *l, wadi_val v, const char *name) {
    wadi_holder h = {.v = v, .t = wadi_type_of(l, v), .opaque = is_opaque(l, v)};
    for (int f = 0; f < h.t->elem.fields; f++)
        h.field[f] = wadi_lb_var(&l->b, h.t->elem.type[f], h.t->rank > 0, WADI_LV_NONE, name);
    for (int d = 0; h.opaque && d < h.t->rank; d++)
        h.extent[d] = wadi_lb_var(&l->b, WADI_I64, false, WADI_LV_NONE, "extent");
    return h;
}

void wadi_holder_set(wadi_lower *l, const wadi_holder *h, wadi_val from) {
    wadi_lv x[WADI_MAX_FIELDS];
    if (l->status || l->b.failed) return;
    if (h->t->rank == 0) wadi_lower_read(l, from, NULL, x);
    for (int f = 0; f < h->t->elem.fields; f++)
        wadi_lb_set(&l->b, h->field[f], h->t->rank == 0 ? x[f] : wadi_lower_pointer(l, from, f));
    for (int d = 0; h->opaque && d < h->t->rank; d++)
        wadi_lb_set(&l->b, h->extent[d], wadi_lower_extent(l, from, d));
}

wadi_vloc wadi_holder_get(wadi_lower *l, const wadi_holder *h) {
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

void wadi_borrow(wadi_lower *l, wadi_val v, wadi_borrowed *out) {
    v = wadi_lower_resolve(l, v);
    const bool delayed = l->loc[v].kind == WADI_LOC_NONE;
    wadi_lower_store(l, v);
    if (delayed && out->n < 64) out->v[out->n++] = v;
}

void wadi_give_back(wadi_lower *l, const wadi_borrowed *values) {
    for (int i = 0; i < values->n; i++) l->loc[values->v[i]] = (wadi_vloc){.kind = WADI_LOC_NONE};
}

void wadi_lower_run_region(wadi_lower *l, const wadi_block *r, wadi_borrowed *out) {
    out->n = 0;
    wadi_lower_binds(l, r->nbinds, (const wadi_bind *const *)r->binds, NULL);
    for (int i = 0; i < r->nyields; i++) wadi_borrow(l, r->yields[i], out);
}

wadi_holder *wadi_holders(wadi_lower *l, int n, const wadi_val *values, const char *name) {
    wadi_holder *h = WADI_NEW_N(l->y->arena, wadi_holder, (size_t)n + 1);
    if (!h) l->b.failed = true;
    for (int i = 0; h && i < n; i++) h[i] = declare(l, values[i], name);
    return h;
}

/* ---- acond ---- */

void wadi_lower_cond(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv p;
    wadi_borrowed values;
    wadi_lower_read(l, bind->args[0], NULL, &p);
    wadi_holder *h = wadi_holders(l, bind->nresults, bind->results, "chosen");
    if (!h || l->status) return;
    wadi_lb_if(&l->b, p);
    for (int side = 0; side < 2; side++) {
        if (side == 1) wadi_lb_else(&l->b);
        wadi_lower_run_region(l, bind->blocks[side], &values);
        for (int i = 0; i < bind->nresults; i++)
            wadi_holder_set(l, &h[i], bind->blocks[side]->yields[i]);
        wadi_give_back(l, &values);
    }
    wadi_lb_end(&l->b);
    for (int i = 0; i < bind->nresults; i++) l->loc[bind->results[i]] = wadi_holder_get(l, &h[i]);
}

/* ---- states ---- */

static bool keeps_shape(const wadi_lower *l, const wadi_round_state *s) {
    for (int i = 0; i < s->n; i++)
        if (!wadi_shapes_same(l->y->shapes, l->m, s->init[i], s->params[i])) return false;
    return true;
}

/* Two buffers per array of the state; the first starts as the initial state. */
static void start_buffers(wadi_lower *l, const wadi_round_state *s) {
    for (int i = 0; i < s->n; i++) {
        const wadi_holder *h = &s->now[i], *spare = &s->spare[i];
        wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
        wadi_holder_set(l, h, s->init[i]);
        if (h->t->rank == 0 || !s->keeps_shape) continue;
        wadi_lower_extents(l, s->init[i], extent);
        for (int f = 0; f < h->t->elem.fields; f++) {
            pointer[f] = wadi_lb_scratch(&l->b, h->t->elem.type[f], h->t->rank, extent, "state");
            wadi_lb_set(&l->b, h->field[f], pointer[f]);
            wadi_lb_set(
                &l->b, spare->field[f],
                wadi_lb_scratch(&l->b, h->t->elem.type[f], h->t->rank, extent, "next_state"));
        }
        wadi_lower_copy(l, s->init[i], extent, pointer);
    }
}

void wadi_round_state_start(wadi_lower *l, wadi_round_state *s) {
    wadi_borrowed values = {0};
    s->keeps_shape = keeps_shape(l, s);
    s->now = wadi_holders(l, s->n, s->results, "state");
    s->spare = wadi_holders(l, s->n, s->results, "spare");
    for (int i = 0; i < s->n; i++) wadi_borrow(l, s->init[i], &values);
    if (!s->now || !s->spare || l->status) return;
    start_buffers(l, s);
    wadi_give_back(l, &values);
}

void wadi_round_state_place(wadi_lower *l, const wadi_round_state *s, const wadi_val *params) {
    for (int i = 0; i < s->n; i++) l->loc[params[i]] = wadi_holder_get(l, &s->now[i]);
}

/* Copies the next state to the buffers not in use, but for what was computed there; then the two buffers change places. */
static void swap_buffers(wadi_lower *l, const wadi_round_state *s) {
    for (int i = 0; i < s->n; i++) {
        const wadi_holder *h = &s->now[i], *spare = &s->spare[i];
        wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
        l->aimed[s->yields[i]] = NULL;
        if (h->t->rank == 0 || spare->written) continue;
        wadi_lower_extents(l, s->yields[i], extent);
        for (int f = 0; f < h->t->elem.fields; f++)
            pointer[f] = wadi_lb_get(&l->b, spare->field[f]);
        wadi_lower_copy(l, s->yields[i], extent, pointer);
    }
    for (int i = 0; i < s->n; i++) {
        const wadi_holder *h = &s->now[i], *spare = &s->spare[i];
        if (h->t->rank == 0) {
            wadi_holder_set(l, h, s->yields[i]);
            continue;
        }
        for (int f = 0; f < h->t->elem.fields; f++) {
            const wadi_lv fresh = wadi_lb_get(&l->b, spare->field[f]);
            wadi_lb_set(&l->b, spare->field[f], wadi_lb_get(&l->b, h->field[f]));
            wadi_lb_set(&l->b, h->field[f], fresh);
        }
    }
}

/* The new values were all read before, so the variables may be set in any order. */
void wadi_round_state_next(wadi_lower *l, const wadi_round_state *s) {
    if (s->keeps_shape) {
        swap_buffers(l, s);
        return;
    }
    for (int i = 0; i < s->n; i++) wadi_holder_set(l, &s->now[i], s->yields[i]);
}

/* ---- awhile ---- */

void wadi_lower_loop(wadi_lower *l, const wadi_bind *bind) {
    const wadi_block *pred = bind->blocks[0], *body = bind->blocks[1];
    wadi_round_state s = {.n = bind->nargs,
                          .init = bind->args,
                          .params = body->params,
                          .yields = body->yields,
                          .results = bind->results};
    wadi_lv go, mark = WADI_LV_NONE;
    wadi_borrowed values = {0};
    wadi_round_state_start(l, &s);
    if (!s.now || !s.spare || l->status) return;
    wadi_lb_repeat(&l->b);
    if (s.keeps_shape) mark = wadi_lb_act(&l->b, WADI_L_MARK, 0, NULL)->self;
    wadi_round_state_place(l, &s, pred->params);
    wadi_lower_run_region(l, pred, &values);
    wadi_lower_read(l, pred->yields[0], NULL, &go);
    wadi_give_back(l, &values);
    wadi_lb_leave_unless(&l->b, go);
    wadi_round_state_place(l, &s, body->params);
    wadi_round_state_aim(l, &s, body);
    wadi_lower_run_region(l, body, &values);
    wadi_round_state_next(l, &s);
    if (s.keeps_shape) (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
    wadi_give_back(l, &values);
    wadi_lb_end(&l->b);
    for (int i = 0; i < bind->nresults; i++)
        l->loc[bind->results[i]] = wadi_holder_get(l, &s.now[i]);
}
