/* Copies are made by way of the builder, so equal parts become one value and are placed as any others. */
#include "codegen/loop/copy.h"

#include "codegen/loop/own.h"

wadi_lcopy wadi_lcopy_begin(wadi_lb *b, const wadi_lscope *of) {
    wadi_lcopy c = {b, of, b->fun->n, WADI_NEW_N(b->arena, wadi_lv, (size_t)b->fun->n + 1)};
    if (!c.made) b->failed = true;
    for (uint32_t v = 0; c.made && v < c.n; v++) c.made[v] = WADI_LV_NONE;
    return c;
}

void wadi_lcopy_put(wadi_lcopy *c, wadi_lv from, wadi_lv to) {
    if (c->made && from < c->n) c->made[from] = to;
}

bool wadi_lcopy_can(const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_CONST:
    case WADI_L_PRIM:
    case WADI_L_SELECT:
    case WADI_L_ARG:
    case WADI_L_SHAPE:
    case WADI_L_STRIDE:
    case WADI_L_OFFSET:
    case WADI_L_UNIT:
    case WADI_L_COLUMN:
    case WADI_L_ADVANCE:
    case WADI_L_RANGE:
    case WADI_L_LOAD:
        return true;
    default:
        return false;
    }
}

static wadi_lv made_of(wadi_lb *b, const wadi_linst *i, const wadi_lv *x) {
    switch (i->kind) {
    case WADI_L_CONST:
        return i->self;
    case WADI_L_PRIM:
        return wadi_lb_prim(b, i->op, i->type, i->nargs, x);
    case WADI_L_SELECT:
        return wadi_lb_select(b, i->type, x[0], x[1], x[2]);
    case WADI_L_ADVANCE:
        return wadi_lb_advance(b, x[0], x[1]);
    case WADI_L_LOAD:
        return wadi_lb_load(b, x[0], x[1], NULL);
    case WADI_L_RANGE:
        return x[0];
    case WADI_L_COLUMN:
        return wadi_lb_column(b, i->slot, i->index, i->type);
    default:
        return wadi_lb_leaf(b, i->kind, i->slot, i->index, i->nargs > 0 ? x[0] : WADI_LV_NONE);
    }
}

wadi_lv wadi_lcopy_of(wadi_lcopy *c, wadi_lv v) {
    wadi_lv x[3] = {WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE};
    if (c->b->failed || v >= c->n) return v;
    if (c->made[v] != WADI_LV_NONE) return c->made[v];
    const wadi_linst *i = wadi_lb_inst(c->b, v);
    if (!wadi_own_is_made_in(c->b->fun, v, c->of)) return v;
    const int n = i->kind == WADI_L_RANGE ? 1 : i->nargs;
    for (int a = 0; a < n && a < 3; a++) x[a] = wadi_lcopy_of(c, i->args[a]);
    return c->made[v] = made_of(c->b, i, x);
}
