/* Loop IR as C, letter by letter: tests/codegen/emitted/. Every scalar operation on every type, constants, and each kind of statement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/emit/c/c.h"
#include "codegen/emit/c_like/scalar.h"
#include "graph/ir/literal.h"
#include "tests/codegen/code_fixture.h"
#include "tests/operators/cases.h"

/* ---- scalar operations ---- */

enum { ARGS = 3 };

/* A function of one operation and its arguments: values that are loaded, or constants. */
typedef struct sample {
    wadi_linst arg[ARGS], op;
    wadi_linst *inst[ARGS + 1];
    wadi_lv args[ARGS];
    wadi_lfun f;
    wadi_text *out;
} sample;

static void write_argument(void *env, wadi_lv v) {
    sample *s = env;
    if (s->arg[v].kind == WADI_L_CONST)
        wadi_c_constant(s->out, WADI_C_HOST, s->arg[v].imm);
    else
        wadi_text_addf(s->out, "%c", "xyz"[v]);
}

static void write_operand(void *env, wadi_lv v) {
    write_argument(env, v);
}

static void sample_init(sample *s, wadi_sop op, wadi_type result, const wadi_type *types, int n,
                        wadi_text *out) {
    memset(s, 0, sizeof *s);
    for (int k = 0; k < n; k++) {
        s->arg[k] = (wadi_linst){
            .kind = WADI_L_LOAD, .type = types[k], .has_value = true, .self = (wadi_lv)k};
        s->args[k] = (wadi_lv)k;
        s->inst[k] = &s->arg[k];
    }
    s->op = (wadi_linst){.kind = WADI_L_PRIM,
                         .op = op,
                         .type = result,
                         .has_value = true,
                         .nargs = n,
                         .args = s->args,
                         .self = (wadi_lv)n};
    s->inst[n] = &s->op;
    s->f = (wadi_lfun){.name = "f", .inst = s->inst, .n = (uint32_t)n + 1};
    s->out = out;
}

static void tell(sample *s) {
    wadi_text_add(s->out, "  ");
    wadi_c_prim(s->out, WADI_C_HOST, &s->f, &s->op, write_operand, write_argument, s);
    wadi_text_add(s->out, "\n");
}

static void every_operation_on_every_type(void **state) {
    (void)state;
    wadi_text out;
    wadi_text_init(&out);
    for (int k = 0; k < WADI_SOP_PRIM_COUNT; k++) {
        const wadi_sop op = (wadi_sop)k;
        wadi_text_addf(&out, "%s\n", wadi_sop_get(op)->name);
        for (int t = 0; t < WADI_TYPE_COUNT; t++) {
            const wadi_type type = (wadi_type)t;
            const wadi_type types[ARGS] = {
                type, wadi_sop_get(op)->cls == WADI_CLASS_SHIFT ? WADI_I32 : type, type};
            wadi_type result;
            sample s;
            if (!wadi_sop_type(op, types, &result)) continue;
            sample_init(&s, op, result, types, wadi_sop_get(op)->arity, &out);
            wadi_text_addf(&out, "  %s", wadi_type_name(type));
            tell(&s);
        }
    }
    check_transcript("codegen/emitted/operations", &out);
    wadi_text_fini(&out);
}

static void every_conversion(void **state) {
    (void)state;
    wadi_text out;
    wadi_text_init(&out);
    for (int op = 0; op < 2; op++)
        for (int from = 0; from < WADI_TYPE_COUNT; from++)
            for (int to = 0; to < WADI_TYPE_COUNT; to++) {
                const wadi_type type = (wadi_type)from;
                sample s;
                if (to == from || (op == 1 && !wadi_bitcast_fits((wadi_type)to, type))) continue;
                sample_init(&s, op == 0 ? WADI_SOP_CONVERT : WADI_SOP_BITCAST, (wadi_type)to, &type,
                            1, &out);
                wadi_text_addf(&out, "%s %s to %s", op == 0 ? "convert" : "bitcast",
                               wadi_type_name(type), wadi_type_name((wadi_type)to));
                tell(&s);
            }
    check_transcript("codegen/emitted/conversions", &out);
    wadi_text_fini(&out);
}

static void tell_beside(wadi_sop op, wadi_type type, wadi_scalar constant, int side, bool nonneg,
                        wadi_text *out) {
    const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    const wadi_type types[ARGS] = {type, distance ? WADI_I32 : type, type};
    wadi_type result;
    sample s;
    assert_true(wadi_sop_type(op, types, &result));
    sample_init(&s, op, result, types, 2, out);
    s.arg[side].kind = WADI_L_CONST;
    s.arg[side].imm = constant;
    s.arg[1 - side].nonneg = nonneg;
    s.op.truncates = nonneg;
    wadi_text_addf(out, "%s %s%s", wadi_sop_get(op)->name, wadi_type_name(type),
                   nonneg ? " of x >= 0" : "");
    tell(&s);
}

/* What is written otherwise where an argument is a constant. */
static void operations_beside_constants(void **state) {
    (void)state;
    static const wadi_sop divisions[] = {WADI_SOP_QUOT, WADI_SOP_REM, WADI_SOP_DIV, WADI_SOP_MOD};
    static const wadi_type ints[] = {WADI_I8, WADI_I64, WADI_U16, WADI_U64};
    static const int64_t divisors[] = {0, 1, 2, -1, -3},
                         distances[] = {0, 1, 7, 8, 15, 16, 63, 64, -1};
    static const uint64_t f64s[] = {0,
                                    UINT64_C(1) << 63,
                                    UINT64_C(0x3ff8000000000000),
                                    UINT64_C(0x7ff0000000000000),
                                    UINT64_C(0xfff0000000000000),
                                    UINT64_C(0x7ff8000000000000),
                                    UINT64_C(0xfff8000000000001)};
    static const uint64_t f32s[] = {0,          0x80000000, 0x3fc00000, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0xffc00001};
    wadi_text out;
    wadi_text_init(&out);
    for (size_t o = 0; o < 4; o++)
        for (size_t t = 0; t < 4; t++)
            for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++) {
                const wadi_scalar d = {ints[t], wadi_scalar_wrap(ints[t], (uint64_t)divisors[k])};
                tell_beside(divisions[o], ints[t], d, 1, false, &out);
                tell_beside(divisions[o], ints[t], d, 1, true, &out);
            }
    tell_beside(WADI_SOP_QUOT, WADI_I64, (wadi_scalar){WADI_I64, 7}, 0, false, &out);
    for (wadi_sop op = WADI_SOP_SHL; op <= WADI_SOP_ROTR; op++)
        for (size_t t = 0; t < 4; t++)
            for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
                tell_beside(op, ints[t], (wadi_scalar){WADI_I32, (uint64_t)distances[k]}, 1, false,
                            &out);
    tell_beside(WADI_SOP_SHL, WADI_I64, (wadi_scalar){WADI_I64, 7}, 0, false, &out);
    for (int max = 0; max < 2; max++)
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; k < sizeof f64s / sizeof *f64s; k++) {
                const wadi_sop op = max ? WADI_SOP_MAX : WADI_SOP_MIN;
                tell_beside(op, WADI_F64, (wadi_scalar){WADI_F64, f64s[k]}, side, false, &out);
                tell_beside(op, WADI_F32, (wadi_scalar){WADI_F32, f32s[k]}, side, false, &out);
            }
    tell_beside(WADI_SOP_MIN, WADI_I64, (wadi_scalar){WADI_I64, 3}, 1, false, &out);
    check_transcript("codegen/emitted/beside_constants", &out);
    wadi_text_fini(&out);
}

/* Two constants have digits alone: their type is said. */
static void operations_of_constants(void **state) {
    (void)state;
    static const wadi_sop ops[] = {WADI_SOP_ADD,  WADI_SOP_MUL, WADI_SOP_LT, WADI_SOP_AND,
                                   WADI_SOP_QUOT, WADI_SOP_MAX, WADI_SOP_SHR};
    static const wadi_type types[] = {WADI_I8, WADI_I32, WADI_I64, WADI_U32, WADI_U64, WADI_F64};
    wadi_text out;
    wadi_text_init(&out);
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            const bool distance = wadi_sop_get(ops[o])->cls == WADI_CLASS_SHIFT;
            const wadi_type both[ARGS] = {types[t], distance ? WADI_I32 : types[t]};
            wadi_type result;
            sample s;
            if (!wadi_sop_type(ops[o], both, &result)) continue;
            sample_init(&s, ops[o], result, both, 2, &out);
            for (int k = 0; k < 2; k++) {
                s.arg[k].kind = WADI_L_CONST;
                s.arg[k].imm =
                    (wadi_scalar){both[k], both[k] == WADI_F64 ? UINT64_C(0x4008000000000000) : 3};
            }
            wadi_text_addf(&out, "%s %s", wadi_sop_get(ops[o])->name, wadi_type_name(types[t]));
            tell(&s);
        }
    check_transcript("codegen/emitted/of_constants", &out);
    wadi_text_fini(&out);
}

static void constants_of_every_type(void **state) {
    (void)state;
    static const char *const texts[] = {"true",
                                        "false",
                                        "0i8",
                                        "-1i8",
                                        "-128i8",
                                        "127i8",
                                        "-32768i16",
                                        "32767i16",
                                        "2147483647i32",
                                        "-2147483647i32",
                                        "-2147483648i32",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483647",
                                        "-2147483648",
                                        "-2147483649",
                                        "9223372036854775807",
                                        "-9223372036854775807",
                                        "-9223372036854775808",
                                        "255u8",
                                        "65535u16",
                                        "2147483647u32",
                                        "2147483648u32",
                                        "4294967295u32",
                                        "4294967295u64",
                                        "4294967296u64",
                                        "18446744073709551615u64",
                                        "0.0",
                                        "-0.0",
                                        "1.0",
                                        "-1.0",
                                        "0.5",
                                        "0.0625",
                                        "0.03125",
                                        "-2.75",
                                        "0.1",
                                        "999999.0",
                                        "999999.5",
                                        "1000000.0",
                                        "1e300",
                                        "-1e-300",
                                        "inf_f64",
                                        "-inf_f64",
                                        "nan_f64",
                                        "0.0f32",
                                        "-0.0f32",
                                        "1.5f32",
                                        "-0.0625f32",
                                        "0.1f32",
                                        "1e10f32",
                                        "inf_f32",
                                        "-inf_f32",
                                        "nan_f32",
                                        "1.5-2.0i",
                                        "0.0+1.0i",
                                        "inf-infi",
                                        "nan+0.1i",
                                        "1.5-2.0ic64",
                                        "0.1+infic64"};
    wadi_text out;
    wadi_text_init(&out);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        wadi_scalar v;
        const char *why = NULL;
        if (!wadi_literal_read(texts[k], strlen(texts[k]), NULL, &v, &why))
            fail_msg("%s: %s", texts[k], why);
        wadi_text_addf(&out, "%s  ", texts[k]);
        wadi_c_constant(&out, WADI_C_HOST, v);
        wadi_text_add(&out, "\n");
    }
    for (int t = 0; t < WADI_TYPE_COUNT; t++)
        wadi_text_addf(&out, "%s  %s\n", wadi_type_name((wadi_type)t), wadi_c_type((wadi_type)t));
    check_transcript("codegen/emitted/constants", &out);
    wadi_text_fini(&out);
}

/* ---- statements ---- */

static wadi_lv num(wadi_lb *b, int64_t v) {
    return wadi_lb_i64(b, v);
}

static wadi_lv extent(wadi_lb *b, int dim) {
    return wadi_lb_leaf(b, WADI_L_SHAPE, 0, dim, WADI_LV_NONE);
}

static const wadi_plan_slot slots[] = {
    {.name = "xs", .rank = 2}, {.name = "ys", .rank = 1}, {.rank = 3}, {.name = "zs", .rank = 1}};

static void check_kernel(wadi_lb *b, const char *name) {
    wadi_text whole, out;
    wadi_error err = {0};
    size_t kernels = 0;
    wadi_lfun *funs[] = {b->fun};
    const wadi_lmodule m = {.name = "m", .nfuns = 1, .funs = funs, .slots = slots};
    wadi_text_init(&whole);
    wadi_text_init(&out);
    assert_false(b->failed);
    if (wadi_emit_c(&m, &whole, &kernels, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_text_add(&out, wadi_text_str(&whole) + kernels);
    check_transcript(name, &out);
    wadi_text_fini(&out);
    wadi_text_fini(&whole);
}

static wadi_lv args_of(wadi_lb *b, int index) {
    return wadi_lb_leaf(b, WADI_L_ARG, -1, index, WADI_LV_NONE);
}

/* What is known of slots and of the call. */
static void leaves(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv column = wadi_lb_column(b, 3, 0, WADI_I64);
    const wadi_lv s = wadi_lb_name(b, args_of(b, 0), "s");
    const wadi_lv all[] = {args_of(b, 1),
                           args_of(b, 2),
                           args_of(b, 3),
                           args_of(b, 4),
                           extent(b, 0),
                           extent(b, 1),
                           wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, s),
                           wadi_lb_leaf(b, WADI_L_SHAPE, 0, 1, s),
                           wadi_lb_leaf(b, WADI_L_SHAPE, 1, 0, s),
                           wadi_lb_leaf(b, WADI_L_SHAPE, 2, 2, s),
                           wadi_lb_leaf(b, WADI_L_STRIDE, 1, 0, WADI_LV_NONE),
                           wadi_lb_leaf(b, WADI_L_OFFSET, 2, 0, s),
                           wadi_lb_leaf(b, WADI_L_UNIT, -1, 0, s)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wadi_lb_store(b, column, num(b, (int64_t)k), all[k]);
    check_kernel(b, "codegen/emitted/leaves");
}

static void pointers_and_values(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv in = wadi_lb_column(b, 0, 1, WADI_F32), out = wadi_lb_column(b, 3, 0, WADI_F32),
                  flags = wadi_lb_column(b, 3, 1, WADI_BOOL),
                  cs = wadi_lb_column(b, 2, 0, WADI_C64);
    const wadi_lv further = wadi_lb_advance(b, out, extent(b, 0));
    const wadi_lv x = wadi_lb_fresh(b, in, num(b, 3)), y = wadi_lb_fresh(b, in, num(b, 4)),
                  n = extent(b, 1);
    wadi_lb_store(b, further, num(b, 0),
                  wadi_lb_bin(b, WADI_SOP_ADD, x, wadi_lb_bin(b, WADI_SOP_MUL, x, y)));
    wadi_lb_store(b, further, num(b, 1),
                  wadi_lb_select(b, WADI_F32, wadi_lb_bin(b, WADI_SOP_LT, x, y), x, y));
    /* loads in the sides of a choice have statements of their own, and a choice between bools is logic */
    const wadi_lv c = wadi_lb_bin(b, WADI_SOP_LT, y, x);
    const wadi_lv here = wadi_lb_load(b, in, num(b, 5), NULL),
                  there = wadi_lb_load(b, in, num(b, 6), NULL);
    wadi_lb_store(b, further, num(b, 2),
                  wadi_lb_select(b, WADI_F32, c, wadi_lb_bin(b, WADI_SOP_MUL, here, x), there));
    wadi_lb_store(b, flags, num(b, 3),
                  wadi_lb_select(b, WADI_BOOL, c, wadi_lb_load(b, flags, num(b, 4), NULL),
                                 wadi_lb_load(b, flags, num(b, 5), NULL)));
    wadi_lb_store(b, flags, num(b, 0), wadi_lb_bin(b, WADI_SOP_LT, x, y));
    wadi_lb_store(b, flags, num(b, 1), wadi_lb_bin(b, WADI_SOP_NE, n, num(b, 0)));
    wadi_lb_store(b, flags, num(b, 2), wadi_lb_bin(b, WADI_SOP_NE, n, num(b, 1)));
    const wadi_lv z = wadi_lb_fresh(b, cs, num(b, 0)), w = wadi_lb_fresh(b, cs, num(b, 1));
    wadi_lb_store(b, cs, num(b, 2),
                  wadi_lb_select(b, WADI_C64, wadi_lb_bin(b, WADI_SOP_LT, x, y), z, w));
    wadi_lb_store(b, cs, num(b, 3), wadi_lb_bin(b, WADI_SOP_FDIV, z, w));
    const wadi_lv pointer[] = {out, in, extent(b, 0)};
    (void)wadi_lb_act(b, WADI_L_COPY, 3, pointer);
    wadi_lb_note(b, "a note of %d", 7);
    check_kernel(b, "codegen/emitted/values");
}

static void variables_and_lanes(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv out = wadi_lb_column(b, 3, 0, WADI_I64);
    const wadi_lv v = wadi_lb_var(b, WADI_I64, false, num(b, 5), "v"),
                  empty = wadi_lb_var(b, WADI_I64, false, WADI_LV_NONE, "empty"),
                  p = wadi_lb_var(b, WADI_I64, true, WADI_LV_NONE, "p"),
                  lanes = wadi_lb_lanes(b, WADI_F64, 16, "acc");
    wadi_lb_set(b, empty, extent(b, 0));
    wadi_lb_set(b, p, out);
    wadi_lb_set(b, v, wadi_lb_bin(b, WADI_SOP_ADD, wadi_lb_get(b, v), num(b, 1)));
    wadi_lb_put(b, lanes, num(b, 2), wadi_lb_lane(b, lanes, num(b, 3)));
    wadi_lb_store(b, wadi_lb_get(b, p), wadi_lb_get(b, v), wadi_lb_get(b, empty));
    wadi_lb_store(b, wadi_lb_column(b, 3, 1, WADI_F64), num(b, 0),
                  wadi_lb_lane(b, lanes, num(b, 2)));
    check_kernel(b, "codegen/emitted/variables");
}

static void loops_and_branches(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv out = wadi_lb_column(b, 3, 0, WADI_I64), n = extent(b, 0);
    const wadi_lv k = wadi_lb_var(b, WADI_I64, false, num(b, 0), "k");
    wadi_lv i = wadi_lb_for(b, num(b, 0), n, 1, "i");
    wadi_lb_store(b, out, i, i);
    wadi_lb_end(b);
    i = wadi_lb_for(b, num(b, 2), num(b, 64), 16, "j");
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, i, n));
    wadi_lb_store(b, out, i, num(b, 1));
    wadi_lb_else(b);
    wadi_lb_store(b, out, i, num(b, 2));
    wadi_lb_end(b);
    wadi_linst *loop = b->scope->owner;
    wadi_lb_end(b);
    if (loop) loop->independent = loop->unrolled = true;
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_EQ, n, num(b, 7)));
    wadi_lb_store(b, out, num(b, 0), num(b, 3));
    wadi_lb_end(b);
    i = wadi_lb_for(b, num(b, 0), n, 16, "l");
    wadi_lb_store(b, out, i, num(b, 4));
    wadi_lb_end(b);
    wadi_lb_repeat(b);
    wadi_lb_leave_unless(b, wadi_lb_bin(b, WADI_SOP_LT, wadi_lb_get(b, k), n));
    wadi_lb_set(b, k, wadi_lb_bin(b, WADI_SOP_ADD, wadi_lb_get(b, k), num(b, 3)));
    wadi_lb_end(b);
    wadi_lb_store(b, out, num(b, 1), wadi_lb_get(b, k));
    check_kernel(b, "codegen/emitted/loops");
}

static void what_the_runtime_is_asked_for(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv s = args_of(b, 0), n = extent(b, 0), two[] = {n, num(b, 3)};
    b->place = 6;
    const wadi_lv mark = wadi_lb_act(b, WADI_L_MARK, 0, NULL)->self;
    const wadi_lv one = wadi_lb_scratch(b, WADI_F64, 2, two, "tmp"),
                  none = wadi_lb_scratch(b, WADI_I8, 0, NULL, "single");
    wadi_lb_store(b, one, num(b, 0), wadi_lb_const(b, (wadi_scalar){WADI_F64, 0}));
    wadi_lb_store(b, none, num(b, 0), wadi_lb_const(b, (wadi_scalar){WADI_I8, 1}));
    const wadi_lv rewind[] = {mark};
    (void)wadi_lb_act(b, WADI_L_REWIND, 1, rewind);
    const wadi_lv size[] = {n, s}, units[] = {num(b, 4), s};
    wadi_linst *shape = wadi_lb_act(b, WADI_L_SETSHAPE, 2, size);
    shape->slot = 0;
    shape->index = 1;
    shape = wadi_lb_act(b, WADI_L_SETSHAPE, 1, size);
    shape->slot = 1;
    (void)wadi_lb_act(b, WADI_L_SETUNIT, 2, units);
    const wadi_lv element[] = {s, n, num(b, 2)};
    wadi_linst *emit = wadi_lb_act(b, WADI_L_EMIT, 3, element);
    emit->slot = 2;
    emit->index = 5;
    wadi_linst *column = wadi_lb_act(b, WADI_L_EMITTED, 0, NULL);
    column->slot = 2;
    column->index = 1;
    column->type = WADI_I16;
    column->pointer = true;
    wadi_lb_store(b, column->self, num(b, 0), wadi_lb_const(b, (wadi_scalar){WADI_I16, 9}));
    emit = wadi_lb_act(b, WADI_L_EMIT, 1, element);
    emit->slot = 1;
    emit->index = 8;
    const wadi_lv unit[] = {extent(b, 1)};
    wadi_linst *segment = wadi_lb_act(b, WADI_L_SEGMENT, 1, unit);
    wadi_lb_store(b, wadi_lb_column(b, 3, 0, WADI_I64), num(b, 0), segment->self);
    check_kernel(b, "codegen/emitted/requests");
}

/* A routine of a library over two arrays, the first of which it reads, and one without dimensions. */
static void routines(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv in = wadi_lb_column(b, 0, 0, WADI_F32), out = wadi_lb_column(b, 3, 0, WADI_C64),
                  n = extent(b, 0);
    const wadi_lv args[] = {num(b, 7), in, n, num(b, 5), out, n, num(b, 3)};
    for (int dims = 2; dims >= 0; dims -= 2) {
        const wadi_lv flat[] = {num(b, 7), in, out};
        wadi_linst *run =
            wadi_lb_act(b, WADI_L_FOREIGN, dims == 2 ? 7 : 3, dims == 2 ? args : flat);
        run->has_value = true;
        run->type = WADI_BOOL;
        run->text = dims == 2 ? "rfft" : "other";
        run->index = 1;
        run->imm.bits = (uint64_t)dims;
        wadi_lb_if(b, run->self);
        wadi_lb_store(b, in, num(b, dims), wadi_lb_const(b, (wadi_scalar){WADI_F32, 0}));
        wadi_lb_end(b);
    }
    check_kernel(b, "codegen/emitted/routines");
}

static void faults(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = extent(b, 0);
    for (int kind = 0; kind <= WADI_FAULT_CANCELLED; kind++) {
        const wadi_lv args[] = {num(b, 1), num(b, 2), num(b, 3), num(b, 4),
                                num(b, 5), num(b, 6), n,         num(b, 8)};
        wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_EQ, n, num(b, 100 + kind)));
        wadi_linst *f = wadi_lb_act(b, WADI_L_FAULT, kind % 2 ? 8 : 6, args);
        f->imm = (wadi_scalar){WADI_I64, (uint64_t)kind};
        f->index = 20 + kind;
        wadi_lb_end(b);
    }
    check_kernel(b, "codegen/emitted/faults");
}

#define KERNEL(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_on_every_type),
        cmocka_unit_test(every_conversion),
        cmocka_unit_test(operations_beside_constants),
        cmocka_unit_test(operations_of_constants),
        cmocka_unit_test(constants_of_every_type),
        KERNEL(leaves),
        KERNEL(pointers_and_values),
        KERNEL(variables_and_lanes),
        KERNEL(loops_and_branches),
        KERNEL(what_the_runtime_is_asked_for),
        KERNEL(routines),
        KERNEL(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
