/* What lanes use, and when they must wait for it. */
#include "codegen/emit/lanes/order.h"

#include <stdlib.h>

#include "codegen/emit/lanes/apart.h"
#include "codegen/loop/own.h"

/* ---- lane arrays of the group ---- */

static void find_shared(wadi_c_order *o, const wadi_lscope *s, const wadi_lscope *lanes) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        const bool by_lanes = i->kind == WADI_L_FOR && i->by == WADI_BY_LANES;
        if (i->kind == WADI_L_PUT && lanes != NULL && !wadi_own_is_made_in(o->f, i->args[0], lanes))
            o->shared[i->args[0]] = 1;
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL) find_shared(o, i->block[b], by_lanes ? i->block[0] : lanes);
    }
}

static void find_updated(wadi_c_order *o) {
    for (uint32_t v = 0; v < o->f->n; v++) {
        const wadi_linst *store = o->f->inst[v];
        if (store->kind != WADI_L_STORE || !store->atomic) continue;
        const wadi_linst *value = o->f->inst[store->args[2]];
        for (int a = 0; a < value->nargs; a++)
            if (o->f->inst[value->args[a]]->kind == WADI_L_FRESH) o->updated[value->args[a]] = 1;
    }
}

bool wadi_c_order_init(wadi_c_order *o, const wadi_lfun *f, const wadi_c_names *names) {
    *o = (wadi_c_order){
        .f = f, .names = names, .shared = calloc(f->n + 1, 1), .updated = calloc(f->n + 1, 1)};
    if (o->shared == NULL || o->updated == NULL) return false;
    find_shared(o, f->body, NULL);
    find_updated(o);
    return true;
}

void wadi_c_order_fini(wadi_c_order *o) {
    free(o->shared);
    free(o->updated);
    wadi_vec_free(&o->pending);
}

/* ---- uses ---- */

static bool is_same(const wadi_c_use *x, const wadi_c_use *y) {
    if (x->memory != y->memory) return false;
    return x->what == y->what ||
           (x->memory && (x->what == WADI_LV_NONE || y->what == WADI_LV_NONE));
}

static bool conflict(const wadi_c_use *x, const wadi_c_use *y) {
    const bool alike = x->way == y->way && x->way != WADI_C_STORES;
    return is_same(x, y) && !alike && !(x->alone && y->alone);
}

static bool conflicts(const wadi_c_uses *x, const wadi_c_uses *y) {
    for (size_t a = 0; a < x->n; a++)
        for (size_t b = 0; b < y->n; b++)
            if (conflict(&x->at[a], &y->at[b])) return true;
    return false;
}

static void add(wadi_c_order *o, wadi_c_uses *to, wadi_c_use use) {
    for (size_t k = 0; k < to->n; k++) {
        const wadi_c_use *u = &to->at[k];
        if (u->what == use.what && u->memory == use.memory && u->way == use.way &&
            u->alone == use.alone)
            return;
    }
    if (!wadi_vec_push(to, use)) o->failed = true;
}

static void add_all(wadi_c_order *o, wadi_c_uses *to, const wadi_c_uses *from) {
    for (size_t k = 0; k < from->n; k++) add(o, to, from->at[k]);
}

static void add_memory(wadi_c_order *o, wadi_c_uses *to, wadi_lv pointer, wadi_c_way way,
                       bool alone) {
    add(o, to, (wadi_c_use){wadi_c_apart_root(o->f, pointer), true, way, alone});
}

static void add_array(wadi_c_order *o, wadi_c_uses *to, wadi_lv array, wadi_c_way way, bool alone) {
    if (o->shared[array]) add(o, to, (wadi_c_use){array, false, way, alone});
}

/* Where a use stands: which loops are around it. */
typedef struct place {
    const wadi_linst *around; /* the loop whose rounds are about to begin, or NULL */
    const wadi_linst *lanes;  /* the loop by lanes around, or NULL */
    bool alone;               /* one lane is there */
} place;

static bool is_alone(const wadi_lfun *f, const wadi_linst *loop) {
    const wadi_linst *from = f->inst[loop->args[0]], *below = f->inst[loop->args[1]];
    return from->kind == WADI_L_CONST && below->kind == WADI_L_CONST && from->imm.bits == 0 &&
           below->imm.bits <= 1;
}

/* Adds what one instruction uses. Between loops by lanes, the first lane stores and all load. */
static void add_one(wadi_c_order *o, wadi_c_uses *to, const wadi_linst *i, const place *p) {
    const bool stores_alone = p->lanes == NULL || p->alone;
    const wadi_c_value *value = &o->names->at[i->self];
    if (!value->printed && !value->inlined) return;
    switch (i->kind) {
    case WADI_L_LANE:
        add_array(o, to, i->args[0], WADI_C_LOADS, p->alone);
        break;
    case WADI_L_PUT:
        add_array(o, to, i->args[0], WADI_C_STORES, p->alone);
        break;
    case WADI_L_FRESH:
        add_memory(o, to, i->args[0], o->updated[i->self] ? WADI_C_UPDATES : WADI_C_LOADS,
                   p->alone);
        break;
    case WADI_L_STORE:
        if (p->around != NULL && p->lanes != NULL && wadi_c_apart(o->f, p->around, p->lanes, i))
            break;
        add_memory(o, to, i->args[0], i->atomic ? WADI_C_UPDATES : WADI_C_STORES, stores_alone);
        break;
    case WADI_L_COPY:
        add_memory(o, to, i->args[0], WADI_C_STORES, stores_alone);
        add_memory(o, to, i->args[1], WADI_C_LOADS, stores_alone);
        break;
    default:
        break;
    }
}

static void add_scope(wadi_c_order *o, wadi_c_uses *to, const wadi_lscope *s, const place *p) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        place in = *p;
        add_one(o, to, i, p);
        if (i->kind == WADI_L_FOR && i->by == WADI_BY_LANES) {
            in.lanes = i;
            in.alone = is_alone(o->f, i);
        }
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL) add_scope(o, to, i->block[b], &in);
    }
}

/* ---- waiting ---- */

void wadi_c_order_waited(wadi_c_order *o) {
    o->pending.n = 0;
}

/* Rounds of a loop by groups are for different groups, which never wait for each other; but their lane arrays are the same. */
static void forget_memory(wadi_c_uses *uses) {
    size_t n = 0;
    for (size_t k = 0; k < uses->n; k++)
        if (!uses->at[k].memory) uses->at[n++] = uses->at[k];
    uses->n = n;
}

/* A loop whose rounds follow each other is about to begin. Each round meets what the last one has used. */
static bool waits_for_rounds(wadi_c_order *o, const wadi_linst *i) {
    wadi_c_uses all = {0}, again = {0};
    const place first = {NULL, NULL, false}, next = {i, NULL, false};
    add_scope(o, &all, i->block[0], &first);
    add_scope(o, &again, i->block[0], &next);
    if (i->kind == WADI_L_FOR && i->by == WADI_BY_GROUPS) forget_memory(&again);
    const bool waits = conflicts(&o->pending, &all);
    if (waits) wadi_c_order_waited(o);
    add_all(o, &o->pending, &again);
    wadi_vec_free(&all);
    wadi_vec_free(&again);
    return waits;
}

bool wadi_c_order_waits(wadi_c_order *o, const wadi_linst *i) {
    const bool by_lanes = i->kind == WADI_L_FOR && i->by == WADI_BY_LANES;
    if (i->kind == WADI_L_REPEAT || (i->kind == WADI_L_FOR && !by_lanes))
        return waits_for_rounds(o, i);
    wadi_c_uses now = {0};
    const place p = {NULL, by_lanes ? i : NULL, by_lanes && is_alone(o->f, i)};
    if (by_lanes)
        add_scope(o, &now, i->block[0], &p);
    else
        add_one(o, &now, i, &p);
    const bool waits = conflicts(&o->pending, &now);
    if (waits) wadi_c_order_waited(o);
    add_all(o, &o->pending, &now);
    wadi_vec_free(&now);
    return waits;
}

/* ---- branches ---- */

wadi_c_uses wadi_c_order_fork(wadi_c_order *o) {
    wadi_c_uses copy = {0};
    add_all(o, &copy, &o->pending);
    return copy;
}

void wadi_c_order_turn(wadi_c_order *o, wadi_c_uses *other) {
    const wadi_c_uses now = o->pending;
    o->pending = *other;
    *other = now;
}

void wadi_c_order_join(wadi_c_order *o, wadi_c_uses *other) {
    add_all(o, &o->pending, other);
    wadi_vec_free(other);
}
