/* Simplifies integer arithmetic in loop IR, so that equal indices become one value.
 *
 * Floating-point arithmetic is not changed: for example, x + 0 is not x if x is -0. */
#include "codegen/loop/loop.h"

static bool is_value(wadi_lb *b, wadi_lv v, int64_t value) {
    int64_t known = 0;
    return wadi_lb_is_const(b, v, &known) && known == value;
}

static bool is_prim(wadi_lb *b, wadi_lv v, wadi_sop op, wadi_lv *x, wadi_lv *y) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    if (i->kind != WADI_L_PRIM || i->op != op || i->nargs != 2) return false;
    *x = i->args[0];
    *y = i->args[1];
    return true;
}

/* (x quot d) * d + x rem d = x: the law of truncated division. The value x, or NONE. */
static wadi_lv divided_again(wadi_lb *b, wadi_lv product, wadi_lv rest) {
    wadi_lv q, d, x, e, y, f;
    if (!is_prim(b, product, WADI_SOP_MUL, &q, &d) || !is_prim(b, rest, WADI_SOP_REM, &y, &f))
        return WADI_LV_NONE;
    if (is_prim(b, q, WADI_SOP_QUOT, &x, &e) && x == y && e == f && d == f) return x;
    if (is_prim(b, d, WADI_SOP_QUOT, &x, &e) && x == y && e == f && q == f) return x;
    return WADI_LV_NONE;
}

static wadi_lv sum(wadi_lb *b, wadi_sop *op, wadi_lv *args) {
    wadi_lv x, y;
    int64_t c = 0, d = 0;
    if (wadi_lb_is_const(b, args[0], NULL)) {
        const wadi_lv t = args[0];
        args[0] = args[1];
        args[1] = t;
    }
    if (is_value(b, args[1], 0)) return args[0];
    const wadi_lv whole = divided_again(b, args[0], args[1]);
    if (whole != WADI_LV_NONE) return whole;
    if (is_prim(b, args[0], WADI_SOP_SUB, &x, &y) && y == args[1]) return x;
    if (is_prim(b, args[1], WADI_SOP_SUB, &x, &y) && y == args[0]) return x;
    if (!wadi_lb_is_const(b, args[1], &c) || wadi_lb_type(b, args[0]) != WADI_I64)
        return WADI_LV_NONE;
    if (is_prim(b, args[0], WADI_SOP_ADD, &x, &y) && wadi_lb_is_const(b, y, &d))
        c = (int64_t)((uint64_t)c + (uint64_t)d), args[0] = x;
    else if (is_prim(b, args[0], WADI_SOP_SUB, &x, &y) && wadi_lb_is_const(b, y, &d))
        c = (int64_t)((uint64_t)c - (uint64_t)d), args[0] = x;
    if (c == 0) return args[0];
    const bool minus = c < 0 && c != INT64_MIN;
    *op = minus ? WADI_SOP_SUB : WADI_SOP_ADD;
    args[1] = wadi_lb_i64(b, minus ? -c : c);
    return WADI_LV_NONE;
}

static wadi_lv difference(wadi_lb *b, wadi_sop *op, wadi_type t, wadi_lv *args) {
    wadi_lv x, y;
    int64_t c = 0;
    if (is_value(b, args[1], 0)) return args[0];
    if (args[0] == args[1]) return wadi_lb_const(b, (wadi_scalar){t, 0});
    if (is_prim(b, args[0], WADI_SOP_ADD, &x, &y)) {
        if (y == args[1]) return x;
        if (x == args[1]) return y;
    }
    if (t == WADI_I64 && wadi_lb_is_const(b, args[1], &c) && c != INT64_MIN) {
        args[1] = wadi_lb_i64(b, -c);
        *op = WADI_SOP_ADD;
        return sum(b, op, args);
    }
    return WADI_LV_NONE;
}

static wadi_lv product(wadi_lb *b, wadi_type t, wadi_lv *args) {
    if (wadi_lb_is_const(b, args[0], NULL)) {
        const wadi_lv x = args[0];
        args[0] = args[1];
        args[1] = x;
    }
    if (is_value(b, args[1], 1)) return args[0];
    if (is_value(b, args[1], 0)) return wadi_lb_const(b, (wadi_scalar){t, 0});
    return WADI_LV_NONE;
}

/* Whether `part` is one of the conditions that `all` joins by op. */
static bool joins(wadi_lb *b, wadi_sop op, wadi_lv all, wadi_lv part, int depth) {
    wadi_lv x, y;
    if (all == part) return true;
    if (depth > 12 || !is_prim(b, all, op, &x, &y)) return false;
    return joins(b, op, x, part, depth + 1) || joins(b, op, y, part, depth + 1);
}

static wadi_lv logic(wadi_lb *b, wadi_sop op, wadi_lv *args) {
    const bool is_and = op == WADI_SOP_LAND;
    for (int a = 0; a < 2; a++) {
        int64_t c = 0;
        if (!wadi_lb_is_const(b, args[a], &c)) continue;
        return (c != 0) == is_and ? args[1 - a] : args[a];
    }
    if (joins(b, op, args[0], args[1], 0)) return args[0];
    return joins(b, op, args[1], args[0], 0) ? args[1] : WADI_LV_NONE;
}

static wadi_lv compare(wadi_lb *b, wadi_sop op, const wadi_lv *args) {
    if (args[0] == args[1])
        return wadi_lb_bool(b, op == WADI_SOP_EQ || op == WADI_SOP_LE || op == WADI_SOP_GE);
    const bool zero = is_value(b, args[1], 0) && wadi_lb_inst(b, args[0])->nonneg;
    if (zero && op == WADI_SOP_GE) return wadi_lb_bool(b, true);
    if (zero && op == WADI_SOP_LT) return wadi_lb_bool(b, false);
    return WADI_LV_NONE;
}

static wadi_lv least_or_most(wadi_lb *b, wadi_sop op, wadi_type t, const wadi_lv *args) {
    if (args[0] == args[1]) return args[0];
    if (t != WADI_I64) return WADI_LV_NONE;
    for (int a = 0; a < 2; a++)
        if (is_value(b, args[a], 0) && wadi_lb_inst(b, args[1 - a])->nonneg)
            return op == WADI_SOP_MIN ? args[a] : args[1 - a];
    return WADI_LV_NONE;
}

wadi_lv wadi_lb_simplify(wadi_lb *b, wadi_sop *op, wadi_type result, int *n, wadi_lv *args) {
    if (*op == WADI_SOP_CONVERT) return wadi_lb_type(b, args[0]) == result ? args[0] : WADI_LV_NONE;
    if (*n != 2 || wadi_type_rounds(wadi_lb_type(b, args[0]))) return WADI_LV_NONE;
    switch (*op) {
    case WADI_SOP_ADD:
        return sum(b, op, args);
    case WADI_SOP_SUB:
        return difference(b, op, result, args);
    case WADI_SOP_MUL:
        return product(b, result, args);
    case WADI_SOP_QUOT:
    case WADI_SOP_DIV:
        return is_value(b, args[1], 1) ? args[0] : WADI_LV_NONE;
    case WADI_SOP_REM:
    case WADI_SOP_MOD:
        return is_value(b, args[1], 1) ? wadi_lb_const(b, (wadi_scalar){result, 0}) : WADI_LV_NONE;
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
        return least_or_most(b, *op, result, args);
    case WADI_SOP_LAND:
    case WADI_SOP_LOR:
        return logic(b, *op, args);
    case WADI_SOP_EQ:
    case WADI_SOP_NE:
    case WADI_SOP_LT:
    case WADI_SOP_LE:
    case WADI_SOP_GT:
    case WADI_SOP_GE:
        return compare(b, *op, args);
    default:
        return WADI_LV_NONE;
    }
}

static uint8_t larger(uint8_t x, uint8_t y) {
    return x > y ? x : y;
}

static uint8_t smaller(uint8_t x, uint8_t y) {
    return x < y ? x : y;
}

static uint8_t width_of(wadi_type t) {
    return t == WADI_BOOL ? 1 : (uint8_t)(8 * wadi_type_size(t));
}

static void estimate_conversion(wadi_linst *i, const wadi_linst *x) {
    const uint8_t width =
        x->type <= WADI_I32 || wadi_type_is_unsigned(x->type) ? width_of(x->type) : 64;
    i->bits = wadi_type_is_unsigned(x->type) ? smaller(x->bits, width) : width;
    i->nonneg = (x->type == WADI_BOOL || wadi_type_is_unsigned(x->type)) && i->bits < 64;
}

/* Notes for an unsigned value how many bits it has at most. */
static void estimate_unsigned(wadi_lb *b, wadi_linst *i, const wadi_linst *x, const wadi_linst *y) {
    const uint8_t width = width_of(i->type);
    int64_t distance = 0;
    i->nonneg = true;
    i->bits = width;
    switch (i->op) {
    case WADI_SOP_CONVERT:
        if (wadi_type_is_unsigned(x->type) || x->type == WADI_BOOL)
            i->bits = smaller(width, smaller(x->bits, width_of(x->type)));
        break;
    case WADI_SOP_AND:
    case WADI_SOP_MIN:
    case WADI_SOP_REM:
        i->bits = smaller(x->bits, y->bits);
        break;
    case WADI_SOP_OR:
    case WADI_SOP_XOR:
    case WADI_SOP_MAX:
        i->bits = larger(x->bits, y->bits);
        break;
    case WADI_SOP_QUOT:
        i->bits = x->bits;
        break;
    case WADI_SOP_SHR:
        i->bits = smaller(x->bits, width);
        if (wadi_lb_is_const(b, i->args[1], &distance) && distance >= 0)
            i->bits = (uint8_t)(distance < i->bits ? i->bits - distance : 0);
        break;
    default:
        break;
    }
    i->bits = smaller(i->bits, width);
}

static void estimate_sum(wadi_linst *i, const wadi_linst *x, const wadi_linst *y) {
    const int bits = i->op == WADI_SOP_MUL ? x->bits + y->bits : larger(x->bits, y->bits) + 1;
    i->bits = bits < 63 ? (uint8_t)bits : 64;
    i->nonneg = i->bits < 64 && i->op != WADI_SOP_SUB && x->nonneg && y->nonneg;
}

void wadi_lb_estimate(wadi_lb *b, wadi_linst *i) {
    const wadi_linst *x = wadi_lb_inst(b, i->args[0]),
                     *y = i->nargs > 1 ? wadi_lb_inst(b, i->args[1]) : x;
    if (wadi_type_is_unsigned(i->type) && i->kind == WADI_L_PRIM) estimate_unsigned(b, i, x, y);
    if (i->type != WADI_I64) return;
    if (i->kind == WADI_L_SELECT) {
        const wadi_linst *z = wadi_lb_inst(b, i->args[2]);
        i->nonneg = y->nonneg && z->nonneg;
        i->bits = larger(y->bits, z->bits);
        return;
    }
    switch (i->op) {
    case WADI_SOP_CONVERT:
        estimate_conversion(i, x);
        break;
    case WADI_SOP_ADD:
    case WADI_SOP_SUB:
    case WADI_SOP_MUL:
        estimate_sum(i, x, y);
        i->exact = i->bits < 64;
        break;
    case WADI_SOP_NEG:
        i->bits = x->bits;
        i->exact = i->bits < 64;
        break;
    case WADI_SOP_QUOT:
    case WADI_SOP_DIV:
        i->truncates = x->nonneg;
        i->nonneg = x->nonneg && y->nonneg;
        i->bits = x->bits < 63 ? (uint8_t)(x->bits + 1) : 64;
        break;
    case WADI_SOP_REM:
        i->nonneg = x->nonneg;
        i->bits = smaller(x->bits, y->bits);
        break;
    case WADI_SOP_MOD:
        i->truncates = x->nonneg;
        i->nonneg = y->nonneg;
        i->bits = y->bits;
        break;
    case WADI_SOP_MIN:
        i->nonneg = x->nonneg && y->nonneg;
        i->bits = larger(x->bits, y->bits);
        break;
    case WADI_SOP_MAX:
        i->nonneg = x->nonneg || y->nonneg;
        i->bits = larger(x->bits, y->bits);
        break;
    case WADI_SOP_AND:
        i->nonneg = x->nonneg || y->nonneg;
        if (i->nonneg) i->bits = smaller(x->nonneg ? x->bits : 64, y->nonneg ? y->bits : 64);
        break;
    case WADI_SOP_SHR:
        i->nonneg = x->nonneg;
        i->bits = x->bits;
        break;
    default:
        break;
    }
}
