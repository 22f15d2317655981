/* The builder of loop IR: makes instructions of values, actions and structure. number.c places them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/format.h"
#include "codegen/loop/number.h"

/* ---- pure values ---- */

/* If all arguments are constant, computes the value. */
static bool fold_constant(wadi_lb *b, wadi_sop op, wadi_type result, int n, const wadi_lv *args,
                          wadi_scalar *out) {
    wadi_scalar x[3];
    if (n > 3) return false;
    for (int a = 0; a < n; a++) {
        const wadi_linst *i = wadi_lb_inst(b, args[a]);
        if (i->kind != WADI_L_CONST) return false;
        x[a] = i->imm;
    }
    return n > 0 && wadi_scalar_eval(op, result, x, out);
}

wadi_lv wadi_lb_prim(wadi_lb *b, wadi_sop op, wadi_type result, int n, const wadi_lv *args) {
    wadi_scalar value;
    wadi_lv x[3] = {WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE};
    for (int a = 0; a < n && a < 3; a++) x[a] = args[a];
    if (fold_constant(b, op, result, n, x, &value)) return wadi_lb_const(b, value);
    const wadi_lv known = wadi_lb_simplify(b, &op, result, &n, x);
    if (known != WADI_LV_NONE) return known;
    const wadi_lv decided = b->interior && n == 2 ? b->decide(b, op, x) : WADI_LV_NONE;
    if (decided != WADI_LV_NONE) return decided;
    wadi_linst *i = wadi_lb_new(b, WADI_L_PRIM, n, x);
    i->op = op;
    i->type = result;
    wadi_lb_estimate(b, i);
    return wadi_lb_pure(b, i);
}

wadi_lv wadi_lb_bin(wadi_lb *b, wadi_sop op, wadi_lv x, wadi_lv y) {
    const wadi_type types[2] = {wadi_lb_type(b, x), wadi_lb_type(b, y)};
    wadi_type t = types[0];
    (void)wadi_sop_type(op, types, &t);
    return wadi_lb_prim(b, op, t, 2, (const wadi_lv[]){x, y});
}

static wadi_lv negated(wadi_lb *b, wadi_lv c) {
    return wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &c);
}

/* A choice between bools as logic. C compilers vectorise that also where bools come of comparisons of different widths. */
static wadi_lv select_bool(wadi_lb *b, wadi_lv c, wadi_lv x, wadi_lv y) {
    int64_t k = 0;
    if (wadi_lb_is_const(b, x, &k))
        return k ? wadi_lb_bin(b, WADI_SOP_LOR, c, y)
                 : wadi_lb_bin(b, WADI_SOP_LAND, negated(b, c), y);
    if (wadi_lb_is_const(b, y, &k))
        return k ? wadi_lb_bin(b, WADI_SOP_LOR, negated(b, c), x)
                 : wadi_lb_bin(b, WADI_SOP_LAND, c, x);
    return wadi_lb_bin(b, WADI_SOP_LOR, wadi_lb_bin(b, WADI_SOP_LAND, c, x),
                       wadi_lb_bin(b, WADI_SOP_LAND, negated(b, c), y));
}

wadi_lv wadi_lb_select(wadi_lb *b, wadi_type t, wadi_lv c, wadi_lv x, wadi_lv y) {
    int64_t known = 0;
    if (x == y) return x;
    if (wadi_lb_is_const(b, c, &known)) return known ? x : y;
    if (t == WADI_BOOL) return select_bool(b, c, x, y);
    wadi_linst *i = wadi_lb_new(b, WADI_L_SELECT, 3, (const wadi_lv[]){c, x, y});
    i->type = t;
    wadi_lb_estimate(b, i);
    return wadi_lb_pure(b, i);
}

wadi_lv wadi_lb_leaf(wadi_lb *b, wadi_lkind kind, int slot, int index, wadi_lv arg) {
    wadi_linst *i = wadi_lb_new(b, kind, arg != WADI_LV_NONE, &arg);
    i->slot = slot;
    i->index = index;
    i->nonneg = true;
    i->bits = WADI_EXTENT_BITS;
    return wadi_lb_pure(b, i);
}

wadi_lv wadi_lb_column(wadi_lb *b, int slot, int field, wadi_type t) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_COLUMN, 0, NULL);
    i->slot = slot;
    i->index = field;
    i->type = t;
    i->pointer = true;
    return wadi_lb_pure(b, i);
}

wadi_lv wadi_lb_advance(wadi_lb *b, wadi_lv pointer, wadi_lv by) {
    int64_t known = 0;
    if (wadi_lb_is_const(b, by, &known) && known == 0) return pointer;
    wadi_linst *i = wadi_lb_new(b, WADI_L_ADVANCE, 2, (const wadi_lv[]){pointer, by});
    i->type = wadi_lb_type(b, pointer);
    i->pointer = true;
    i->text = wadi_lb_inst(b, pointer)->text;
    return wadi_lb_pure(b, i);
}

static wadi_linst *range_new(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_RANGE, 3, (const wadi_lv[]){v, least, most});
    i->nonneg =
        wadi_lb_inst(b, v)->nonneg || (least != WADI_LV_NONE && wadi_lb_inst(b, least)->nonneg);
    i->bits = wadi_lb_inst(b, v)->bits;
    if (least != WADI_LV_NONE && most != WADI_LV_NONE) {
        const uint8_t lo = wadi_lb_inst(b, least)->bits, hi = wadi_lb_inst(b, most)->bits;
        const uint8_t known = lo > hi ? lo : hi;
        if (known < i->bits) i->bits = known;
    }
    return i;
}

/* It stays in the current scope even if its operands live further out, because a branch around it may be what makes it true. */
wadi_lv wadi_lb_range(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    if (wadi_lb_is_const(b, v, NULL)) return v;
    return wadi_lb_pure_within(b, range_new(b, v, least, most), NULL);
}

wadi_lv wadi_lb_fact(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    wadi_linst *i = range_new(b, v, least, most);
    i->has_value = true;
    if (!b->failed) wadi_lb_append(b, b->scope, i);
    return i->self;
}

wadi_lv wadi_lb_load(wadi_lb *b, wadi_lv pointer, wadi_lv at, const wadi_lscope *limit) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_LOAD, 2, (const wadi_lv[]){pointer, at});
    i->type = wadi_lb_type(b, pointer);
    return wadi_lb_pure_within(b, i, limit);
}

/* ---- values and actions that stay where they are made ---- */

static wadi_linst *stay(wadi_lb *b, wadi_lkind kind, bool value, wadi_type t, int n,
                        const wadi_lv *args) {
    wadi_linst *i = wadi_lb_new(b, kind, n, args);
    i->has_value = value;
    i->type = t;
    if (!b->failed) wadi_lb_append(b, b->scope, i);
    return i;
}

wadi_linst *wadi_lb_act(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args) {
    return stay(b, kind, kind == WADI_L_MARK || kind == WADI_L_EMITTED || kind == WADI_L_SEGMENT,
                WADI_I64, n, args);
}

wadi_lv wadi_lb_fresh(wadi_lb *b, wadi_lv pointer, wadi_lv at) {
    return stay(b, WADI_L_FRESH, true, wadi_lb_type(b, pointer), 2, (const wadi_lv[]){pointer, at})
        ->self;
}

wadi_lv wadi_lb_var(wadi_lb *b, wadi_type t, bool pointer, wadi_lv init, const char *name) {
    wadi_linst *i = stay(b, WADI_L_VAR, true, t, init != WADI_LV_NONE, &init);
    i->pointer = pointer;
    i->text = name;
    return i->self;
}

wadi_lv wadi_lb_get(wadi_lb *b, wadi_lv var) {
    wadi_linst *i = stay(b, WADI_L_GET, true, wadi_lb_type(b, var), 1, &var);
    i->pointer = wadi_lb_inst(b, var)->pointer;
    return i->self;
}

void wadi_lb_set(wadi_lb *b, wadi_lv var, wadi_lv v) {
    (void)stay(b, WADI_L_SET, false, WADI_I64, 2, (const wadi_lv[]){var, v});
}

wadi_lv wadi_lb_lanes(wadi_lb *b, wadi_type t, int n, const char *name) {
    wadi_linst *i = stay(b, WADI_L_LANES, true, t, 0, NULL);
    i->index = n;
    i->text = name;
    return i->self;
}

wadi_lv wadi_lb_lane(wadi_lb *b, wadi_lv lanes, wadi_lv at) {
    return stay(b, WADI_L_LANE, true, wadi_lb_type(b, lanes), 2, (const wadi_lv[]){lanes, at})
        ->self;
}

void wadi_lb_put(wadi_lb *b, wadi_lv lanes, wadi_lv at, wadi_lv v) {
    (void)stay(b, WADI_L_PUT, false, WADI_I64, 3, (const wadi_lv[]){lanes, at, v});
}

void wadi_lb_store(wadi_lb *b, wadi_lv pointer, wadi_lv at, wadi_lv v) {
    (void)stay(b, WADI_L_STORE, false, WADI_I64, 3, (const wadi_lv[]){pointer, at, v});
}

void wadi_lb_update(wadi_lb *b, wadi_lv pointer, wadi_lv at, wadi_lv old, wadi_lv v) {
    if (v == old) return; /* another lane may have changed it meanwhile */
    stay(b, WADI_L_STORE, false, WADI_I64, 3, (const wadi_lv[]){pointer, at, v})->atomic = true;
}

wadi_lv wadi_lb_scratch(wadi_lb *b, wadi_type t, int rank, const wadi_lv *extent,
                        const char *name) {
    wadi_linst *i = stay(b, WADI_L_SCRATCH, true, t, rank, extent);
    i->index = b->place;
    i->pointer = true;
    i->text = name;
    return i->self;
}

wadi_lv wadi_lb_near(wadi_lb *b, wadi_type t, wadi_lv n, const char *name) {
    const wadi_lv scratch = wadi_lb_scratch(b, t, 1, &n, name);
    if (!b->failed) wadi_lb_inst(b, scratch)->near = true;
    return scratch;
}

void wadi_lb_note(wadi_lb *b, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    (void)wadi_format_list(text, sizeof text, format, list);
    va_end(list);
    wadi_linst *i = stay(b, WADI_L_NOTE, false, WADI_I64, 0, NULL);
    i->text = wadi_arena_strdup(b->arena, text);
    if (!i->text) b->failed = true;
}

/* ---- structure ---- */

static void open_scope(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner, int branch) {
    wadi_lscope *s = wadi_lb_scope_new(b, kind, owner);
    if (b->failed) return;
    owner->block[branch] = s;
    b->scope = s;
}

wadi_lv wadi_lb_for(wadi_lb *b, wadi_lv from, wadi_lv below, int64_t step, const char *name) {
    const wadi_lv by = wadi_lb_i64(b, step);
    wadi_linst *loop = wadi_lb_new(b, WADI_L_FOR, 3, (const wadi_lv[]){from, below, by});
    open_scope(b, WADI_SCOPE_LOOP, loop, 0);
    wadi_linst *var = wadi_lb_new(b, WADI_L_LOOPVAR, 2, (const wadi_lv[]){from, below});
    var->has_value = true;
    var->nonneg = wadi_lb_inst(b, from)->nonneg;
    var->bits = wadi_lb_inst(b, from)->bits <= WADI_EXTENT_BITS ? WADI_EXTENT_BITS : 64;
    var->text = name;
    loop->var = var->self;
    return var->self;
}

void wadi_lb_if(wadi_lb *b, wadi_lv c) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_IF, 1, &c);
    open_scope(b, WADI_SCOPE_BRANCH, i, 0);
}

void wadi_lb_if_seldom(wadi_lb *b, wadi_lv c) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_IF, 1, &c);
    i->seldom = true;
    open_scope(b, WADI_SCOPE_BRANCH, i, 0);
}

void wadi_lb_if_bulky(wadi_lb *b, wadi_lv c) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_IF, 1, &c);
    i->bulky = true;
    open_scope(b, WADI_SCOPE_BRANCH, i, 0);
}

void wadi_lb_else(wadi_lb *b) {
    if (b->failed) return;
    wadi_linst *owner = b->scope->owner;
    b->scope->open = false;
    b->scope = b->scope->parent;
    open_scope(b, WADI_SCOPE_BRANCH, owner, 1);
}

void wadi_lb_repeat(wadi_lb *b) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_REPEAT, 0, NULL);
    open_scope(b, WADI_SCOPE_LOOP, i, 0);
}

void wadi_lb_repeat_briefly(wadi_lb *b) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_REPEAT, 0, NULL);
    i->brief = true;
    open_scope(b, WADI_SCOPE_LOOP, i, 0);
}

void wadi_lb_leave_unless(wadi_lb *b, wadi_lv c) {
    (void)stay(b, WADI_L_LEAVE, false, WADI_I64, 1, &c);
}

void wadi_lb_end(wadi_lb *b) {
    if (b->failed || !b->scope->parent) return;
    wadi_linst *owner = b->scope->owner;
    b->scope->open = false;
    b->scope = b->scope->parent;
    wadi_lb_append(b, b->scope, owner);
}

wadi_lscope *wadi_lb_aside(wadi_lb *b) {
    wadi_lscope *s = wadi_lb_scope_new(b, WADI_SCOPE_BRANCH, NULL);
    if (!b->failed) b->scope = s;
    return s;
}

void wadi_lb_aside_end(wadi_lb *b, wadi_lscope *s) {
    if (b->failed) return;
    s->open = false;
    b->scope = s->parent;
}

void wadi_lb_merge(wadi_lb *b, wadi_lscope *s) {
    if (b->failed) return;
    for (int i = 0; i < s->n; i++) wadi_lb_append(b, b->scope, s->inst[i]);
    s->merged = b->scope;
    s->n = 0;
}

void wadi_lb_choose(wadi_lb *b, wadi_lv c, wadi_lscope *yes, wadi_lscope *no) {
    wadi_linst *i = stay(b, WADI_L_IF, false, WADI_I64, 1, &c);
    i->block[0] = yes;
    i->block[1] = no;
    yes->owner = no->owner = i;
}

wadi_lscope *wadi_lb_go(wadi_lb *b, wadi_lscope *s) {
    wadi_lscope *old = b->scope;
    if (!b->failed) b->scope = s;
    return old;
}

char *wadi_identifier(wadi_arena *a, const char *name) {
    char *s = wadi_arena_printf(a, "%s%s", wadi_ascii_is_letter(name[0]) ? "" : "v", name);
    for (char *p = s; p && *p; p++)
        if (!wadi_ascii_is_letter_or_digit(*p)) *p = '_';
    return s;
}
