/* The builder of loop IR: where an instruction goes, and whether it is there already.
 *
 * A scope that is still open is not yet part of its parent's list: the instruction that owns it is appended when it is
 * closed. So whatever is placed further out while an inner scope is open comes before it, which is all that hoisting
 * needs. */
#include "codegen/kernel/loop.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* ---- scopes ---- */

static wadi_lscope *root_of(wadi_lscope *s) {
    while (s && s->merged) s = s->merged;
    return s;
}

static wadi_lscope *scope_new(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner) {
    wadi_lscope *s = WADI_NEW(b->arena, wadi_lscope);
    if (!s) {
        b->failed = true;
        return b->scope;
    }
    *s = (wadi_lscope){.kind = kind,
                       .parent = b->scope,
                       .owner = owner,
                       .open = true,
                       .depth = b->scope ? b->scope->depth + 1 : 0};
    return s;
}

/* Whether `outer` is `inner` or around it. */
static bool encloses(const wadi_lscope *outer, const wadi_lscope *inner) {
    while (inner && inner->depth > outer->depth) inner = inner->parent;
    return inner == outer;
}

static void scope_append(wadi_lb *b, wadi_lscope *s, wadi_linst *i) {
    if (s->n == s->cap) {
        const int cap = s->cap ? 2 * s->cap : 8;
        wadi_linst **fresh = WADI_NEW_N(b->arena, wadi_linst *, (size_t)cap);
        if (!fresh) {
            b->failed = true;
            return;
        }
        if (s->n > 0) memcpy(fresh, s->inst, (size_t)s->n * sizeof *fresh);
        s->inst = fresh;
        s->cap = cap;
    }
    s->inst[s->n++] = i;
    i->scope = s;
}

/* ---- instructions ---- */

void wadi_lb_init(wadi_lb *b, wadi_arena *arena, const char *name) {
    static wadi_lv no_args[] = {WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE};
    *b = (wadi_lb){.arena = arena, .place = -1, .spare = {.args = no_args}};
    wadi_map64_init(&b->numbers);
    b->fun = WADI_NEW(arena, wadi_lfun);
    static wadi_lfun nothing;
    if (!b->fun) {
        b->failed = true;
        b->fun = &nothing;
    }
    b->fun->name = name;
    b->scope = scope_new(b, WADI_SCOPE_FUNCTION, NULL);
    if (b->scope == NULL) {
        b->failed = true;
        return;
    }
    b->fun->body = b->scope;
    b->spare.scope = b->scope;
}

void wadi_lb_fini(wadi_lb *b) {
    wadi_map64_fini(&b->numbers);
}

static bool number_room(wadi_lb *b) {
    wadi_lfun *f = b->fun;
    if (f->n < f->cap) return true;
    const uint32_t cap = f->cap ? 2 * f->cap : 64;
    wadi_linst **inst = WADI_NEW_N(b->arena, wadi_linst *, cap);
    uint32_t *same = WADI_NEW_N(b->arena, uint32_t, cap);
    if (!inst || !same) return false;
    if (f->n > 0) {
        memcpy(inst, f->inst, f->n * sizeof *inst);
        memcpy(same, b->same, f->n * sizeof *same);
    }
    f->inst = inst;
    b->same = same;
    f->cap = b->same_cap = cap;
    return true;
}

/* A numbered instruction that stands nowhere yet. */
static wadi_linst *inst_new(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args) {
    wadi_linst *i = b->scope && number_room(b) ? WADI_NEW(b->arena, wadi_linst) : NULL;
    wadi_lv *copy = i ? WADI_NEW_N(b->arena, wadi_lv, (size_t)(n ? n : 1)) : NULL;
    if (!copy) {
        b->failed = true;
        return &b->spare;
    }
    if (n > 0) memcpy(copy, args, (size_t)n * sizeof *copy);
    *i = (wadi_linst){.kind = kind,
                      .type = WADI_I64,
                      .slot = -1,
                      .nargs = n,
                      .args = copy,
                      .bits = 64,
                      .self = b->fun->n};
    i->scope = b->scope;
    b->fun->inst[b->fun->n++] = i;
    return i;
}

bool wadi_lb_is_const(wadi_lb *b, wadi_lv v, int64_t *out) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    if (i->kind != WADI_L_CONST) return false;
    if (out) *out = (int64_t)i->imm.bits;
    return true;
}

wadi_lscope *wadi_lb_home(wadi_lb *b, wadi_lv v) {
    wadi_lscope *s = root_of(wadi_lb_inst(b, v)->scope);
    return s ? s : b->fun->body;
}

wadi_lscope *wadi_lb_visible(wadi_lb *b, wadi_lscope *s) {
    wadi_lscope *home = root_of(s);
    return home && home->open && encloses(home, b->scope) ? home : NULL;
}

wadi_lv wadi_lb_name(wadi_lb *b, wadi_lv v, const char *name) {
    wadi_linst *i = wadi_lb_inst(b, v);
    if (!i->text && name && i->kind != WADI_L_CONST) i->text = name;
    return v;
}

/* ---- value numbering and placement ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
    h ^= x + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
    return h * UINT64_C(0xff51afd7ed558ccd);
}

static uint64_t hash_of(const wadi_linst *i) {
    uint64_t h = mix((uint64_t)i->kind, (uint64_t)i->op);
    h = mix(h, (uint64_t)i->type);
    h = mix(h, (uint64_t)(uint32_t)i->slot << 32 | (uint32_t)i->index);
    h = mix(h, i->imm.bits ^ (i->imm.im << 1 | i->imm.im >> 63));
    for (int a = 0; a < i->nargs; a++) h = mix(h, i->args[a]);
    return h;
}

static bool equal(const wadi_linst *x, const wadi_linst *y) {
    if (x->kind != y->kind || x->op != y->op || x->type != y->type || x->slot != y->slot ||
        x->index != y->index || !wadi_scalar_same(x->imm, y->imm) || x->nargs != y->nargs)
        return false;
    return x->nargs == 0 || memcmp(x->args, y->args, (size_t)x->nargs * sizeof *x->args) == 0;
}

/* An older instruction like `i` that the current scope can see. */
static wadi_linst *find_same(wadi_lb *b, const wadi_linst *i, uint64_t hash) {
    uint64_t at = 0;
    if (!wadi_map64_get(&b->numbers, hash, &at)) return NULL;
    for (; at != 0; at = b->same[at - 1]) {
        wadi_linst *old = b->fun->inst[at - 1];
        wadi_lscope *home = root_of(old->scope);
        if (equal(old, i) && home->open && encloses(home, b->scope)) return old;
    }
    return NULL;
}

/* Whether computing it for nothing costs next to nothing. */
static bool is_cheap(wadi_lb *b, const wadi_linst *i) {
    if (i->kind != WADI_L_PRIM) return true;
    switch (i->op) {
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
    case WADI_SOP_FDIV:
        return false;
    case WADI_SOP_FLOOR:
    case WADI_SOP_CEIL:
    case WADI_SOP_TRUNC:
        return true;
    default:
        break;
    }
    return !wadi_sop_is_costly(i->op, wadi_lb_type(b, i->args[0]));
}

/* The outermost scope in which the operands live, but not outside `limit`. */
static wadi_lscope *place_of(wadi_lb *b, const wadi_linst *i, const wadi_lscope *limit) {
    const wadi_lscope *target = limit;
    for (int a = 0; a < i->nargs; a++) {
        if (i->args[a] == WADI_LV_NONE) continue;
        const wadi_lscope *home = wadi_lb_home(b, i->args[a]);
        if (home->depth > target->depth) target = home;
    }
    wadi_lscope *s = b->scope;
    while (s != target && s->parent && s->depth > target->depth) {
        if (s->kind == WADI_SCOPE_BRANCH && !is_cheap(b, i)) break;
        s = s->parent;
    }
    return s;
}

/* Finds an instruction like `i`, or places it: as far out as `limit`, or here when that is NULL. */
static wadi_lv pure_within(wadi_lb *b, wadi_linst *i, const wadi_lscope *limit) {
    if (b->failed) return b->spare.self;
    i->has_value = true;
    const uint64_t hash = hash_of(i);
    wadi_linst *old = find_same(b, i, hash);
    if (old) {
        if (i->self + 1 == b->fun->n) b->fun->n--;
        return old->self;
    }
    if (i->kind == WADI_L_CONST)
        i->scope = b->fun->body;
    else
        scope_append(b, limit ? place_of(b, i, limit) : b->scope, i);
    uint64_t newest = 0;
    (void)wadi_map64_get(&b->numbers, hash, &newest);
    b->same[i->self] = (uint32_t)newest;
    if (!wadi_map64_put(&b->numbers, hash, i->self + 1)) b->failed = true;
    return i->self;
}

static wadi_lv pure(wadi_lb *b, wadi_linst *i) {
    return pure_within(b, i, b->fun->body);
}

wadi_lv wadi_lb_const(wadi_lb *b, wadi_scalar imm) {
    wadi_linst *i = inst_new(b, WADI_L_CONST, 0, NULL);
    i->imm = imm;
    i->type = imm.type;
    if (imm.type == WADI_I64 || wadi_type_is_unsigned(imm.type)) {
        const bool negative = imm.type == WADI_I64 && (int64_t)imm.bits < 0;
        const uint64_t magnitude = negative ? 0 - imm.bits : imm.bits;
        i->nonneg = !negative;
        for (i->bits = 0; i->bits < 64 && magnitude >> i->bits; i->bits++) {
        }
    }
    return pure(b, i);
}

wadi_lv wadi_lb_i64(wadi_lb *b, int64_t v) {
    return wadi_lb_const(b, (wadi_scalar){WADI_I64, (uint64_t)v});
}

wadi_lv wadi_lb_bool(wadi_lb *b, bool v) {
    return wadi_lb_const(b, (wadi_scalar){WADI_BOOL, v});
}

/* All arguments constant: the value itself. */
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
    wadi_linst *i = inst_new(b, WADI_L_PRIM, n, x);
    i->op = op;
    i->type = result;
    wadi_lb_estimate(b, i);
    return pure(b, i);
}

wadi_lv wadi_lb_bin(wadi_lb *b, wadi_sop op, wadi_lv x, wadi_lv y) {
    const wadi_type types[2] = {wadi_lb_type(b, x), wadi_lb_type(b, y)};
    wadi_type t = types[0];
    (void)wadi_sop_type(op, types, &t);
    return wadi_lb_prim(b, op, t, 2, (const wadi_lv[]){x, y});
}

wadi_lv wadi_lb_select(wadi_lb *b, wadi_type t, wadi_lv c, wadi_lv x, wadi_lv y) {
    int64_t known = 0;
    if (x == y) return x;
    if (wadi_lb_is_const(b, c, &known)) return known ? x : y;
    wadi_linst *i = inst_new(b, WADI_L_SELECT, 3, (const wadi_lv[]){c, x, y});
    i->type = t;
    wadi_lb_estimate(b, i);
    return pure(b, i);
}

wadi_lv wadi_lb_leaf(wadi_lb *b, wadi_lkind kind, int slot, int index, wadi_lv arg) {
    wadi_linst *i = inst_new(b, kind, arg != WADI_LV_NONE, &arg);
    i->slot = slot;
    i->index = index;
    i->nonneg = true;
    i->bits = WADI_EXTENT_BITS;
    return pure(b, i);
}

wadi_lv wadi_lb_column(wadi_lb *b, int slot, int field, wadi_type t) {
    wadi_linst *i = inst_new(b, WADI_L_COLUMN, 0, NULL);
    i->slot = slot;
    i->index = field;
    i->type = t;
    i->pointer = true;
    return pure(b, i);
}

wadi_lv wadi_lb_advance(wadi_lb *b, wadi_lv pointer, wadi_lv by) {
    int64_t known = 0;
    if (wadi_lb_is_const(b, by, &known) && known == 0) return pointer;
    wadi_linst *i = inst_new(b, WADI_L_ADVANCE, 2, (const wadi_lv[]){pointer, by});
    i->type = wadi_lb_type(b, pointer);
    i->pointer = true;
    i->text = wadi_lb_inst(b, pointer)->text;
    return pure(b, i);
}

static wadi_linst *range_new(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    wadi_linst *i = inst_new(b, WADI_L_RANGE, 3, (const wadi_lv[]){v, least, most});
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

/* It stands where it was told, however far out its operands live: a branch around it may be what makes it true. */
wadi_lv wadi_lb_range(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    if (wadi_lb_is_const(b, v, NULL)) return v;
    return pure_within(b, range_new(b, v, least, most), NULL);
}

wadi_lv wadi_lb_fact(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most) {
    wadi_linst *i = range_new(b, v, least, most);
    i->has_value = true;
    if (!b->failed) scope_append(b, b->scope, i);
    return i->self;
}

wadi_lv wadi_lb_load(wadi_lb *b, wadi_lv pointer, wadi_lv at, const wadi_lscope *limit) {
    wadi_linst *i = inst_new(b, WADI_L_LOAD, 2, (const wadi_lv[]){pointer, at});
    i->type = wadi_lb_type(b, pointer);
    return pure_within(b, i, limit);
}

/* ---- values and actions that stay ---- */

static wadi_linst *stay(wadi_lb *b, wadi_lkind kind, bool value, wadi_type t, int n,
                        const wadi_lv *args) {
    wadi_linst *i = inst_new(b, kind, n, args);
    i->has_value = value;
    i->type = t;
    if (!b->failed) scope_append(b, b->scope, i);
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

wadi_lv wadi_lb_scratch(wadi_lb *b, wadi_type t, int rank, const wadi_lv *extent,
                        const char *name) {
    wadi_linst *i = stay(b, WADI_L_SCRATCH, true, t, rank, extent);
    i->index = b->place;
    i->pointer = true;
    i->text = name;
    return i->self;
}

void wadi_lb_note(wadi_lb *b, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    wadi_linst *i = stay(b, WADI_L_NOTE, false, WADI_I64, 0, NULL);
    i->text = wadi_arena_strdup(b->arena, text);
    if (!i->text) b->failed = true;
}

/* ---- structure ---- */

static void open_scope(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner, int branch) {
    wadi_lscope *s = scope_new(b, kind, owner);
    if (b->failed) return;
    owner->block[branch] = s;
    b->scope = s;
}

wadi_lv wadi_lb_for(wadi_lb *b, wadi_lv from, wadi_lv below, int64_t step, const char *name) {
    const wadi_lv by = wadi_lb_i64(b, step);
    wadi_linst *loop = inst_new(b, WADI_L_FOR, 3, (const wadi_lv[]){from, below, by});
    open_scope(b, WADI_SCOPE_LOOP, loop, 0);
    wadi_linst *var = inst_new(b, WADI_L_LOOPVAR, 2, (const wadi_lv[]){from, below});
    var->has_value = true;
    var->nonneg = wadi_lb_inst(b, from)->nonneg;
    var->bits = wadi_lb_inst(b, from)->bits <= WADI_EXTENT_BITS ? WADI_EXTENT_BITS : 64;
    var->text = name;
    loop->var = var->self;
    return var->self;
}

void wadi_lb_if(wadi_lb *b, wadi_lv c) {
    wadi_linst *i = inst_new(b, WADI_L_IF, 1, &c);
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
    wadi_linst *i = inst_new(b, WADI_L_REPEAT, 0, NULL);
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
    scope_append(b, b->scope, owner);
}

wadi_lscope *wadi_lb_aside(wadi_lb *b) {
    wadi_lscope *s = scope_new(b, WADI_SCOPE_BRANCH, NULL);
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
    for (int i = 0; i < s->n; i++) scope_append(b, b->scope, s->inst[i]);
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
    char *s = wadi_arena_printf(a, "%s%s", isalpha((unsigned char)name[0]) ? "" : "v", name);
    for (char *p = s; p && *p; p++)
        if (!isalnum((unsigned char)*p)) *p = '_';
    return s;
}
