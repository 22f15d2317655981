/* Random scalar functions. Arguments of calls are made in statements of their own: C does not say in which order it
 * evaluates them, and a seed must mean the same program with every compiler. */
#include <string.h>

#include "graph/lang/grow.h"
#include "tests/conformance/maker.h"

static const wadi_type some_types[] = {WADI_I32, WADI_I64, WADI_U8,  WADI_F32,  WADI_F64,
                                       WADI_I16, WADI_U32, WADI_C64, WADI_C128, WADI_I8,
                                       WADI_U16, WADI_U64, WADI_BOOL};
enum { TYPES = sizeof some_types / sizeof some_types[0] };

bool gen_is_float(wadi_type t) {
    return t == WADI_F32 || t == WADI_F64;
}

bool gen_is_complex(wadi_type t) {
    return t == WADI_C64 || t == WADI_C128;
}

bool gen_has_type(wadi_type t) {
    for (int i = 0; i < TYPES; i++)
        if (some_types[i] == t) return true;
    return false;
}

wadi_type gen_type(gen_random *r) {
    return some_types[gen_below(r, TYPES)];
}

wadi_exp gen_literal(maker *m, wadi_type t) {
    if (t == WADI_BOOL) return wadi_bool(gen_below(&m->r, 2) == 0);
    static const double values[] = {0, 1, 2, 3, 5, 7, 100, -1, -2, 0.5, -0.25, 1e6, 65535, 1e-3};
    return wadi_literal(t, values[gen_below(&m->r, (int)(sizeof values / sizeof values[0]))]);
}

static wadi_exp scalar(maker *m, wadi_type t, int depth, int n, const wadi_exp *params);

/* Any operation there is that gives a `t`, of arguments of that type or another. */
static wadi_exp any_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    for (int tries = 0; tries < 30; tries++) {
        const wadi_sop op = (wadi_sop)gen_below(&m->r, WADI_SOP_PRIM_COUNT);
        const wadi_sop_info *info = wadi_sop_get(op);
        const wadi_type other = gen_type(&m->r);
        const wadi_type from = t != WADI_BOOL && gen_below(&m->r, 2) ? t : other;
        const wadi_type types[3] = {from, info->cls == WADI_CLASS_SHIFT ? WADI_I32 : from, from};
        wadi_type result;
        if (!wadi_sop_type(op, types, &result) || result != t) continue;
        wadi_exp args[3];
        for (int a = 0; a < info->arity; a++) args[a] = scalar(m, types[a], depth - 1, n, params);
        if (info->flags & WADI_SOP_FAULTS) args[1] = wadi_or(args[1], wadi_literal(from, 1));
        return wadi_node_scalar(info->name, op, result, info->arity, args);
    }
    return gen_literal(m, t);
}

static wadi_exp comparison(maker *m, int depth, int n, const wadi_exp *params) {
    const int kind = gen_below(&m->r, 8);
    if (kind < 2) return any_op(m, WADI_BOOL, depth, n, params);
    if (kind == 2 && depth > 0) {
        const wadi_exp p = comparison(m, depth - 1, n, params);
        const wadi_exp q = comparison(m, depth - 1, n, params);
        const wadi_exp either = wadi_lor(wadi_lnot(p), q);
        return gen_below(&m->r, 3) ? either
                                   : wadi_ne(wadi_or(p, q), wadi_xor(wadi_and(p, q), wadi_not(q)));
    }
    const wadi_type t = gen_type(&m->r);
    const wadi_exp a = scalar(m, t, depth - 1, n, params);
    const wadi_exp b = scalar(m, t, depth - 1, n, params);
    if (gen_is_complex(t)) return gen_below(&m->r, 2) ? wadi_eq(a, b) : wadi_ne(a, b);
    switch (gen_below(&m->r, 4)) {
    case 0:
        return wadi_lt(a, b);
    case 1:
        return wadi_ge(a, b);
    case 2:
        return wadi_eq(a, b);
    default:
        return wadi_land(wadi_ne(a, b), wadi_le(a, b));
    }
}

/* An element of the program's table or of a pooled vector, at an index that is always valid. */
static wadi_exp table_element(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp i = wadi_mod(scalar(m, WADI_I64, depth - 1, n, params), wadi_i64(GEN_TABLE));
    return wadi_convert(t, wadi_index1(m->table, i));
}

typedef struct loop {
    maker *m;
    wadi_type type;
} loop;

static wadi_exp loop_step(void *env, wadi_exp i, wadi_exp state) {
    loop *l = env;
    const wadi_exp params[2] = {wadi_convert(l->type, i), state};
    const wadi_type given[4] = {l->m->given[0], l->m->given[1], l->m->given[2], l->m->given[3]};
    l->m->given[0] = l->m->given[1] = l->type;
    const wadi_exp next = scalar(l->m, l->type, 1, 2, params);
    memcpy(l->m->given, given, sizeof given);
    return next;
}

static wadi_exp rounds_left(void *env, wadi_exp state) {
    (void)env;
    return wadi_lt(wadi_get(state, "round"), wadi_i64(3));
}

static wadi_exp one_round(void *env, wadi_exp state) {
    const wadi_exp round = wadi_get(state, "round");
    const wadi_exp value = loop_step(env, round, wadi_get(state, "value"));
    return wadi_rec2("value", value, "round", wadi_add(round, wadi_i64(1)));
}

/* As many rounds as a number says, none of many. */
static wadi_exp looped(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    loop l = {m, t};
    const wadi_exp value = scalar(m, t, depth - 1, n, params);
    const wadi_exp from = wadi_mod(scalar(m, WADI_I64, depth - 1, n, params), wadi_i64(5));
    return wadi_get(
        wadi_while_env(rounds_left, one_round, &l, wadi_rec2("value", value, "round", from)),
        "value");
}

/* The bits of a number of another type; not those of a float, whose NaN may be any. */
static wadi_exp same_bits(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    static const wadi_type from[WADI_TYPE_COUNT] = {
        [WADI_I8] = WADI_U8,   [WADI_U8] = WADI_I8,   [WADI_I16] = WADI_U16, [WADI_U16] = WADI_I16,
        [WADI_I32] = WADI_U32, [WADI_U32] = WADI_I32, [WADI_I64] = WADI_U64, [WADI_U64] = WADI_I64,
        [WADI_F32] = WADI_U32, [WADI_F64] = WADI_I64};
    if (from[t] == WADI_BOOL) return gen_literal(m, t);
    return wadi_bitcast(t, scalar(m, from[t], depth - 1, n, params));
}

/* The table read as an array of two or three dimensions, by index or in a row. */
static wadi_exp table_cell(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp i = wadi_mod(scalar(m, WADI_I64, depth - 1, n, params), wadi_i64(GEN_TABLE)),
                   one = wadi_i64(1), zero = wadi_i64(0), all = wadi_i64(GEN_TABLE);
    switch (gen_below(&m->r, 3)) {
    case 0:
        return wadi_convert(t, wadi_index2(wadi_reshape(wadi_ix2(all, one), m->table), i, zero));
    case 1:
        return wadi_convert(
            t, wadi_index3(wadi_reshape(wadi_ix3(one, all, one), m->table), zero, i, zero));
    default:
        return wadi_convert(t, wadi_linear(wadi_reshape(wadi_ix2(one, all), m->table), i));
    }
}

static wadi_exp integer_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp a = scalar(m, t, depth - 1, n, params);
    const wadi_exp b = scalar(m, t, depth - 1, n, params);
    const wadi_exp odd = wadi_or(b, wadi_literal(t, 1)),
                   distance = wadi_and(b, wadi_literal(t, 15));
    switch (gen_below(&m->r, 11)) {
    case 0:
        return wadi_quot(a, odd);
    case 1:
        return wadi_rem(a, odd);
    case 2:
        return wadi_div(a, odd);
    case 3:
        return wadi_mod(a, odd);
    case 4:
        return wadi_and(a, b);
    case 5:
        return wadi_xor(a, wadi_not(b));
    case 6:
        return wadi_shl(a, distance);
    case 7:
        return wadi_shr(a, b);
    case 8:
        return wadi_rotl(a, b);
    case 9:
        return wadi_convert(t, wadi_add(wadi_popcount(a), wadi_clz(b)));
    default:
        return wadi_convert(t, wadi_ctz(a));
    }
}

/* Of both, so that neither can be left out. */
static wadi_exp sine_and_cosine(wadi_exp a) {
    const wadi_exp both = wadi_sincos(a);
    return wadi_sub(wadi_get(both, "sin"), wadi_get(both, "cos"));
}

/* Functions of the mathematical library are called, never computed otherwise: they give the same bits everywhere. */
static wadi_exp float_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp a = scalar(m, t, depth - 1, n, params);
    const wadi_exp b = scalar(m, t, depth - 1, n, params);
    switch (gen_below(&m->r, 12)) {
    case 0:
        return wadi_div(a, b);
    case 1:
        return wadi_sqrt(wadi_abs(a));
    case 2:
        return wadi_floor(a);
    case 3:
        return wadi_fma(a, b, wadi_literal(t, 1));
    case 4:
        return sine_and_cosine(a);
    case 5:
        return wadi_exp_(wadi_min(a, b));
    case 6:
        return wadi_round(wadi_mul(a, b));
    case 7:
        return wadi_cond(wadi_isnan(a), b, wadi_neg(a));
    case 8:
        return wadi_pow(wadi_abs(a), b);
    case 9:
        return wadi_signum(wadi_trunc(a));
    case 10:
        return wadi_log1p(wadi_abs(b));
    default:
        return wadi_copysign(a, b);
    }
}

static wadi_exp complex_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_type part = t == WADI_C64 ? WADI_F32 : WADI_F64;
    const wadi_exp a = scalar(m, t, depth - 1, n, params);
    const wadi_exp b = scalar(m, t, depth - 1, n, params);
    const int choice = gen_below(&m->r, 10);
    if (choice < 2) {
        const wadi_exp re = scalar(m, part, depth - 1, n, params);
        const wadi_exp im = scalar(m, part, depth - 1, n, params);
        const wadi_exp z = wadi_complex(re, im);
        return choice == 0 ? z : sine_and_cosine(z);
    }
    switch (choice) {
    case 2:
        return wadi_div(a, b);
    case 3:
        return wadi_sqrt(a);
    case 4:
        return wadi_exp_(wadi_neg(a));
    case 5:
        return wadi_complex(wadi_abs(a), wadi_arg(b));
    case 6:
        return wadi_complex(wadi_imag(a), wadi_real(b));
    case 7:
        return wadi_cond(wadi_isnan(a), b, wadi_sub(a, b));
    case 8:
        return wadi_log(a);
    default:
        return wadi_conj(wadi_mul(a, b));
    }
}

/* An expression of type t over the parameters. */
static wadi_exp scalar(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const int choice = gen_below(&m->r, depth <= 0 ? 2 : 14);
    if (choice == 0 && n > 0) {
        const int p = gen_below(&m->r, n);
        return m->given[p] == t ? params[p] : wadi_convert(t, params[p]);
    }
    if (choice < 2) return gen_literal(m, t);
    if (t == WADI_BOOL) return comparison(m, depth - 1, n, params);
    if (choice == 11) return looped(m, t, depth, n, params);
    if (choice == 12) return same_bits(m, t, depth, n, params);
    if (choice == 13) return table_cell(m, t, depth, n, params);
    if (choice == 9) return any_op(m, t, depth, n, params);
    if (choice > 7)
        return gen_is_complex(t) ? complex_op(m, t, depth, n, params)
               : gen_is_float(t) ? float_op(m, t, depth, n, params)
                                 : integer_op(m, t, depth, n, params);
    if (choice == 6) return table_element(m, t, depth, n, params);
    const wadi_exp a = scalar(m, t, depth - 1, n, params);
    if (choice == 7) {
        loop l = {m, t};
        return wadi_iterate_env(wadi_i64(gen_below(&m->r, 4)), loop_step, &l, a);
    }
    if (choice == 4 && !gen_is_complex(t)) {
        const wadi_exp most = gen_literal(m, t);
        return wadi_max(wadi_min(a, most), gen_literal(m, t));
    }
    const wadi_exp b = scalar(m, t, depth - 1, n, params);
    if (choice == 2) return wadi_add(a, b);
    if (choice == 3) return wadi_mul(a, b);
    return wadi_cond(comparison(m, depth, n, params), a, b);
}

wadi_exp gen_fn1(void *env, wadi_exp a) {
    maker *m = env;
    return scalar(m, m->want, 3, 1, &a);
}

wadi_exp gen_fn2(void *env, wadi_exp a, wadi_exp b) {
    maker *m = env;
    const wadi_exp params[2] = {a, b};
    return scalar(m, m->want, 3, 2, params);
}

wadi_exp gen_fn3(void *env, wadi_exp a, wadi_exp b, wadi_exp c) {
    maker *m = env;
    const wadi_exp params[3] = {a, b, c};
    return scalar(m, m->want, 3, 3, params);
}

wadi_exp gen_fn4(void *env, wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d) {
    maker *m = env;
    const wadi_exp params[4] = {a, b, c, d};
    return scalar(m, m->want, 3, 4, params);
}

wadi_exp gen_of_index(void *env, wadi_ix ix) {
    maker *m = env;
    for (int d = 0; d < ix.rank && d < 4; d++) m->given[d] = WADI_I64;
    return scalar(m, m->want, 3, ix.rank < 4 ? ix.rank : 4, ix.at);
}

wadi_exp gen_of_index_and_element(void *env, wadi_ix ix, wadi_exp a) {
    maker *m = env;
    const wadi_exp params[2] = {a, ix.rank ? ix.at[ix.rank - 1] : wadi_i64(0)};
    m->given[1] = WADI_I64;
    return scalar(m, m->want, 3, 2, params);
}

wadi_fn2 gen_sum(wadi_type t) {
    return t == WADI_BOOL ? wadi_lor : wadi_add;
}

static wadi_exp first_of(wadi_exp a, wadi_exp b) {
    (void)b;
    return a;
}

static wadi_exp second_of(wadi_exp a, wadi_exp b) {
    (void)a;
    return b;
}

/* Some of any order of the arguments, some not. */
wadi_fn2 gen_associative(maker *m, wadi_type t) {
    const int choice = gen_below(&m->r, 12);
    if (choice < 2) return choice ? first_of : second_of;
    if (t == WADI_BOOL) return gen_below(&m->r, 2) ? wadi_land : wadi_lor;
    if (gen_is_complex(t)) return gen_below(&m->r, 3) ? wadi_add : wadi_mul;
    switch (gen_below(&m->r, gen_is_float(t) ? 3 : 6)) {
    case 0:
        return wadi_add;
    case 1:
        return wadi_min;
    case 2:
        return wadi_max;
    case 3:
        return wadi_mul;
    case 4:
        return wadi_xor;
    default:
        return wadi_or;
    }
}
