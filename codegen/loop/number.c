/* Numbers and places the instructions of loop IR: finds an equal one, or the scope that a new one goes to.
 *
 * The instruction that owns a scope is appended to the scope around it only when the scope is closed. So an instruction that is
 * placed further out while an inner scope is open comes before that scope. Hoisting needs nothing else. */
#include "codegen/loop/number.h"

#include <string.h>

#include "base/error.h"

/* ---- scopes ---- */

static wadi_lscope *root_of(wadi_lscope *s) {
    while (s && s->merged) s = s->merged;
    return s;
}

wadi_lscope *wadi_lb_scope_new(wadi_lb *b, wadi_lscope_kind kind, wadi_linst *owner) {
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

void wadi_lb_append(wadi_lb *b, wadi_lscope *s, wadi_linst *i) {
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
    b->scope = wadi_lb_scope_new(b, WADI_SCOPE_FUNCTION, NULL);
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

wadi_linst *wadi_lb_new(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args) {
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

/* Whether the instruction is so cheap that it may be computed although it is perhaps not needed. */
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

wadi_lv wadi_lb_pure_within(wadi_lb *b, wadi_linst *i, const wadi_lscope *limit) {
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
        wadi_lb_append(b, limit ? place_of(b, i, limit) : b->scope, i);
    uint64_t newest = 0;
    (void)wadi_map64_get(&b->numbers, hash, &newest);
    b->same[i->self] = (uint32_t)newest;
    if (!wadi_map64_put(&b->numbers, hash, i->self + 1)) b->failed = true;
    return i->self;
}

wadi_lv wadi_lb_const(wadi_lb *b, wadi_scalar imm) {
    wadi_linst *i = wadi_lb_new(b, WADI_L_CONST, 0, NULL);
    i->imm = imm;
    i->type = imm.type;
    if (imm.type == WADI_I64 || wadi_type_is_unsigned(imm.type)) {
        const bool negative = imm.type == WADI_I64 && (int64_t)imm.bits < 0;
        const uint64_t magnitude = negative ? 0 - imm.bits : imm.bits;
        i->nonneg = !negative;
        for (i->bits = 0; i->bits < 64 && magnitude >> i->bits; i->bits++) {
        }
    }
    return wadi_lb_pure(b, i);
}

wadi_lv wadi_lb_i64(wadi_lb *b, int64_t v) {
    return wadi_lb_const(b, (wadi_scalar){WADI_I64, (uint64_t)v});
}

wadi_lv wadi_lb_bool(wadi_lb *b, bool v) {
    return wadi_lb_const(b, (wadi_scalar){WADI_BOOL, v});
}
