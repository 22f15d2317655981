/* The text of many scalar operations in device C, and what they are tried on. */
#include "tests/devices/scalar_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/emit/c_like/scalar.h"

static void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

void scalar_cases_init(scalar_cases *c, wadi_type type) {
    *c = (scalar_cases){.type = type};
    for (int a = 0; a < DEVICE_ARGS; a++)
        c->arg[a] = checked(calloc(DEVICE_ELEMENTS, sizeof *c->arg[a]));
    c->distance = checked(calloc(DEVICE_ELEMENTS, sizeof *c->distance));
}

void scalar_cases_fini(scalar_cases *c) {
    for (int a = 0; a < DEVICE_ARGS; a++) free(c->arg[a]);
    free(c->distance);
    free(c->at);
}

static void scalar_cases_add(scalar_cases *c, scalar_case one) {
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 64;
        c->at = checked(realloc(c->at, (size_t)c->cap * sizeof *c->at));
    }
    c->at[c->n++] = one;
}

/* ---- elements ---- */

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t float_bits(wadi_type part, double x) {
    const float f = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    return part == WADI_F32 ? low : bits;
}

static const double special_reals[] = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2,
    -2.5,
    0.49999999999999994,
    3,
    -7,
    100.25,
    127.5,
    -128.5,
    255.99,
    32768,
    65536,
    8388607.5,
    -8388608,
    2147483647.5,
    -2147483649.0,
    4294967296.0,
    9223372036854775808.0,
    -9223372036854775808.0,
    18446744073709551616.0,
    4503599627370495.5,
    1e300,
    1e-310,
    1e-40,
    1.17549435082228750797e-38,
    3.40282346638528859812e+38,
    1.7976931348623157e308,
    5e-324,
    (double)INFINITY,
    -(double)INFINITY,
    (double)NAN,
    3.14159265358979323846,
    1.57079632679489661923,
    88.7,
    -103.9,
    709.7,
};
enum { SPECIAL_REALS = sizeof special_reals / sizeof *special_reals };

static const uint64_t special_ints[] = {0,
                                        1,
                                        2,
                                        3,
                                        7,
                                        8,
                                        100,
                                        0x7e,
                                        0x7f,
                                        0x80,
                                        0x81,
                                        0xff,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x10000,
                                        0x7fffffff,
                                        0x80000000,
                                        0x80000001,
                                        0xffffffff,
                                        UINT64_C(0x100000000),
                                        UINT64_C(0x0123456789abcdef),
                                        UINT64_C(0x7fffffffffffffff),
                                        UINT64_C(0x8000000000000000),
                                        UINT64_C(0x8000000000000001),
                                        UINT64_C(0xfffffffffffffff9),
                                        UINT64_MAX - 1,
                                        UINT64_MAX};
enum { SPECIAL_INTS = sizeof special_ints / sizeof *special_ints };

static uint64_t special_bits(wadi_type part, uint64_t k) {
    if (wadi_type_is_float(part)) return float_bits(part, special_reals[k % SPECIAL_REALS]);
    return wadi_scalar_wrap(part, special_ints[k % SPECIAL_INTS]);
}

/* Floats: of all magnitudes, near 1, and of middling size. */
static uint64_t random_bits(wadi_type part, uint64_t *state) {
    const uint64_t r = next_random(state);
    const double unit = (double)(int64_t)next_random(state) * 0x1p-63;
    if (!wadi_type_is_float(part)) return wadi_scalar_wrap(part, r % 3 ? r >> 2 : r >> 50);
    switch (r % 4) {
    case 0:
        return wadi_scalar_wrap(part == WADI_F32 ? WADI_U32 : WADI_U64, next_random(state));
    case 1:
        return float_bits(part, unit);
    case 2:
        return float_bits(part, 20 * unit);
    default:
        return float_bits(part, 1 + unit * 0x1p-8);
    }
}

static wadi_scalar special(wadi_type t, uint64_t k) {
    const wadi_type part = wadi_type_part(t);
    const uint64_t few = wadi_type_is_float(part) ? SPECIAL_REALS : SPECIAL_INTS;
    wadi_scalar v = {t, special_bits(part, k)};
    if (wadi_type_is_complex(t)) v.im = special_bits(part, k / few);
    return v;
}

static wadi_scalar random_scalar(wadi_type t, uint64_t *state) {
    const wadi_type part = wadi_type_part(t);
    wadi_scalar v = {t, random_bits(part, state)};
    if (wadi_type_is_complex(t)) v.im = random_bits(part, state);
    return v;
}

static void scalar_cases_elements(scalar_cases *c, uint64_t seed) {
    const uint64_t few = wadi_type_rounds(c->type) ? SPECIAL_REALS : SPECIAL_INTS;
    for (uint64_t i = 0; i < DEVICE_ELEMENTS; i++) {
        const bool pair = i < few * few;
        const bool is_complex = wadi_type_is_complex(c->type);
        c->arg[0][i] =
            pair ? special(c->type, is_complex ? i : i % few) : random_scalar(c->type, &seed);
        c->arg[1][i] = pair && i % 7 ? special(c->type, is_complex ? i * 29 + 3 : i / few)
                                     : random_scalar(c->type, &seed);
        c->arg[2][i] = i % 3 ? random_scalar(c->type, &seed) : special(c->type, i / 3);
        const uint64_t d = i % 11 ? i % 67 - 1 : next_random(&seed);
        c->distance[i] = (wadi_scalar){WADI_I32, wadi_scalar_wrap(WADI_I32, d)};
    }
}

void scalar_case_args(const scalar_cases *c, int k, int i, wadi_scalar *args) {
    const scalar_case *one = &c->at[k];
    for (int a = 0; a < DEVICE_ARGS; a++) {
        const bool shifts = a == 1 && one->op < WADI_SOP_PRIM_COUNT &&
                            wadi_sop_get(one->op)->cls == WADI_CLASS_SHIFT;
        args[a] = shifts ? c->distance[i] : c->arg[a][i];
        if (one->small) args[a].bits = (uint64_t)(int32_t)(uint32_t)args[a].bits;
        if (a == one->constant) args[a] = one->imm;
    }
}

/* ---- which operations ---- */

static bool types_of(wadi_sop op, wadi_type t, scalar_case *one) {
    const bool shifts = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    *one = (scalar_case){.op = op, .types = {t, shifts ? WADI_I32 : t, t}, .constant = -1};
    return wadi_sop_type(op, one->types, &one->result);
}

static void add_operations(scalar_cases *c) {
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++) {
        scalar_case one;
        if (types_of((wadi_sop)op, c->type, &one)) scalar_cases_add(c, one);
    }
}

static void add_conversions(scalar_cases *c) {
    for (int to = 0; to < WADI_TYPE_COUNT; to++) {
        scalar_case one = {
            .op = WADI_SOP_CONVERT, .result = (wadi_type)to, .types = {c->type}, .constant = -1};
        if (to == (int)c->type) continue;
        scalar_cases_add(c, one);
        one.op = WADI_SOP_BITCAST;
        if (wadi_bitcast_fits((wadi_type)to, c->type)) scalar_cases_add(c, one);
    }
    if (wadi_type_is_complex(c->type))
        scalar_cases_add(c, (scalar_case){.result = c->type, .constant = -1, .chosen = true});
}

/* Constants alone, and beside an argument: there plainer text may do. */
static void add_constants(scalar_cases *c) {
    static const wadi_sop ops[] = {WADI_SOP_ADD, WADI_SOP_MUL, WADI_SOP_SHL,  WADI_SOP_SHR,
                                   WADI_SOP_MIN, WADI_SOP_MAX, WADI_SOP_QUOT, WADI_SOP_REM,
                                   WADI_SOP_DIV, WADI_SOP_MOD, WADI_SOP_LT};
    for (int k = 0; k < 42; k++) {
        const wadi_scalar imm = c->arg[0][k];
        scalar_cases_add(
            c, (scalar_case){.result = c->type, .constant = -1, .imm = imm, .alone = true});
        for (size_t o = 0; k % 3 == 0 && o < sizeof ops / sizeof *ops; o++) {
            scalar_case one;
            if (!types_of(ops[o], c->type, &one)) continue;
            one.constant = k % 2;
            one.imm = one.constant == 1 && one.types[1] == WADI_I32 ? c->distance[k] : imm;
            scalar_cases_add(c, one);
        }
    }
}

/* i64 that are known to be small: operators in place of calls. The elements are indeed. */
static void add_small(scalar_cases *c) {
    static const wadi_sop ops[] = {WADI_SOP_ADD, WADI_SOP_SUB, WADI_SOP_MUL, WADI_SOP_NEG};
    for (size_t o = 0; c->type == WADI_I64 && o < sizeof ops / sizeof *ops; o++) {
        scalar_case one;
        if (!types_of(ops[o], c->type, &one)) continue;
        one.small = true;
        scalar_cases_add(c, one);
    }
}

void scalar_cases_fill(scalar_cases *c) {
    scalar_cases_elements(c, 7);
    add_operations(c);
    add_conversions(c);
    add_constants(c);
    add_small(c);
}

/* ---- text ---- */

size_t scalar_cases_column(const scalar_cases *c, int k) {
    size_t at = 0;
    for (int j = 0; j < k; j++) at += DEVICE_ELEMENTS * (size_t)wadi_type_size(c->at[j].result);
    return at;
}

/* The operation as loop IR, for its writer. */
typedef struct sample {
    wadi_linst arg[DEVICE_ARGS], op;
    wadi_linst *inst[DEVICE_ARGS + 1];
    wadi_lv args[DEVICE_ARGS];
    wadi_lfun f;
    wadi_text *out;
    const char *names;
} sample;

static void write_argument(void *env, wadi_lv v) {
    const sample *s = env;
    if (s->arg[v].kind == WADI_L_CONST)
        wadi_c_constant(s->out, WADI_C_DEVICE, s->arg[v].imm);
    else
        wadi_text_addf(s->out, s->op.bits < 64 ? "((int64_t)(int32_t)%c)" : "%c", s->names[v]);
}

static void write_prim(const scalar_case *one, wadi_text *out) {
    const bool prim = one->op < WADI_SOP_PRIM_COUNT;
    const int n = prim ? wadi_sop_get(one->op)->arity : 1;
    const bool shifts = prim && wadi_sop_get(one->op)->cls == WADI_CLASS_SHIFT;
    sample s = {.out = out, .names = shifts ? "xd" : "xyz"};
    for (int k = 0; k < n; k++) {
        s.arg[k] = (wadi_linst){.kind = k == one->constant ? WADI_L_CONST : WADI_L_LOAD,
                                .type = one->types[k],
                                .imm = one->imm,
                                .bits = 64,
                                .self = (wadi_lv)k};
        s.args[k] = (wadi_lv)k;
        s.inst[k] = &s.arg[k];
    }
    s.op = (wadi_linst){.kind = WADI_L_PRIM,
                        .op = one->op,
                        .type = one->result,
                        .bits = one->small ? 63 : 64,
                        .nargs = n,
                        .args = s.args,
                        .self = (wadi_lv)n};
    s.inst[n] = &s.op;
    s.f = (wadi_lfun){.name = "f", .inst = s.inst, .n = (uint32_t)n + 1};
    wadi_c_prim(out, WADI_C_DEVICE, &s.f, &s.op, write_argument, write_argument, &s);
}

static void write_case(const scalar_case *one, wadi_text *out) {
    if (one->alone)
        wadi_c_constant(out, WADI_C_DEVICE, one->imm);
    else if (one->chosen)
        wadi_text_addf(out, "wadi_select_%s(i %% 2 == 0, x, y)", wadi_type_name(one->result));
    else
        write_prim(one, out);
}

void scalar_cases_write(const scalar_cases *c, const char *qualifier, wadi_text *out) {
    for (int k = 0; k < c->n; k++) {
        const wadi_type t = c->at[k].result;
        wadi_text_addf(out, "    ((%s %s *)(out + %zu))[i] = ", qualifier,
                       t == WADI_BOOL ? "uint8_t" : wadi_c_type(t), scalar_cases_column(c, k));
        if (t == WADI_BOOL) wadi_text_add(out, "(");
        write_case(&c->at[k], out);
        wadi_text_add(out, t == WADI_BOOL ? ") ? 1 : 0;\n" : ";\n");
    }
}
