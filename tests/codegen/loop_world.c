#include "tests/codegen/loop_world.h"

#include <stdlib.h>
#include <string.h>

uint64_t world_bits(world *w) {
    uint64_t z = w->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int world_pick(world *w, int n) {
    return (int)(world_bits(w) % (uint64_t)n);
}

void world_open(world *w, uint64_t seed, bool small) {
    *w = (world){.arena = wadi_arena_create(), .seed = seed, .small = small};
    wadi_lb_init(&w->b, w->arena, "world");
    w->scope[0] = w->b.scope;
}

void world_close(world *w) {
    wadi_lb_fini(&w->b);
    wadi_arena_destroy(w->arena);
    free(w->known);
}

/* ---- terms ---- */

static int deeper(const world *w, int depth, int arg) {
    return arg >= 0 && w->term[arg].depth > depth ? w->term[arg].depth : depth;
}

static int add(world *w, term t) {
    if (w->n == WORLD_TERMS) abort();
    if (t.kind == TERM_OP || t.kind == TERM_SELECT || t.kind == TERM_KNOWN)
        for (int a = 0; a < 3; a++) t.depth = deeper(w, t.depth, t.arg[a]);
    w->term[w->n] = t;
    return w->n++;
}

static wadi_lv lv_of(const world *w, int t) {
    return t < 0 ? WADI_LV_NONE : w->term[t].lv;
}

int world_const(world *w, int64_t value) {
    return add(w, (term){TERM_CONST, .type = WADI_I64, .arg = {-1, -1, -1}, .value = value,
                         .lv = wadi_lb_i64(&w->b, value)});
}

int world_extent(world *w, int slot) {
    for (int t = 0; t < w->n; t++)
        if (w->term[t].kind == TERM_EXTENT && w->term[t].value == slot) return t;
    return add(w, (term){TERM_EXTENT, .type = WADI_I64, .arg = {-1, -1, -1}, .value = slot,
                         .lv = wadi_lb_leaf(&w->b, WADI_L_SHAPE, slot, 0, WADI_LV_NONE)});
}

int world_unknown(world *w, int least, int most) {
    const wadi_lv var = wadi_lb_var(&w->b, WADI_I64, false, WADI_LV_NONE, "unknown");
    return add(w, (term){TERM_UNKNOWN, .type = WADI_I64, .arg = {least, most, -1},
                         .lv = wadi_lb_get(&w->b, var), .depth = w->loops});
}

int world_loaded(world *w, wadi_type t) {
    const wadi_lv column = wadi_lb_column(&w->b, 7, w->n, t);
    return add(w, (term){TERM_LOADED, .type = t, .arg = {-1, -1, -1},
                         .lv = wadi_lb_load(&w->b, column, wadi_lb_i64(&w->b, 0), NULL),
                         .depth = w->loops});
}

int world_known(world *w, int least, int most, bool here) {
    const int v = world_unknown(w, least, most);
    const wadi_lv x = lv_of(w, v), lo = lv_of(w, least), hi = lv_of(w, most);
    return add(w,
               (term){TERM_KNOWN, .type = WADI_I64, .arg = {v, -1, -1},
                      .lv = here ? wadi_lb_fact(&w->b, x, lo, hi) : wadi_lb_range(&w->b, x, lo, hi),
                      .depth = w->loops});
}

int world_loop(world *w, int from, int below, int64_t step) {
    const wadi_lv v = wadi_lb_for(&w->b, lv_of(w, from), lv_of(w, below), step, "i");
    w->scope[++w->loops] = w->b.scope;
    return add(w, (term){TERM_LOOP, .type = WADI_I64, .arg = {from, below, -1}, .value = step,
                         .lv = v, .depth = w->loops});
}

int world_op(world *w, wadi_sop op, wadi_type t, int x, int y) {
    const wadi_lv args[2] = {lv_of(w, x), lv_of(w, y)};
    return add(w, (term){TERM_OP, .op = op, .type = t, .arg = {x, y, -1},
                         .lv = wadi_lb_prim(&w->b, op, t, y < 0 ? 1 : 2, args)});
}

int world_select(world *w, int c, int x, int y) {
    const wadi_type t = w->term[x].type;
    return add(w, (term){TERM_SELECT, .type = t, .arg = {c, x, y},
                         .lv = wadi_lb_select(&w->b, t, lv_of(w, c), lv_of(w, x), lv_of(w, y))});
}

/* ---- random ones ---- */

static const int64_t extremes[] = {0,
                                   1,
                                   -1,
                                   2,
                                   3,
                                   -2,
                                   7,
                                   16,
                                   255,
                                   256,
                                   4096,
                                   -4097,
                                   INT64_C(1) << 31,
                                   (INT64_C(1) << 31) - 1,
                                   -(INT64_C(1) << 31),
                                   INT64_C(1) << 43,
                                   3037000500,
                                   INT64_C(1) << 50,
                                   INT64_C(6148914691236517205),
                                   INT64_C(1) << 62,
                                   -(INT64_C(1) << 62),
                                   INT64_MAX,
                                   INT64_MAX - 1,
                                   INT64_MIN,
                                   INT64_MIN + 1};

static int64_t any_number(world *w) {
    if (w->small) return world_pick(w, 12) - 4;
    if (world_pick(w, 2)) return extremes[world_pick(w, sizeof extremes / sizeof *extremes)];
    return (int64_t)world_bits(w) >> world_pick(w, 63);
}

static int64_t some_const(world *w) {
    if (world_pick(w, 3)) return world_pick(w, 9) - 3;
    return any_number(w);
}

/* A term of this type in sight; of the last few more often, so that they meet again. -1: there is none. */
static int some_term(world *w, wadi_type t) {
    for (int tries = 0; tries < 40; tries++) {
        const int back = world_pick(w, 3) ? (w->n < 14 ? w->n : 14) : w->n;
        const int at = world_pick(w, 4) ? w->n - 1 - world_pick(w, back)
                                        : world_pick(w, w->n < 10 ? w->n : 10);
        if (w->term[at].type == t) return at;
    }
    return -1;
}

static int number(world *w) {
    const int at = world_pick(w, 5) ? some_term(w, WADI_I64) : -1;
    return at >= 0 ? at : world_const(w, some_const(w));
}

/* (x quot d) * e + (y rem f), with letters that are often the same */
static void division_law(world *w) {
    const int x = number(w), d = number(w), other = number(w);
    const int e = world_pick(w, 3) ? d : other, f = world_pick(w, 3) ? d : other,
              y = world_pick(w, 3) ? x : other;
    const int q = world_op(w, WADI_SOP_QUOT, WADI_I64, x, d),
              r = world_op(w, WADI_SOP_REM, WADI_I64, y, f);
    const int p = world_pick(w, 2) ? world_op(w, WADI_SOP_MUL, WADI_I64, q, e)
                                   : world_op(w, WADI_SOP_MUL, WADI_I64, e, q);
    (void)(world_pick(w, 2) ? world_op(w, WADI_SOP_ADD, WADI_I64, p, r)
                            : world_op(w, WADI_SOP_ADD, WADI_I64, r, p));
}

static const wadi_sop integer_ops[] = {WADI_SOP_ADD, WADI_SOP_SUB, WADI_SOP_MUL,  WADI_SOP_ADD,
                                       WADI_SOP_SUB, WADI_SOP_MUL, WADI_SOP_QUOT, WADI_SOP_REM,
                                       WADI_SOP_DIV, WADI_SOP_MOD, WADI_SOP_MIN,  WADI_SOP_MAX,
                                       WADI_SOP_AND, WADI_SOP_OR,  WADI_SOP_XOR};
static const wadi_sop comparisons[] = {WADI_SOP_EQ, WADI_SOP_NE, WADI_SOP_LT,
                                       WADI_SOP_LE, WADI_SOP_GT, WADI_SOP_GE};
static const wadi_type types[] = {WADI_BOOL, WADI_I8,  WADI_I16, WADI_I32, WADI_I64,
                                  WADI_U8,   WADI_U16, WADI_U32, WADI_U64};

static wadi_sop one_of(world *w, const wadi_sop *ops, size_t n) {
    return ops[world_pick(w, (int)n)];
}

static int typed_const(world *w, wadi_type t) {
    const uint64_t bits = wadi_scalar_wrap(t, world_bits(w) >> world_pick(w, 64));
    const wadi_lv lv = wadi_lb_const(&w->b, (wadi_scalar){t, bits});
    return add(
        w, (term){TERM_CONST, .type = t, .arg = {-1, -1, -1}, .value = (int64_t)bits, .lv = lv});
}

static void shifted(world *w, wadi_type t, int x) {
    const wadi_lv lv =
        wadi_lb_const(&w->b, (wadi_scalar){WADI_I32, (uint64_t)(int64_t)(world_pick(w, 70) - 3)});
    int64_t by = 0;
    (void)wadi_lb_is_const(&w->b, lv, &by);
    const int d =
        add(w, (term){TERM_CONST, .type = WADI_I32, .arg = {-1, -1, -1}, .value = by, .lv = lv});
    (void)world_op(w, world_pick(w, 4) ? WADI_SOP_SHR : WADI_SOP_SHL, t, x, d);
}

/* Kept below an extent, as code with borders does. */
static void clamped(world *w) {
    const int n = world_extent(w, world_pick(w, 2)), one = world_const(w, 1);
    const int last = world_op(w, WADI_SOP_SUB, WADI_I64, n, one);
    int x = world_op(w, WADI_SOP_ADD, WADI_I64, number(w), number(w));
    if (world_pick(w, 2)) x = world_op(w, WADI_SOP_MUL, WADI_I64, x, number(w));
    if (world_pick(w, 3) == 0) x = world_op(w, WADI_SOP_MAX, WADI_I64, x, world_const(w, 0));
    (void)world_op(w, WADI_SOP_MIN, WADI_I64, x, last);
}

/* Of a narrow or unsigned type: an operation, or what it is as an i64. */
static void narrow(world *w) {
    const wadi_type t = types[world_pick(w, 9)];
    int x = some_term(w, t);
    if (x < 0) x = world_loaded(w, t);
    if (t == WADI_BOOL || world_pick(w, 3) == 0) {
        const wadi_type to = world_pick(w, 2) ? WADI_I64 : types[1 + world_pick(w, 8)];
        (void)world_op(w, WADI_SOP_CONVERT, to, x, -1);
    } else if (world_pick(w, 4) == 0) {
        shifted(w, t, x);
    } else {
        int y = some_term(w, t);
        if (y < 0 || world_pick(w, 4) == 0) y = typed_const(w, t);
        (void)world_op(w, one_of(w, integer_ops, sizeof integer_ops / sizeof *integer_ops), t, x,
                       y);
    }
}

static void truth(world *w) {
    const int p = some_term(w, WADI_BOOL), q = some_term(w, WADI_BOOL);
    if (p >= 0 && q >= 0 && world_pick(w, 2))
        (void)world_op(w, world_pick(w, 2) ? WADI_SOP_LAND : WADI_SOP_LOR, WADI_BOOL, p, q);
    else
        (void)world_op(w, one_of(w, comparisons, 6), WADI_BOOL, number(w), number(w));
}

static void some_op(world *w) {
    const int c = some_term(w, WADI_BOOL);
    switch (world_pick(w, 13)) {
    case 12:
        clamped(w);
        return;
    case 0:
        division_law(w);
        return;
    case 1:
        (void)world_op(w, WADI_SOP_NEG, WADI_I64, number(w), -1);
        return;
    case 2:
        shifted(w, WADI_I64, number(w));
        return;
    case 3:
        truth(w);
        return;
    case 4:
        if (c >= 0) (void)world_select(w, c, number(w), number(w));
        return;
    case 5:
        narrow(w);
        return;
    default:
        (void)world_op(w, one_of(w, integer_ops, sizeof integer_ops / sizeof *integer_ops),
                       WADI_I64, number(w), number(w));
    }
}

void world_fill(world *w, int terms) {
    const int n = world_extent(w, 0);
    (void)world_extent(w, 1);
    const int zero = world_const(w, 0);
    if (world_pick(w, 2)) (void)world_unknown(w, -1, -1);
    const int loops = world_pick(w, WORLD_LOOPS);
    for (int i = 0; i < loops; i++) {
        const int below = world_pick(w, 2) ? n : number(w);
        (void)world_loop(w, world_pick(w, 3) ? zero : number(w), below,
                         1 + (world_pick(w, 5) == 0) * world_pick(w, 4));
        if (world_pick(w, 3) == 0)
            (void)world_op(w, one_of(w, integer_ops, 6), WADI_I64, number(w), number(w));
    }
    if (world_pick(w, 2))
        (void)world_known(w, world_pick(w, 4) ? zero : number(w), world_pick(w, 3) ? number(w) : -1,
                          world_pick(w, 2));
    while (terms-- > 0 && w->n < WORLD_TERMS - 8) some_op(w);
}

/* ---- values ---- */

__extension__ typedef unsigned __int128 uwide;

static wide wrapped(wadi_type t, wide v) {
    if (t == WADI_BOOL) return v != 0;
    const int width = 8 * wadi_type_size(t);
    const wide all = (wide)1 << width;
    v &= all - 1;
    return wadi_type_is_signed(t) && v >> (width - 1) ? v - all : v;
}

/* Of a division whose divisor is not 0, rounded down. */
static wide floored(wide x, wide y) {
    const wide q = x / y;
    return q - (x % y != 0 && (x < 0) != (y < 0));
}

static wide divided(wadi_sop op, wide x, wide y) {
    if (y == 0) return 0;
    switch (op) {
    case WADI_SOP_QUOT:
        return x / y;
    case WADI_SOP_REM:
        return x % y;
    case WADI_SOP_DIV:
        return floored(x, y);
    default:
        return x - y * floored(x, y);
    }
}

static wide moved(wadi_sop op, wadi_type t, wide x, wide by) {
    const int width = 8 * wadi_type_size(t);
    const bool out = by < 0 || by >= width;
    if (op == WADI_SOP_SHL) return out ? 0 : x * ((wide)1 << by);
    if (out) return x < 0 ? -1 : 0;
    return floored(x, (wide)1 << by);
}

static wide computed(wadi_sop op, wadi_type t, wide x, wide y) {
    switch (op) {
    case WADI_SOP_ADD:
        return x + y;
    case WADI_SOP_SUB:
        return x - y;
    case WADI_SOP_MUL: /* of two u64 it is modulo 2^128 that it wraps; the low half is right */
        return (wide)((uwide)x * (uwide)y);
    case WADI_SOP_NEG:
        return -x;
    case WADI_SOP_MIN:
        return x < y ? x : y;
    case WADI_SOP_MAX:
        return x > y ? x : y;
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
        return divided(op, x, y);
    case WADI_SOP_AND:
    case WADI_SOP_LAND:
        return x & y;
    case WADI_SOP_OR:
    case WADI_SOP_LOR:
        return x | y;
    case WADI_SOP_XOR:
        return x ^ y;
    case WADI_SOP_SHL:
    case WADI_SOP_SHR:
        return moved(op, t, x, y);
    case WADI_SOP_EQ:
        return x == y;
    case WADI_SOP_NE:
        return x != y;
    case WADI_SOP_LT:
        return x < y;
    case WADI_SOP_LE:
        return x <= y;
    case WADI_SOP_GT:
        return x > y;
    case WADI_SOP_GE:
        return x >= y;
    case WADI_SOP_CONVERT:
    case WADI_SOP_BITCAST:
        return x;
    default:
        abort();
    }
}

wide world_value(const world *w, wadi_lv v) {
    return w->known[v];
}

static wide of_inst(world *w, const wadi_linst *i) {
    wide x[3] = {0};
    for (int a = 0; a < i->nargs && a < 3; a++)
        if (i->args[a] != WADI_LV_NONE) x[a] = w->known[i->args[a]];
    switch (i->kind) {
    case WADI_L_CONST:
        return wrapped(i->type, (wide)i->imm.bits);
    case WADI_L_PRIM:
        return wrapped(i->type, computed(i->op, i->type, x[0], x[1]));
    case WADI_L_SELECT:
        return x[0] ? x[1] : x[2];
    case WADI_L_RANGE:
        return x[0];
    default:
        return w->known[i->self]; /* an atom: given by its term */
    }
}

static wide range_value(world *w, wide lo, wide hi) {
    const wide size = hi - lo + 1;
    switch (world_pick(w, 4)) {
    case 0:
        return lo;
    case 1:
        return hi;
    default:
        return lo + (wide)(world_bits(w) >> 1) % size;
    }
}

static bool unknown_value(world *w, const term *t, wide *out) {
    if (t->arg[0] < 0 && t->arg[1] < 0) {
        *out = any_number(w);
        return true;
    }
    wide lo = t->arg[0] < 0 ? INT64_MIN : w->value[t->arg[0]],
         hi = t->arg[1] < 0 ? INT64_MAX : w->value[t->arg[1]];
    if (w->small && t->arg[0] < 0) lo = hi - 6;
    if (w->small && t->arg[1] < 0) hi = lo + 6;
    if (lo > hi || lo < INT64_MIN || hi > INT64_MAX) return false;
    *out = range_value(w, lo, hi);
    return true;
}

static const wide most_extent = (wide)1 << WADI_EXTENT_BITS;

static bool loop_value(world *w, const term *t, wide *out) {
    const wide from = w->value[t->arg[0]], below = w->value[t->arg[1]];
    if (from >= below || below >= most_extent || from <= -most_extent) return false;
    *out = from + (range_value(w, 0, (below - 1 - from) / t->value)) * t->value;
    return true;
}

static bool atom_value(world *w, const term *t, wide *out) {
    static const int64_t extents[] = {
        0, 1, 2, 3, 7, 4096, INT64_C(1) << 31, (INT64_C(1) << WADI_EXTENT_BITS) - 1};
    switch (t->kind) {
    case TERM_EXTENT:
        *out = w->small ? world_pick(w, 6) : extents[world_pick(w, 8)];
        return true;
    case TERM_UNKNOWN:
        return unknown_value(w, t, out);
    case TERM_LOADED:
        *out = wrapped(t->type, t->type == WADI_U64 && world_pick(w, 2) ? (wide)world_bits(w)
                                                                        : (wide)any_number(w));
        return true;
    default:
        return loop_value(w, t, out);
    }
}

static bool is_atom(const term *t) {
    return t->kind == TERM_EXTENT || t->kind == TERM_UNKNOWN || t->kind == TERM_LOADED ||
           t->kind == TERM_LOOP;
}

/* A fault of what a term reads is its own: a range or a loop that ends at one means nothing. */
static bool faults(const world *w, const term *t) {
    for (int a = 0; a < 3; a++)
        if (t->arg[a] >= 0 && w->fault[t->arg[a]]) return true;
    const bool divides = t->kind == TERM_OP && (t->op == WADI_SOP_QUOT || t->op == WADI_SOP_REM ||
                                                t->op == WADI_SOP_DIV || t->op == WADI_SOP_MOD);
    return divides && w->value[t->arg[1]] == 0;
}

static wide of_term(const world *w, const term *t, bool *wraps) {
    const wide x = t->arg[0] >= 0 ? w->value[t->arg[0]] : 0,
               y = t->arg[1] >= 0 ? w->value[t->arg[1]] : 0;
    if (t->kind == TERM_CONST) return wrapped(t->type, t->value);
    if (t->kind == TERM_KNOWN) return x;
    if (t->kind == TERM_SELECT) return x ? y : w->value[t->arg[2]];
    const wide exact = computed(t->op, t->type, x, y), v = wrapped(t->type, exact);
    *wraps = *wraps || v != exact;
    return v;
}

/* All terms, then all instructions. Atoms get values where `fresh`. */
static bool evaluate(world *w, bool fresh) {
    if (w->room < w->b.fun->n) {
        free(w->known);
        w->room = 2 * w->b.fun->n;
        w->known = calloc(w->room, sizeof *w->known);
        if (!w->known) abort();
    }
    for (int i = 0; i < w->n; i++) {
        const term *t = &w->term[i];
        w->fault[i] = faults(w, t);
        w->wraps[i] = false;
        for (int a = 0; a < 3; a++)
            w->wraps[i] = w->wraps[i] || (t->arg[a] >= 0 && w->wraps[t->arg[a]]);
        if (is_atom(t) && w->fault[i]) return false;
        if (is_atom(t) && fresh && !atom_value(w, t, &w->value[i])) return false;
        if (!is_atom(t)) w->value[i] = of_term(w, t, &w->wraps[i]);
        if (is_atom(t)) w->known[t->lv] = w->value[i];
    }
    for (uint32_t i = 0; i < w->b.fun->n; i++) w->known[i] = of_inst(w, w->b.fun->inst[i]);
    return true;
}

bool world_is_extent(const world *w, int t) {
    return !w->fault[t] && !w->wraps[t] && w->value[t] >= 0 && w->value[t] < most_extent;
}

bool world_sample(world *w) {
    return evaluate(w, true);
}

bool world_step(world *w, int loop_term, wide to) {
    const term *t = &w->term[loop_term];
    const wide from = w->value[t->arg[0]], below = w->value[t->arg[1]];
    if (to < from || to >= below || (to - from) % t->value != 0) return false;
    w->value[loop_term] = to;
    return evaluate(w, false);
}
