/* Numbers that come from elsewhere than constants and units are not known. So sums of what is known do not overflow. */
#include "codegen/loop/span.h"

#include "codegen/loop/own.h"

enum { DEEP = 24 };

static const int64_t far = INT64_C(1) << 40;

static const wadi_linst *inst(const wadi_units *u, wadi_lv v) {
    return u->f->inst[v];
}

static wadi_span span_of(const wadi_units *u, wadi_lv v, const wadi_lscope *at, int deep);

/* ---- units ---- */

static bool is_arg(const wadi_lfun *f, wadi_lv v, int index) {
    return f->inst[v]->kind == WADI_L_ARG && f->inst[v]->index == index;
}

/* The first division of the unit's number is by the units of a row. */
static wadi_lv number_in_row(const wadi_lfun *f, wadi_lv unit) {
    for (uint32_t v = 0; v < f->n; v++) {
        const wadi_linst *i = f->inst[v];
        if (i->kind == WADI_L_PRIM && i->op == WADI_SOP_REM &&
            wadi_own_plain(f, i->args[0]) == unit)
            return f->inst[i->args[1]]->kind != WADI_L_CONST ? v : WADI_LV_NONE;
    }
    return WADI_LV_NONE;
}

wadi_units wadi_units_of(const wadi_lfun *f, bool whole) {
    for (uint32_t v = 0; v < f->n; v++) {
        const wadi_linst *l = f->inst[v];
        if (l->kind != WADI_L_FOR || !is_arg(f, l->args[0], 0) || !is_arg(f, l->args[1], 1))
            continue;
        return (wadi_units){f, l->var, whole ? WADI_LV_NONE : number_in_row(f, l->var)};
    }
    return (wadi_units){f, WADI_LV_NONE, WADI_LV_NONE};
}

static bool is_unit(const wadi_units *u, wadi_lv v) {
    return v != WADI_LV_NONE && (v == u->unit || v == u->in_row);
}

/* ---- bounds ---- */

static void at_least(wadi_span *s, int64_t x) {
    if (!s->has_least || x > s->least) s->least = x;
    s->has_least = true;
}

static void at_most(wadi_span *s, int64_t x) {
    if (!s->has_most || x < s->most) s->most = x;
    s->has_most = true;
}

static wadi_span unknown(void) {
    return (wadi_span){.size = 0};
}

/* What became too large says nothing any more. */
static wadi_span checked(wadi_span s) {
    if (s.size > far || s.size < -far) return unknown();
    if (s.has_least && (s.least > far || s.least < -far)) s.has_least = false;
    if (s.has_most && (s.most > far || s.most < -far)) s.has_most = false;
    return s;
}

static wadi_span exactly(int64_t size, int64_t c) {
    return checked((wadi_span){size, true, true, c, c});
}

static bool is_number(const wadi_span *s) {
    return s->size == 0 && s->has_least && s->has_most && s->least == s->most;
}

/* ---- operations ---- */

static wadi_span sum(const wadi_span *x, const wadi_span *y) {
    return checked((wadi_span){x->size + y->size, x->has_least && y->has_least,
                               x->has_most && y->has_most, x->least + y->least, x->most + y->most});
}

static wadi_span negative(const wadi_span *x) {
    return (wadi_span){-x->size, x->has_most, x->has_least, -x->most, -x->least};
}

static wadi_span times(const wadi_span *x, int64_t c) {
    if (c < 0 || c > INT64_C(1) << 20) return unknown();
    return checked((wadi_span){x->size * c, x->has_least, x->has_most, x->least * c, x->most * c});
}

static wadi_span product(const wadi_span *x, const wadi_span *y) {
    if (is_number(y)) return times(x, y->least);
    return is_number(x) ? times(y, x->least) : unknown();
}

/* Of two that are counted from different places only one can serve: the one with a bound, and of two such the one from the unit. */
static wadi_span one_above(const wadi_span *x, const wadi_span *y) {
    wadi_span s = x->has_most && (x->size != 0 || !y->has_most) ? *x : *y;
    s.has_least = false;
    return s;
}

static wadi_span smaller(const wadi_span *x, const wadi_span *y) {
    if (x->size != y->size) return one_above(x, y);
    wadi_span s = {.size = x->size};
    if (x->has_most) at_most(&s, x->most);
    if (y->has_most) at_most(&s, y->most);
    if (x->has_least && y->has_least) at_least(&s, x->least < y->least ? x->least : y->least);
    return s;
}

static wadi_span larger(const wadi_span *x, const wadi_span *y) {
    const wadi_span a = negative(x), b = negative(y), s = smaller(&a, &b);
    return negative(&s);
}

/* A negative x stays below 0, or a mask makes it less than x. */
static wadi_span masked(const wadi_span *x, const wadi_span *mask) {
    wadi_span s = unknown();
    if (x->size != 0 || mask->size != 0 || !x->has_most) return s;
    if (mask->has_least && mask->least >= 0) return s;
    at_most(&s, x->most > 0 ? x->most : 0);
    return s;
}

static wadi_span quotient(const wadi_span *x, const wadi_span *y) {
    if (x->size != 0 || !is_number(y) || y->least <= 0 || !x->has_least || x->least < 0)
        return unknown();
    return (wadi_span){0, true, x->has_most, x->least / y->least, x->most / y->least};
}

static wadi_span remainder_of(const wadi_span *x, const wadi_span *y) {
    if (!is_number(y) || y->least <= 0) return unknown();
    const bool natural = x->size == 0 && x->has_least && x->least >= 0;
    wadi_span s = {0, true, true, natural ? 0 : 1 - y->least, y->least - 1};
    if (natural && x->has_most) at_most(&s, x->most);
    return s;
}

static wadi_span of_prim(const wadi_units *u, const wadi_linst *i, const wadi_lscope *at,
                         int deep) {
    if (i->nargs != 2) return unknown();
    const wadi_span x = span_of(u, i->args[0], at, deep + 1),
                    y = span_of(u, i->args[1], at, deep + 1), minus = negative(&y);
    switch (i->op) {
    case WADI_SOP_ADD:
        return sum(&x, &y);
    case WADI_SOP_SUB:
        return sum(&x, &minus);
    case WADI_SOP_MUL:
        return product(&x, &y);
    case WADI_SOP_MIN:
        return smaller(&x, &y);
    case WADI_SOP_MAX:
        return larger(&x, &y);
    case WADI_SOP_AND:
        return masked(&x, &y);
    case WADI_SOP_QUOT:
        return quotient(&x, &y);
    case WADI_SOP_REM:
        return remainder_of(&x, &y);
    default:
        return unknown();
    }
}

/* ---- loops and branches ---- */

/* The last round's number is the first one's and a multiple of the step. */
static wadi_span of_rounds(const wadi_span *from, const wadi_span *below, const wadi_span *step) {
    wadi_span s = {from->size, from->has_least, false, from->least, 0};
    if (!below->has_most || below->size != from->size) return s;
    at_most(&s, below->most - 1);
    const bool fixed = from->has_least && from->has_most && from->least == from->most;
    if (fixed && step->has_least && step->least > 1 && below->most > from->least)
        at_most(&s, from->least + (below->most - 1 - from->least) / step->least * step->least);
    return s;
}

static wadi_span of_loop(const wadi_units *u, wadi_lv var, const wadi_lscope *at, int deep) {
    for (uint32_t v = 0; v < u->f->n; v++) {
        const wadi_linst *l = inst(u, v);
        if (l->kind != WADI_L_FOR || l->var != var) continue;
        const wadi_span from = span_of(u, l->args[0], at, deep + 1),
                        below = span_of(u, l->args[1], at, deep + 1),
                        step = span_of(u, l->args[2], at, deep + 1);
        return of_rounds(&from, &below, &step);
    }
    return unknown();
}

static const wadi_lscope *real(const wadi_lscope *s) {
    while (s != NULL && s->merged != NULL) s = s->merged;
    return s;
}

/* What the branches around say of `v`: a < b and a > b. */
static void by_branches(const wadi_units *u, wadi_lv v, const wadi_lscope *at, int deep,
                        wadi_span *out) {
    for (const wadi_lscope *s = real(at); s != NULL; s = real(s->parent)) {
        const wadi_linst *owner = s->owner;
        if (owner == NULL || owner->kind != WADI_L_IF || real(owner->block[0]) != s) continue;
        const wadi_linst *c = inst(u, owner->args[0]);
        if (c->kind != WADI_L_PRIM || c->nargs != 2 || c->args[0] != v) continue;
        const wadi_span other = span_of(u, c->args[1], s->parent, deep + 1);
        if (other.size != out->size) continue;
        if (c->op == WADI_SOP_LT && other.has_most) at_most(out, other.most - 1);
        if (c->op == WADI_SOP_GT && other.has_least) at_least(out, other.least + 1);
    }
}

static wadi_span span_of(const wadi_units *u, wadi_lv v, const wadi_lscope *at, int deep) {
    const wadi_linst *i = inst(u, v);
    wadi_span s = unknown();
    if (deep > DEEP) return s;
    if (is_unit(u, v)) return exactly(1, 0);
    if (i->kind == WADI_L_CONST) return exactly(0, (int64_t)i->imm.bits);
    if (i->kind == WADI_L_RANGE) s = span_of(u, i->args[0], at, deep + 1);
    if (i->kind == WADI_L_LOOPVAR) s = of_loop(u, v, at, deep);
    if (i->kind == WADI_L_PRIM) s = of_prim(u, i, at, deep);
    if (i->nonneg && s.size == 0) at_least(&s, 0);
    by_branches(u, v, at, deep, &s);
    return s;
}

wadi_span wadi_span_of(const wadi_units *u, wadi_lv v, const wadi_lscope *at) {
    return span_of(u, v, at, 0);
}
