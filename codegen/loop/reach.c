/* A load is of its unit's piece in two cases. Its place is one that the same round stores to. Or its place is the number of the unit, times a
 * constant, and something from 0 up to below that constant: so the blocks of a fold are read. */
#include "codegen/loop/reach.h"

#include "codegen/loop/own.h"

enum { SLOTS = 64, NOWHERE = -1, UNKNOWN = -2, DEEP = 24 };

typedef struct reach {
    const wadi_lfun *f;
    int target, rank;
    int64_t piece;
    bool known;
    int n;
    wadi_plan_touch of[SLOTS];
} reach;

static const wadi_linst *inst(const reach *r, wadi_lv v) {
    return r->f->inst[v];
}

/* The slot that the pointer points into. */
static int slot_of(const reach *r, wadi_lv pointer) {
    const wadi_linst *i = inst(r, pointer);
    while (i->kind == WADI_L_ADVANCE) i = inst(r, i->args[0]);
    if (i->kind == WADI_L_COLUMN) return i->slot;
    return i->kind == WADI_L_SCRATCH ? NOWHERE : UNKNOWN;
}

static wadi_plan_touch *touch_of(reach *r, int slot) {
    for (int i = 0; i < r->n; i++)
        if (r->of[i].slot == slot) return &r->of[i];
    if (r->n == SLOTS) return NULL;
    r->of[r->n] = (wadi_plan_touch){.slot = slot, .own = -1};
    return &r->of[r->n++];
}

/* own: elements of a unit's piece; 0: any. */
static void add(reach *r, int slot, bool writes, int64_t own) {
    if (slot == NOWHERE) return;
    wadi_plan_touch *t = slot == UNKNOWN ? NULL : touch_of(r, slot);
    if (t == NULL) {
        r->known = false;
        return;
    }
    t->reads = t->reads || !writes;
    t->writes = t->writes || writes;
    t->own = t->own < 0 || t->own == own ? own : 0;
}

/* ---- places that are stored to ---- */

static wadi_lv advanced_by(const reach *r, wadi_lv pointer) {
    const wadi_linst *i = inst(r, pointer);
    return i->kind == WADI_L_ADVANCE ? i->args[1] : WADI_LV_NONE;
}

/* Whether what is stored is in the piece of the unit, and the load is at the same place in the same round. */
static bool is_stored_to(const reach *r, const wadi_linst *load) {
    for (uint32_t v = 0; v < r->f->n; v++) {
        const wadi_linst *s = inst(r, v);
        if (s->kind != WADI_L_STORE || slot_of(r, s->args[0]) != r->target) continue;
        if (wadi_own_plain(r->f, s->args[1]) != wadi_own_plain(r->f, load->args[1])) continue;
        if (advanced_by(r, s->args[0]) != advanced_by(r, load->args[0])) continue;
        if (wadi_own_is_made_in(r->f, load->self, s->scope)) return true;
    }
    return false;
}

/* ---- bounds ---- */

typedef struct bounds {
    bool has_least, has_most;
    int64_t least, most;
} bounds;

static bounds bounds_of(const reach *r, wadi_lv v, const wadi_lscope *at, int deep);

static const wadi_lscope *real(const wadi_lscope *s) {
    while (s != NULL && s->merged != NULL) s = s->merged;
    return s;
}

static void at_least(bounds *b, int64_t x) {
    if (!b->has_least || x > b->least) b->least = x;
    b->has_least = true;
}

static void at_most(bounds *b, int64_t x) {
    if (!b->has_most || x < b->most) b->most = x;
    b->has_most = true;
}

/* What the branches around say of `v`: a < b and a > b. */
static void by_branches(const reach *r, wadi_lv v, const wadi_lscope *at, int deep, bounds *b) {
    for (const wadi_lscope *s = real(at); s != NULL; s = real(s->parent)) {
        const wadi_linst *owner = s->owner;
        if (owner == NULL || owner->kind != WADI_L_IF || real(owner->block[0]) != s) continue;
        const wadi_linst *c = inst(r, owner->args[0]);
        if (c->kind != WADI_L_PRIM || c->nargs != 2 || c->args[0] != v) continue;
        const bounds other = bounds_of(r, c->args[1], s->parent, deep + 1);
        if (c->op == WADI_SOP_LT && other.has_most) at_most(b, other.most - 1);
        if (c->op == WADI_SOP_GT && other.has_least) at_least(b, other.least + 1);
    }
}

/* The last round's number is the first one's and a multiple of the step. */
static void of_loop(const reach *r, wadi_lv var, const wadi_lscope *at, int deep, bounds *b) {
    for (uint32_t v = 0; v < r->f->n; v++) {
        const wadi_linst *l = inst(r, v);
        if (l->kind != WADI_L_FOR || l->var != var) continue;
        const bounds from = bounds_of(r, l->args[0], at, deep + 1),
                     below = bounds_of(r, l->args[1], at, deep + 1),
                     step = bounds_of(r, l->args[2], at, deep + 1);
        if (from.has_least) at_least(b, from.least);
        if (!below.has_most) return;
        at_most(b, below.most - 1);
        const bool fixed = from.has_least && from.has_most && from.least == from.most;
        if (fixed && step.has_least && step.least > 1 && below.most > from.least)
            at_most(b, from.least + (below.most - 1 - from.least) / step.least * step.least);
        return;
    }
}

static void of_prim(const reach *r, const wadi_linst *i, const wadi_lscope *at, int deep,
                    bounds *b) {
    if (i->kind != WADI_L_PRIM || i->nargs != 2) return;
    const bounds x = bounds_of(r, i->args[0], at, deep + 1),
                 y = bounds_of(r, i->args[1], at, deep + 1);
    if (i->op == WADI_SOP_MIN) {
        if (x.has_most) at_most(b, x.most);
        if (y.has_most) at_most(b, y.most);
        if (x.has_least && y.has_least) at_least(b, x.least < y.least ? x.least : y.least);
    } else if (i->op == WADI_SOP_ADD) {
        if (x.has_most && y.has_most) at_most(b, x.most + y.most);
        if (x.has_least && y.has_least) at_least(b, x.least + y.least);
    } else if (i->op == WADI_SOP_AND && x.has_most) {
        at_most(b, x.most > 0 ? x.most
                              : 0); /* a negative x stays below 0, or a mask makes it less than x */
        if (y.has_least && y.least >= 0) b->has_most = false;
    }
}

/* Of an i64 where scope `at` is reached. Numbers from other places than constants are left out if they could overflow. */
static bounds bounds_of(const reach *r, wadi_lv v, const wadi_lscope *at, int deep) {
    const wadi_linst *i = inst(r, v);
    bounds b = {false, false, 0, 0};
    if (deep > DEEP) return b;
    if (i->kind == WADI_L_CONST) {
        const int64_t c = (int64_t)i->imm.bits;
        if (c > -(INT64_C(1) << 40) && c < INT64_C(1) << 40) b = (bounds){true, true, c, c};
        return b;
    }
    if (i->kind == WADI_L_RANGE) b = bounds_of(r, i->args[0], at, deep + 1);
    if (i->kind == WADI_L_LOOPVAR) of_loop(r, v, at, deep, &b);
    of_prim(r, i, at, deep, &b);
    if (i->nonneg) at_least(&b, 0);
    by_branches(r, v, at, deep, &b);
    return b;
}

/* ---- blocks ---- */

/* Whether `v` is the number of the unit: units that write one element each store it there. */
static bool is_unit(const reach *r, wadi_lv v) {
    for (uint32_t k = 0; k < r->f->n; k++) {
        const wadi_linst *s = inst(r, k);
        if (s->kind == WADI_L_STORE && slot_of(r, s->args[0]) == r->target &&
            wadi_own_plain(r->f, s->args[1]) == wadi_own_plain(r->f, v))
            return true;
    }
    return false;
}

/* Takes v apart into terms: *size becomes the factor of the unit's number, the rest is added to *rest. */
static bool take_terms(const reach *r, wadi_lv v, const wadi_lscope *at, int64_t *size,
                       bounds *rest) {
    const wadi_linst *i = inst(r, wadi_own_plain(r->f, v));
    if (i->kind == WADI_L_PRIM && i->op == WADI_SOP_MUL && is_unit(r, i->args[0])) {
        const bounds by = bounds_of(r, i->args[1], at, 0);
        if (*size != 0 || !by.has_most || by.least != by.most || by.least <= 0) return false;
        *size = by.least;
        return true;
    }
    if (i->kind == WADI_L_PRIM && i->op == WADI_SOP_ADD)
        return take_terms(r, i->args[0], at, size, rest) &&
               take_terms(r, i->args[1], at, size, rest);
    const bounds b = bounds_of(r, i->self, at, 0);
    if (!b.has_least || !b.has_most) return false;
    rest->least += b.least;
    rest->most += b.most;
    return true;
}

/* Elements of the blocks that units read; 0: it is no such load. */
static int64_t block_of(const reach *r, const wadi_linst *load) {
    bounds rest = {true, true, 0, 0};
    int64_t size = 0;
    if (r->piece != 1 || r->rank != 1 || advanced_by(r, load->args[0]) != WADI_LV_NONE) return 0;
    if (!take_terms(r, load->args[1], load->scope, &size, &rest)) return 0;
    return rest.least >= 0 && rest.most < size ? size : 0;
}

/* ---- all instructions ---- */

static void look_at(reach *r, const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_LOAD:
    case WADI_L_FRESH:
        add(r, slot_of(r, i->args[0]), false,
            r->piece > 0 && is_stored_to(r, i) ? r->piece : block_of(r, i));
        break;
    case WADI_L_STORE: {
        const int slot = slot_of(r, i->args[0]);
        add(r, slot, true, slot == r->target ? r->piece : 0);
        if (i->atomic) add(r, slot, false, 0);
        break;
    }
    case WADI_L_COPY:
        add(r, slot_of(r, i->args[0]), true, 0);
        add(r, slot_of(r, i->args[1]), false, 0);
        break;
    case WADI_L_FOREIGN:
    case WADI_L_EMIT:
        r->known = false;
        break;
    default:
        break;
    }
}

wadi_plan_touches wadi_reach_of(const wadi_lfun *f, int target, int rank, int64_t piece,
                                wadi_arena *keep) {
    reach r = {.f = f, .target = target, .rank = rank, .piece = piece, .known = true};
    for (uint32_t v = 0; v < f->n; v++) look_at(&r, f->inst[v]);
    wadi_plan_touch *of = WADI_NEW_N(keep, wadi_plan_touch, (size_t)r.n + 1);
    if (!r.known || !of) return (wadi_plan_touches){.known = false};
    for (int i = 0; i < r.n; i++) of[i] = r.of[i];
    return (wadi_plan_touches){.known = true, .n = r.n, .of = of, .target = target, .piece = piece};
}
