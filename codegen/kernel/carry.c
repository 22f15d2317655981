/* Scalars that pass from one element of the stream to the next: the state of a fold or scan over the stream.
 *
 * The loop over elements runs in order, in one worker, and the state lives in variables around it, mostly in registers. Where each key has a state, the
 * variables are that of one key until an element has another: elements of one key in a row do not wait for what the one before has stored. A
 * state of arrays is different: the runtime passes its memory from element to element (sched/run/fold.c). */
#include "codegen/kernel/body.h"
#include "codegen/kernel/read.h"
static const wadi_elem *elem_of(const wadi_lower *l, const struct wadi_carried *c) {
    return &wadi_type_of(l, c->param)->elem;
}

static const int64_t NONE_HELD = INT64_MIN;

/* The entry in the tables: n is said as n or as -1 - n. So whoever knows that keys change often without order can let them differ from each element to the next:
 * then a branch is always taken, instead of guessed wrong. */
static wadi_lv entry(wadi_lower *l, wadi_lv number) {
    const wadi_lv other = wadi_lb_bin(&l->b, WADI_SOP_SUB, wadi_lb_i64(&l->b, -1), number);
    const wadi_lv c = wadi_lb_bin(&l->b, WADI_SOP_LT, number, wadi_lb_i64(&l->b, 0));
    return wadi_lb_select(&l->b, WADI_I64, c, other, number);
}

static wadi_lv table(wadi_lower *l, const struct wadi_carried *c, int f) {
    return wadi_lb_column(&l->b, c->slot, f, elem_of(l, c)->type[f]);
}

/* The variable with what the slot says of the key whose state the others are; NONE_HELD: of none. */
static wadi_lv held(const wadi_body *body, const wadi_lv *vars) {
    return vars[body->ncarried * WADI_MAX_FIELDS];
}

/* One variable per field, value by value. */
wadi_lv *wadi_carry_begin(wadi_lower *l, const wadi_body *body) {
    const int n = body->ncarried * WADI_MAX_FIELDS;
    wadi_lv *vars = WADI_NEW_N(l->y->arena, wadi_lv, (size_t)n + 1);
    if (!vars) l->b.failed = true;
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_type t = elem_of(l, c)->type[f];
            const wadi_lv first = body->keyed ? wadi_lb_const(&l->b, (wadi_scalar){.type = t})
                                              : wadi_lb_load(&l->b, table(l, c, f),
                                                             wadi_lb_i64(&l->b, 0), l->b.fun->body);
            vars[i * WADI_MAX_FIELDS + f] = wadi_lb_var(&l->b, t, false, first, "state");
        }
    }
    if (body->keyed && !l->b.failed)
        vars[n] = wadi_lb_var(&l->b, WADI_I64, false, wadi_lb_i64(&l->b, NONE_HELD), "held");
    return vars;
}

/* The variables go to entry `at` of the slots. */
static void put_back(wadi_lower *l, const wadi_body *body, const wadi_lv *vars, wadi_lv at) {
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_lv to = table(l, c, f);
            wadi_lb_store(&l->b, to, at, wadi_lb_get(&l->b, vars[i * WADI_MAX_FIELDS + f]));
        }
    }
}

static void put_back_held(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    const wadi_lv at = wadi_lb_get(&l->b, held(body, vars));
    wadi_lb_if(&l->b, wadi_lb_bin(&l->b, WADI_SOP_NE, at, wadi_lb_i64(&l->b, NONE_HELD)));
    put_back(l, body, vars, entry(l, at));
    wadi_lb_end(&l->b);
}

/* The variables become the state of the element's key. */
static void change_key(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    const wadi_lv column = wadi_lb_column(&l->b, body->number, 0, WADI_I64);
    const wadi_lv number = wadi_lb_load(&l->b, column, l->s, NULL);
    const wadi_lv at = wadi_lb_get(&l->b, held(body, vars));
    wadi_lb_if(&l->b, wadi_lb_bin(&l->b, WADI_SOP_NE, number, at));
    put_back_held(l, body, vars);
    const wadi_lv from = entry(l, number);
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++)
            wadi_lb_set(&l->b, vars[i * WADI_MAX_FIELDS + f],
                        wadi_lb_fresh(&l->b, table(l, c, f), from));
    }
    wadi_lb_set(&l->b, held(body, vars), number);
    wadi_lb_end(&l->b);
}

void wadi_carry_get(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    if (body->keyed && !l->b.failed) change_key(l, body, vars);
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        l->loc[c->param] = (wadi_vloc){.kind = WADI_LOC_SCALAR};
        for (int f = 0; f < elem_of(l, c)->fields; f++)
            l->loc[c->param].field[f] = wadi_lb_get(&l->b, vars[i * WADI_MAX_FIELDS + f]);
    }
}

/* All next values are read before any variable changes. */
void wadi_carry_next(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    const size_t n = (size_t)body->ncarried * WADI_MAX_FIELDS;
    wadi_lv *next = WADI_NEW_N(l->y->arena, wadi_lv, n + 1);
    if (!next) l->b.failed = true;
    for (int i = 0; i < body->ncarried && !l->b.failed; i++)
        wadi_lower_read(l, body->carried[i].next, NULL, next + i * WADI_MAX_FIELDS);
    for (int i = 0; i < body->ncarried && !l->b.failed; i++) {
        const struct wadi_carried *c = &body->carried[i];
        for (int f = 0; f < elem_of(l, c)->fields; f++) {
            const wadi_lv x = next[i * WADI_MAX_FIELDS + f];
            wadi_lb_set(&l->b, vars[i * WADI_MAX_FIELDS + f], x);
            if (c->after < 0) continue;
            wadi_lb_store(&l->b, wadi_lb_column(&l->b, c->after, f, elem_of(l, c)->type[f]), l->s,
                          x);
        }
    }
}

void wadi_carry_end(wadi_lower *l, const wadi_body *body, const wadi_lv *vars) {
    if (body->ncarried == 0 || l->b.failed) return;
    if (body->keyed)
        put_back_held(l, body, vars);
    else
        put_back(l, body, vars, wadi_lb_i64(&l->b, 0));
}
