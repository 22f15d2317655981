/* Scalars that pass from one element of the stream to the next: the state of a fold or scan over the stream.
 *
 * The loop over elements runs in order, in one worker, and the state lives in variables around it, mostly in registers. A
 * state of arrays is different: the runtime passes its memory from element to element (sched/run/fold.c). */
#include "codegen/kernel/body.h"
#include "codegen/kernel/read.h"
static const wadi_elem *elem_of(const wadi_lower *l, const struct wadi_carried *c) {
    return &wadi_type_of(l, c->param)->elem;
}

/* One variable per field, value by value. */
wadi_lv *wadi_carry_begin(wadi_lower *l, const wadi_body *body) {
    wadi_lv *vars = WADI_NEW_N(l->y->arena, wadi_lv, (size_t)body->ncarried * WADI_MAX_FIELDS + 1);
    if (!vars) l->b.failed = true;
    for (int i = 0; i < body->ncarried && !body->keyed && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_type t = elem_of(l, c)->type[f];
            const wadi_lv column = wadi_lb_column(&l->b, c->slot, f, t);
            const wadi_lv first =
                wadi_lb_load(&l->b, column, wadi_lb_i64(&l->b, 0), l->b.fun->body);
            vars[i * WADI_MAX_FIELDS + f] = wadi_lb_var(&l->b, t, false, first, "state");
        }
    }
    return vars;
}

/* The number of the element's state in the tables. */
static wadi_lv number_of(wadi_lower *l, const wadi_body *body) {
    const wadi_lv column = wadi_lb_column(&l->b, body->number, 0, WADI_I64);
    return wadi_lb_load(&l->b, column, l->s, NULL);
}

static wadi_lv table(wadi_lower *l, const struct wadi_carried *c, int f) {
    return wadi_lb_column(&l->b, c->slot, f, elem_of(l, c)->type[f]);
}

void wadi_carry_get(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    const wadi_lv number = body->keyed ? number_of(l, body) : WADI_LV_NONE;
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        l->loc[c->param] = (wadi_vloc){.kind = WADI_LOC_SCALAR};
        for (int f = 0; f < elem_of(l, c)->fields; f++)
            l->loc[c->param].field[f] = body->keyed
                                            ? wadi_lb_fresh(&l->b, table(l, c, f), number)
                                            : wadi_lb_get(&l->b, vars[i * WADI_MAX_FIELDS + f]);
    }
}

/* All next values are read before any variable changes. */
void wadi_carry_next(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    const size_t n = (size_t)body->ncarried * WADI_MAX_FIELDS;
    wadi_lv *next = WADI_NEW_N(l->y->arena, wadi_lv, n + 1);
    if (!next) l->b.failed = true;
    const wadi_lv number = body->keyed ? number_of(l, body) : WADI_LV_NONE;
    for (int i = 0; i < body->ncarried && !l->b.failed; i++)
        wadi_lower_read(l, body->carried[i].next, NULL, next + i * WADI_MAX_FIELDS);
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_lv x = next[i * WADI_MAX_FIELDS + f];
            if (body->keyed)
                wadi_lb_store(&l->b, table(l, c, f), number, x);
            else
                wadi_lb_set(&l->b, vars[i * WADI_MAX_FIELDS + f], x);
            if (c->after < 0) continue;
            wadi_lb_store(&l->b, wadi_lb_column(&l->b, c->after, f, elem_of(l, c)->type[f]), l->s,
                          x);
        }
    }
}

void wadi_carry_end(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    for (int i = 0; i < body->ncarried && !body->keyed && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_lv to = wadi_lb_column(&l->b, c->slot, f, elem_of(l, c)->type[f]);
            const wadi_lv x = wadi_lb_get(&l->b, vars[i * WADI_MAX_FIELDS + f]);
            wadi_lb_store(&l->b, to, wadi_lb_i64(&l->b, 0), x);
        }
    }
}
