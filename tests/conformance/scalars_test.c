/* Every scalar operation on every type it takes, over the values where types end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"
#include "tests/conformance/sparse.h"

enum { VALUES = 16, PAIRS = VALUES * VALUES };
/* Each output is a kernel, or several: where a driver takes long for each, a program has every so-manieth one. */
enum { EVERY_OPERATION = 12, EVERY_CONVERSION = 5, EVERY_CONSTANT = 19 };

/* A letter for what an operation takes: n any number, a real ones, i integer, b integer or bool, f float, z complex, c float
 * or complex, l bool, o everything but complex, * everything. */
typedef struct op1 {
    const char *name;
    char takes;
    wadi_fn1 f;
} op1;

typedef struct op2 {
    const char *name;
    char takes;
    wadi_fn2 f;
} op2;

static const op1 unary[] = {
    {"neg", 'n', wadi_neg},     {"abs", 'n', wadi_abs},           {"signum", 'a', wadi_signum},
    {"not", 'b', wadi_not},     {"popcount", 'i', wadi_popcount}, {"clz", 'i', wadi_clz},
    {"ctz", 'i', wadi_ctz},     {"lnot", 'l', wadi_lnot},         {"sqrt", 'c', wadi_sqrt},
    {"cbrt", 'f', wadi_cbrt},   {"exp", 'c', wadi_exp_},          {"exp2", 'f', wadi_exp2},
    {"expm1", 'f', wadi_expm1}, {"log", 'c', wadi_log},           {"log2", 'f', wadi_log2},
    {"log10", 'f', wadi_log10}, {"log1p", 'f', wadi_log1p},       {"sin", 'c', wadi_sin},
    {"cos", 'c', wadi_cos},     {"tan", 'c', wadi_tan},           {"asin", 'c', wadi_asin},
    {"acos", 'c', wadi_acos},   {"atan", 'c', wadi_atan},         {"sinh", 'c', wadi_sinh},
    {"cosh", 'c', wadi_cosh},   {"tanh", 'c', wadi_tanh},         {"asinh", 'c', wadi_asinh},
    {"acosh", 'c', wadi_acosh}, {"atanh", 'c', wadi_atanh},       {"erf", 'f', wadi_erf},
    {"erfc", 'f', wadi_erfc},   {"lgamma", 'f', wadi_lgamma},     {"tgamma", 'f', wadi_tgamma},
    {"floor", 'f', wadi_floor}, {"ceil", 'f', wadi_ceil},         {"round", 'f', wadi_round},
    {"trunc", 'f', wadi_trunc}, {"isnan", 'c', wadi_isnan},       {"isinf", 'c', wadi_isinf},
    {"real", 'z', wadi_real},   {"imag", 'z', wadi_imag},         {"arg", 'z', wadi_arg},
    {"conj", 'z', wadi_conj}};

static const op2 binary[] = {
    {"add", 'n', wadi_add},        {"sub", 'n', wadi_sub},     {"mul", 'n', wadi_mul},
    {"min", 'a', wadi_min},        {"max", 'a', wadi_max},     {"and", 'b', wadi_and},
    {"or", 'b', wadi_or},          {"xor", 'b', wadi_xor},     {"eq", '*', wadi_eq},
    {"ne", '*', wadi_ne},          {"lt", 'o', wadi_lt},       {"le", 'o', wadi_le},
    {"gt", 'o', wadi_gt},          {"ge", 'o', wadi_ge},       {"land", 'l', wadi_land},
    {"lor", 'l', wadi_lor},        {"fdiv", 'c', wadi_div},    {"atan2", 'f', wadi_atan2},
    {"pow", 'c', wadi_pow},        {"hypot", 'f', wadi_hypot}, {"copysign", 'f', wadi_copysign},
    {"complex", 'f', wadi_complex}};

/* The divisor, or the distance, comes from a vector of its own. */
static const op2 divisions[] = {{"quot", 'i', wadi_quot},
                                {"rem", 'i', wadi_rem},
                                {"div", 'i', wadi_div},
                                {"mod", 'i', wadi_mod}};
static const op2 shifts[] = {{"shl", 'i', wadi_shl},
                             {"shr", 'i', wadi_shr},
                             {"rotl", 'i', wadi_rotl},
                             {"rotr", 'i', wadi_rotr}};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static bool is_float(wadi_type t) {
    return t == WADI_F32 || t == WADI_F64;
}

static bool is_complex(wadi_type t) {
    return t == WADI_C64 || t == WADI_C128;
}

static bool fits(char takes, wadi_type t) {
    const bool rounds = is_float(t) || is_complex(t);
    switch (takes) {
    case 'n':
        return t != WADI_BOOL;
    case 'a':
        return t != WADI_BOOL && !is_complex(t);
    case 'i':
        return t != WADI_BOOL && !rounds;
    case 'b':
        return !rounds;
    case 'c':
        return rounds;
    case 'z':
        return is_complex(t);
    case 'o':
        return !is_complex(t);
    case 'f':
        return is_float(t);
    case 'l':
        return t == WADI_BOOL;
    default:
        return true;
    }
}

/* ---- values ---- */

static const double floats[VALUES] = {
    0,    -0.0,          1,      -1,     0.5, -2.5,  3,           1e-310,
    1e30, -2147483648.5, 9.3e18, -1e300, 0.1, 255.5, (double)NAN, (double)INFINITY};
static const uint64_t bits[VALUES] = {0,
                                      1,
                                      UINT64_MAX,
                                      2,
                                      7,
                                      100,
                                      UINT64_C(0x7f),
                                      UINT64_C(0x80),
                                      UINT64_C(0x7fff),
                                      UINT64_C(0x8000),
                                      UINT64_C(0x7fffffff),
                                      UINT64_C(0x80000000),
                                      UINT64_C(0x7fffffffffffffff),
                                      UINT64_C(0x8000000000000000),
                                      UINT64_C(0x0123456789abcdef),
                                      UINT64_C(0xfffffffffffffffe)};

/* The parts of complex numbers are other values of the list, so that all kinds meet. */
static wadi_scalar value(wadi_type t, int i) {
    wadi_scalar v = {t, 0};
    if (is_complex(t)) {
        v.bits = value(wadi_type_part(t), i).bits;
        v.im = value(wadi_type_part(t), (5 * i + 3) % VALUES).bits;
        return v;
    }
    const float f = (float)floats[i];
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    if (t == WADI_F64)
        memcpy(&v.bits, &floats[i], sizeof v.bits);
    else if (t == WADI_F32)
        v.bits = low;
    else if (t == WADI_BOOL)
        v.bits = bits[i] & 1;
    else
        v.bits = wadi_scalar_wrap(t, bits[i]);
    return v;
}

typedef struct vectors {
    uint64_t x[2 * PAIRS], y[2 * PAIRS], divisor[2 * PAIRS]; /* room for the widest type */
    int32_t distance[PAIRS];
    wadi_interp_input in[4];
    wadi_interp_io io;
} vectors;

static void vectors_init(vectors *v, wadi_type t) {
    static const int32_t distances[VALUES] = {0,  1,  2,  3,  7,  8,  9,   15,
                                              16, 31, 32, 63, 64, -1, 100, INT32_MIN};
    const size_t size = (size_t)wadi_type_size(t);
    for (int i = 0; i < PAIRS; i++) {
        wadi_scalar d = value(t, i / VALUES);
        wadi_scalar_store(value(t, i % VALUES), (char *)v->x + (size_t)i * size);
        wadi_scalar_store(d, (char *)v->y + (size_t)i * size);
        if (d.bits == 0) d.bits = 3;
        wadi_scalar_store(d, (char *)v->divisor + (size_t)i * size);
        v->distance[i] = distances[i / VALUES];
    }
    v->in[0] = (wadi_interp_input){"x", conf_vector(t, PAIRS, v->x)};
    v->in[1] = (wadi_interp_input){"y", conf_vector(t, PAIRS, v->y)};
    v->in[2] = (wadi_interp_input){"divisor", conf_vector(t, PAIRS, v->divisor)};
    v->in[3] = (wadi_interp_input){"distance", conf_vector(WADI_I32, PAIRS, v->distance)};
    v->io = (wadi_interp_io){v->in, 4, NULL, 0};
}

static wadi_acc vector_of(const char *name, wadi_type t) {
    static const char *const any[] = {"?"};
    return wadi_input(name, t, 1, any);
}

/* ---- programs ---- */

/* *at numbers the outputs of a program. */
static bool has(char takes, wadi_type t, int *at) {
    return fits(takes, t) && conf_sparse_part((int)t, (*at)++, EVERY_OPERATION);
}

static void output_all(const op2 *ops, int n, wadi_type t, wadi_acc a, wadi_acc b, int *at) {
    for (int i = 0; i < n; i++)
        if (has(ops[i].takes, t, at)) wadi_output(ops[i].name, wadi_zip_with(ops[i].f, a, b));
}

static void every_operation_on_every_type(void **state) {
    (void)state;
    for (int k = 0; k < WADI_TYPE_COUNT; k++) {
        const wadi_type t = (wadi_type)k;
        vectors v;
        vectors_init(&v, t);
        wadi_program *p = wadi_program_create(wadi_type_name(t));
        const wadi_acc x = vector_of("x", t), y = vector_of("y", t), z = vector_of("divisor", t),
                       d = vector_of("distance", WADI_I32);
        int at = 0;
        for (int i = 0; i < COUNT(unary); i++)
            if (has(unary[i].takes, t, &at)) wadi_output(unary[i].name, wadi_map(unary[i].f, x));
        output_all(binary, COUNT(binary), t, x, y, &at);
        output_all(divisions, COUNT(divisions), t, x, z, &at);
        output_all(shifts, COUNT(shifts), t, x, d, &at);
        if (has('f', t, &at)) wadi_output("fma", wadi_zip_with3(wadi_fma, x, y, z));
        conf_assert_agrees_briefly(p, &v.io);
    }
}

static wadi_exp converted(void *env, wadi_exp x) {
    const wadi_type *t = env;
    return wadi_convert(*t, x);
}

static wadi_exp recast(void *env, wadi_exp x) {
    const wadi_type *t = env;
    return wadi_bitcast(*t, x);
}

static void every_conversion(void **state) {
    (void)state;
    for (int k = 0; k < WADI_TYPE_COUNT; k++) {
        const wadi_type from = (wadi_type)k;
        vectors v;
        vectors_init(&v, from);
        v.io.ninputs = 1;
        wadi_program *p = wadi_program_create(wadi_type_name(from));
        const wadi_acc x = vector_of("x", from);
        for (int i = 0; i < WADI_TYPE_COUNT; i++) {
            wadi_type to = (wadi_type)i;
            if (!conf_sparse_part(k, i, EVERY_CONVERSION)) continue;
            wadi_output(wadi_type_name(to), wadi_map_env(converted, &to, x));
        }
        conf_assert_agrees_briefly(p, &v.io);
    }
}

static void bitcasts_keep_the_bits(void **state) {
    (void)state;
    static const struct {
        wadi_type from, to;
    } pair[] = {{WADI_F32, WADI_U32}, {WADI_U32, WADI_F32}, {WADI_F64, WADI_I64},
                {WADI_I64, WADI_F64}, {WADI_I8, WADI_U8},   {WADI_U16, WADI_I16}};
    for (int k = 0; k < COUNT(pair); k++) {
        wadi_type to = pair[k].to;
        vectors v;
        vectors_init(&v, pair[k].from);
        v.io.ninputs = 1;
        wadi_program *p = wadi_program_create("bitcast");
        wadi_output("cast", wadi_map_env(recast, &to, vector_of("x", pair[k].from)));
        conf_assert_agrees_briefly(p, &v.io);
    }
}

/* ---- arguments that are constants ---- */

/* What an operation gives for all constants, as one number: constants are where code is simplified. */
enum {
    LEFT,
    RIGHT,
    CHOSEN,
    SIDES
}; /* CHOSEN: both are one of two constants, as the element says */

typedef struct beside {
    const op2 *op;
    wadi_type type; /* of the constants */
    int side;
} beside;

enum { CONSTANTS = 6 };

/* The numbers, in `floats` or `bits`, of the constants that mean something to an operation. */
static int constants(wadi_type t, int out[CONSTANTS]) {
    static const int of_floats[CONSTANTS] = {0, 1, 2, 3, 14, 15};
    static const int of_ints[CONSTANTS] = {0, 1, 2, 3, 6, 7}; /* and of i8 the ends */
    const bool rounds = is_float(t) || is_complex(t);
    int more = 0;
    for (int size = wadi_type_size(t); !rounds && size > 1; size /= 2) more += 2;
    for (int i = 0; i < CONSTANTS; i++)
        out[i] = rounds ? of_floats[i] : of_ints[i] + (i < 4 ? 0 : more);
    return t == WADI_BOOL ? 2 : CONSTANTS;
}

static wadi_exp constant(wadi_type t, int i) {
    if (is_complex(t))
        return wadi_complex(constant(wadi_type_part(t), i),
                            constant(wadi_type_part(t), (5 * i + 3) % VALUES));
    return is_float(t) ? wadi_literal(t, floats[i]) : wadi_convert(t, wadi_u64(value(t, i).bits));
}

/* A NaN has no bits of its own. */
static wadi_exp bits_of(wadi_type t, wadi_exp x) {
    if (is_complex(t)) {
        const wadi_type part = wadi_type_part(t);
        return wadi_xor(bits_of(part, wadi_real(x)),
                        wadi_rotl(bits_of(part, wadi_imag(x)), wadi_i32(31)));
    }
    if (!is_float(t)) return wadi_convert(WADI_U64, x);
    const wadi_exp as = t == WADI_F64 ? wadi_bitcast(WADI_U64, x)
                                      : wadi_convert(WADI_U64, wadi_bitcast(WADI_U32, x));
    return wadi_cond(wadi_isnan(x), wadi_u64(1), as);
}

static wadi_exp with(wadi_exp sum, wadi_type t, wadi_exp x) {
    return wadi_xor(wadi_mul(sum, wadi_u64(UINT64_C(0x9e3779b97f4a7c15))), bits_of(t, x));
}

static wadi_type result_type(const op2 *op, wadi_type t) {
    if (strchr("*ol", op->takes)) return WADI_BOOL;
    if (op->f != wadi_complex) return t;
    return t == WADI_F32 ? WADI_C64 : WADI_C128;
}

/* One of two constants: which, C has to find out when it runs. */
static wadi_exp chosen(wadi_exp x, int by, wadi_type t, int i, int k) {
    return wadi_cond(wadi_eq(x, constant(t, by)), constant(t, i), constant(t, k));
}

static bool is_division(const op2 *op) {
    return op >= divisions && op < divisions + COUNT(divisions);
}

static wadi_exp beside_constants(void *env, wadi_exp x) {
    const beside *b = env;
    const wadi_type t = b->type, gives = result_type(b->op, t);
    wadi_exp sum = wadi_u64(0);
    int of[CONSTANTS];
    const int n = constants(t, of);
    for (int i = 0; i < n; i++) {
        const int next = of[(i + 1) % n], third = of[(i + 2) % n];
        const bool divides = is_division(b->op);
        const wadi_exp c = constant(t, of[i]);
        if (b->side == LEFT) sum = with(sum, gives, b->op->f(c, x));
        if (b->side == RIGHT && !(divides && of[i] == 0)) sum = with(sum, gives, b->op->f(x, c));
        if (b->side == CHOSEN && !(divides && next * third == 0))
            sum = with(sum, gives,
                       b->op->f(chosen(x, 0, t, of[i], next), chosen(x, 1, t, next, third)));
    }
    return sum;
}

typedef struct shifting {
    const op2 *op;
    wadi_type type;
} shifting;

/* The distances that are inside the width, just outside, and far from it. */
static wadi_exp by_distances(void *env, wadi_exp x) {
    const shifting *s = env;
    const int32_t width = 8 * (int32_t)wadi_type_size(s->type);
    const int32_t distances[] = {0,         1,  width - 1, width,     width + 1,
                                 2 * width, -1, -width,    INT32_MIN, INT32_MAX};
    wadi_exp sum = wadi_u64(0);
    for (int i = 0; i < COUNT(distances); i++)
        sum = with(sum, s->type, s->op->f(x, wadi_i32(distances[i])));
    return sum;
}

static void output_beside(const op2 *ops, int n, wadi_type t, wadi_acc left, wadi_acc right,
                          int *at) {
    static const char *const sides[SIDES] = {"left", "right", "chosen"};
    char name[32];
    for (int i = 0; i < SIDES * n; i++) {
        beside b = {&ops[i / SIDES], t, i % SIDES};
        if (!fits(b.op->takes, t) || b.op->takes == 'f' || b.op->f == wadi_pow) continue;
        if (!conf_sparse_part((int)t, (*at)++, EVERY_CONSTANT)) continue;
        snprintf(name, sizeof name, "%s_%s", b.op->name, sides[b.side]);
        wadi_output(name, wadi_map_env(beside_constants, &b, b.side == LEFT ? right : left));
    }
}

static void constants_in_every_place(void **state) {
    (void)state;
    static const wadi_type first[] = {WADI_BOOL, WADI_U8, WADI_I32, WADI_U32, WADI_I64, WADI_F64};
    const bool all = getenv("WADI_TEST_ALL") != NULL;
    for (int k = 0; k < (all ? WADI_TYPE_COUNT : COUNT(first)); k++) {
        const wadi_type t = all ? (wadi_type)k : first[k];
        vectors v;
        vectors_init(&v, t);
        wadi_program *p = wadi_program_create(wadi_type_name(t));
        const wadi_acc x = vector_of("x", t), z = vector_of("divisor", t),
                       d = vector_of("distance", WADI_I32);
        int at = 0;
        output_beside(binary, COUNT(binary), t, x, x, &at);
        output_beside(divisions, COUNT(divisions), t, x, z, &at);
        for (int i = 0; i < COUNT(shifts) && fits('i', t); i++) {
            static const char *const sides[] = {"of_shl", "of_shr", "of_rotl", "of_rotr"};
            shifting s = {&shifts[i], t};
            beside b = {&shifts[i], t, LEFT};
            if (!conf_sparse_part((int)t, at++, EVERY_CONSTANT)) continue;
            wadi_output(s.op->name, wadi_map_env(by_distances, &s, x));
            wadi_output(sides[i], wadi_map_env(beside_constants, &b, d));
        }
        conf_assert_agrees_briefly(p, &v.io);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_on_every_type), cmocka_unit_test(constants_in_every_place),
        cmocka_unit_test(every_conversion), cmocka_unit_test(bitcasts_keep_the_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
