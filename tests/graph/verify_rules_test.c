/* Each rule of the verifier, with a program that breaks only this rule, and the whole message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/op.h"
#include "operators/table.h"

/* Something of everything. */
static const char text[] =
    "program victim\n"
    "input xs : f32[n]\n"
    "input rs : {a: f32, b: i64}[n]\n"
    "input z : f32\n"
    "s = stream_in \"s\" : seq(f32[?], i64)\n"
    "ys = map xs (x) { if lt x 1.0f32 { mul x x } else { neg x } }\n"
    "zs = map ys (x) { add x (xs ! 0) }\n"
    "c = map rs (a, b) { convert i64 a }\n"
    "d = map xs (x) { bitcast u32 x }\n"
    "w = map xs (x) { while (t) { lt t 4.0f32 } do { add t 1.0f32 } from x }\n"
    "i = map xs (x) { iterate 3 (k, t) { add t 1.0f32 } from x }\n"
    "e = unit { extent xs 0 }\n"
    "h = unit { the z }\n"
    "l = map c (k) { xs !! k }\n"
    "f = fold z xs (x, y) { add x y }\n"
    "p = acond true {\n"
    "    q = compute xs\n"
    "    yield q\n"
    "} else {\n"
    "    yield ys\n"
    "}\n"
    "t = map_seq s (a, b) {\n"
    "    g = map a (x) { neg x }\n"
    "    yield g, b\n"
    "}\n"
    "stream_out \"t\" t\n"
    "output f\n"
    "output p\n";

static wadi_module *m;

static wadi_val value(const char *name) {
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (m->values[v].name && strcmp(m->values[v].name, name) == 0) return v;
    fail_msg("no value is called %s", name);
    return WADI_NONE;
}

static wadi_value *row(const char *name) {
    return &m->values[value(name)];
}

static wadi_bind *bound(const char *name) {
    return row(name)->bind;
}

static wadi_fun *fun(const char *name) {
    return bound(name)->funs[0];
}

/* The first instruction of the function with this operation, in any of its blocks. */
static wadi_sinst *find(wadi_sblock *b, wadi_sop op) {
    for (int k = 0; b && k < b->ninsts; k++) {
        if (b->insts[k]->op == op) return b->insts[k];
        for (int r = 0; r < 2; r++) {
            wadi_sinst *inner = find(b->insts[k]->block[r], op);
            if (inner) return inner;
        }
    }
    return NULL;
}

static wadi_sinst *inst(const char *name, wadi_sop op) {
    wadi_sinst *i = find(fun(name)->body, op);
    assert_non_null(i);
    return i;
}

static wadi_bind *effect(void) {
    return m->main->binds[m->main->nbinds - 1];
}

static void start(void) {
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* Tells what the verifier says, and whether it says it under the right status. */
static void says(const char *want) {
    wadi_error err = {0};
    const wadi_status st = wadi_ir_verify(m, &err);
    if (st != WADI_INTERNAL || strcmp(err.msg, want) != 0)
        fail_msg("%s: \"%s\", expected \"%s\"", wadi_status_name(st), st == WADI_OK ? "" : err.msg,
                 want);
    wadi_module_destroy(m);
}

/* The program as it is read, broken, and what is said. */
#define BROKEN(change, message) \
    do {                        \
        start();                \
        change;                 \
        says(message);          \
    } while (0)

static void values_and_types(void **state) {
    (void)state;
    BROKEN(bound("zs")->args[0] = m->nvalues, "map zs (%5): value %21 is not in the table");
    BROKEN(row("xs")->type.arrays = 0, "input xs (%0): value %0 has no type");
    BROKEN(row("xs")->type.arrays = -1, "input xs (%0): value %0 has no type");
    BROKEN(row("xs")->type.arrays = 2, "input xs (%0): value %0 has no type");
    BROKEN(row("xs")->type.array = NULL, "input xs (%0): value %0 has no type");
    BROKEN(row("s")->type.arrays = -1, "stream_in s (%3): value %3 has no type");
    BROKEN(row("s")->type.array = NULL, "stream_in s (%3): value %3 has no type");
    BROKEN(row("s")->type.array[1].rank = 9, "stream_in s (%3): value %3 has rank 9");
    BROKEN(row("xs")->type.array->rank = -1, "input xs (%0): value %0 has rank -1");
    BROKEN(row("xs")->type.array->elem.fields = 0, "input xs (%0): value %0 has 0 fields");
    BROKEN(row("xs")->type.array->elem.fields = 17, "input xs (%0): value %0 has 17 fields");
    BROKEN(row("xs")->type.array->elem.type[0] = WADI_TYPE_COUNT,
           "input xs (%0): field 0 of value %0 has no type");
    BROKEN(row("rs")->type.array->elem.type[1] = (wadi_type)99,
           "input rs (%1): field 1 of value %1 has no type");
    BROKEN(row("rs")->type.array->elem.name[1] = NULL,
           "input rs (%1): field 1 of value %1 has no name");
    BROKEN(row("rs")->type.array->elem.name[0] = NULL,
           "input rs (%1): field 0 of value %1 has no name");
    BROKEN(m->outputs[1] = NULL, "program 'victim': output 2 has no name");
    BROKEN(m->outputs[0] = NULL, "program 'victim': output 1 has no name");
    BROKEN(m->outputs = NULL, "program 'victim': output 1 has no name");
}

static void marks(void **state) {
    (void)state;
    BROKEN(row("ys")->rep = WADI_REP_REGULAR,
           "map ys (%4): value %4 has a representation outside of any stream");
    BROKEN(row("ys")->rep = WADI_REP_IRREGULAR,
           "map ys (%4): value %4 has a representation outside of any stream");
    BROKEN(row("xs")->storage = WADI_STORE_DELAYED,
           "input xs (%0): value %0 is delayed, but no producer, fold or filter makes it");
    BROKEN(row("q")->storage = WADI_STORE_DELAYED,
           "compute q (%15): value %15 is delayed, but no producer, fold or filter makes it");
    BROKEN(row("ys")->storage = WADI_STORE_DELAYED,
           "program 'victim': value %4 is yielded, but delayed");
    BROKEN(row("f")->storage = WADI_STORE_DELAYED,
           "program 'victim': value %13 is yielded, but delayed");
    BROKEN(row("a")->storage = WADI_STORE_DELAYED,
           "map_seq t (%20): value %17 is delayed, but no producer, fold or filter makes it");
    BROKEN(row("g")->storage = WADI_STORE_DELAYED,
           "program 'victim': value %19 is yielded, but delayed");
}

static void bindings(void **state) {
    (void)state;
    BROKEN(bound("ys")->op = NULL, "? ys (%4): there is no operator");
    BROKEN(bound("ys")->nfuns = 0, "map ys (%4): 0 functions, expected 1");
    BROKEN(bound("ys")->nfuns = 2, "map ys (%4): 2 functions, expected 1");
    BROKEN(bound("p")->nblocks = 1, "acond p (%16): 1 regions, expected 2");
    BROKEN(bound("ys")->nblocks = 1, "map ys (%4): 1 regions, expected 0");
    BROKEN(bound("p")->blocks[1] = NULL, "acond p (%16): region 2 is missing");
    BROKEN(bound("ys")->funs[0] = NULL, "map ys (%4): a function is missing");
    BROKEN(fun("ys")->body = NULL, "map ys (%4): a function is missing");
    BROKEN(row("ys")->def = WADI_DEF_PARAM,
           "map ys (%4): result 1 does not point back at its binding");
    BROKEN(row("ys")->number = 1, "map ys (%4): result 1 does not point back at its binding");
    BROKEN(row("b")->number = 0, "map_seq t (%20): parameter 2 does not point back at its block");
    BROKEN(row("a")->def = WADI_DEF_BIND,
           "map_seq t (%20): parameter 1 does not point back at its block");
    BROKEN(row("a")->block = m->main,
           "map_seq t (%20): parameter 1 does not point back at its block");
    BROKEN(bound("p")->blocks[0]->parent = NULL,
           "acond p (%16): a block has another parent than the one around it");
    BROKEN(m->main->parent = bound("p")->blocks[0],
           "program 'victim': a block has another parent than the one around it");
    BROKEN(bound("p")->blocks[0]->yields[0] = value("s"),
           "program 'victim': value %3 is a sequence, expected an array");
    BROKEN(bound("p")->blocks[0]->yields[0] = value("a"),
           "program 'victim': value %17 is used before it is bound");
    BROKEN(m->main->yields[0] = value("q"),
           "program 'victim': value %15 is used outside of its block");
    BROKEN(m->main->yields[0] = value("a"),
           "program 'victim': value %17 is used outside of its block");
    BROKEN(m->main->yields[0] = value("s"),
           "program 'victim': value %3 is a sequence, expected an array");
    BROKEN(bound("ys")->args[0] = value("zs"), "map ys (%4): value %5 is used before it is bound");
    BROKEN(bound("ys")->results[0] = value("xs"), "map xs (%0): value %0 is bound twice");
    BROKEN(bound("ys")->nresults = 0, "map (%0): 0 results, expected 1");
    BROKEN(effect()->args[0] = value("xs"),
           "stream_out (%0): stream_out: argument 1 is f32[?], expected a sequence");
    BROKEN(bound("f")->args[0] = value("xs"),
           "fold f (%13): fold: argument 1 is f32[?], expected rank 0");
    BROKEN(row("c")->type.array->elem.type[0] = WADI_F32,
           "map c (%6): result 1 has another type than the operator gives it");
}

/* An effect within a region. */
static void effects(void **state) {
    (void)state;
    start();
    wadi_block *body = bound("t")->blocks[0];
    wadi_bind *out = effect();
    out->args[0] = value("s");
    m->main->nbinds--;
    assert_true(wadi_block_append(m, body, out));
    says("stream_out (%0): it gives nothing and stands in a region");
}

static void constants(void **state) {
    (void)state;
    const wadi_scalar three = {WADI_I8, 3};
    start();
    wadi_val v = wadi_const_val(m, three);
    m->values[v].imm.bits = 0x80;
    says("program 'victim': constant %21 is not a scalar in normal form");
    start();
    v = wadi_const_val(m, three);
    m->values[v].imm.im = 1;
    says("program 'victim': constant %21 is not a scalar in normal form");
    start();
    v = wadi_const_val(m, three);
    m->values[v].imm.type = WADI_I16;
    says("program 'victim': constant %21 is not a scalar in normal form");
    start();
    v = wadi_const_val(m, three);
    m->values[v].type.array->rank = 1;
    says("program 'victim': constant %21 is not a scalar in normal form");
    start();
    v = wadi_const_val(m, three);
    m->values[v].type.is_seq = true;
    says("program 'victim': constant %21 is not a scalar in normal form");
}

static void scalars_and_their_scopes(void **state) {
    (void)state;
    BROKEN(inst("ys", WADI_SOP_NEG)->op = WADI_SOP_COUNT,
           "map ys (%4): an instruction has no operation");
    BROKEN(inst("ys", WADI_SOP_NEG)->args[0] = 99,
           "map ys (%4): scalar 99 is used where it is not in scope");
    BROKEN(inst("ys", WADI_SOP_NEG)->args[0] = inst("ys", WADI_SOP_MUL)->first,
           "map ys (%4): scalar 3 is used where it is not in scope");
    BROKEN(inst("ys", WADI_SOP_NEG)->first = 99,
           "map ys (%4): scalar 99 is not in the function's table");
    BROKEN(inst("ys", WADI_SOP_NEG)->first = inst("ys", WADI_SOP_MUL)->first,
           "map ys (%4): scalar 3 is defined twice");
    BROKEN(fun("ys")->nvals = 5, "map ys (%4): scalar 5 is not in the function's table");
    BROKEN(fun("ys")->types[0] = WADI_TYPE_COUNT, "map ys (%4): scalar 0 has no type");
    BROKEN(fun("ys")->body->params[0] = 99,
           "map ys (%4): scalar 99 is not in the function's table");
    BROKEN(fun("ys")->body->yields[0] = inst("ys", WADI_SOP_MUL)->first,
           "map ys (%4): scalar 3 is used where it is not in scope");
    BROKEN(inst("ys", WADI_SOP_MUL)->nargs = 1, "map ys (%4): 'mul' has 1 arguments, expected 2");
    BROKEN(inst("ys", WADI_SOP_MUL)->op = WADI_SOP_LAND, "map ys (%4): 'land' does not take f32");
    BROKEN(inst("ys", WADI_SOP_MUL)->op = WADI_SOP_LT,
           "map ys (%4): result 1 of 'lt' is f32, expected bool");
    BROKEN(inst("ys", WADI_SOP_MUL)->nresults = 2, "map ys (%4): 'mul' has 2 results, expected 1");
    BROKEN(inst("ys", WADI_SOP_CONST)->imm.bits |= UINT64_C(1) << 32,
           "map ys (%4): a constant has bits beyond its type");
    BROKEN(inst("ys", WADI_SOP_CONST)->imm.type = WADI_TYPE_COUNT,
           "map ys (%4): a constant has bits beyond its type");
    BROKEN(inst("ys", WADI_SOP_CONST)->imm.type = WADI_I64,
           "map ys (%4): result 1 of 'const' is f32, expected i64");
    BROKEN(inst("c", WADI_SOP_CONVERT)->nargs = 0,
           "map c (%6): a conversion has one argument and one result");
    BROKEN(inst("c", WADI_SOP_CONVERT)->nresults = 0,
           "map c (%6): a conversion has one argument and one result");
    BROKEN(inst("c", WADI_SOP_CONVERT)->op = WADI_SOP_BITCAST,
           "map c (%6): no bitcast from f32 to i64");
    BROKEN(fun("d")->types[inst("d", WADI_SOP_BITCAST)->first] = WADI_BOOL,
           "map d (%7): no bitcast from f32 to bool");
}

static void reads(void **state) {
    (void)state;
    BROKEN(inst("zs", WADI_SOP_INDEX)->array = value("s"),
           "map zs (%5): value %3 is a sequence, expected an array");
    BROKEN(inst("zs", WADI_SOP_INDEX)->array = value("f"),
           "map zs (%5): value %13 is used before it is bound");
    BROKEN(inst("zs", WADI_SOP_INDEX)->array = value("z"),
           "map zs (%5): 'index' has 1 indices, expected 0");
    BROKEN(inst("zs", WADI_SOP_INDEX)->array = value("rs"),
           "map zs (%5): 'index' has 1 results, expected 2");
    BROKEN(inst("zs", WADI_SOP_INDEX)->args[0] = 0, "map zs (%5): an index is f32, expected i64");
    BROKEN(inst("l", WADI_SOP_INDEX_LINEAR)->nargs = 0,
           "map l (%12): 'index_linear' has 0 indices, expected 1");
    BROKEN(inst("e", WADI_SOP_EXTENT)->dim = 1,
           "unit e (%10): 'extent' of dimension 1 of an array of rank 1");
    BROKEN(inst("e", WADI_SOP_EXTENT)->dim = -1,
           "unit e (%10): 'extent' of dimension -1 of an array of rank 1");
    BROKEN(fun("e")->types[0] = WADI_I32,
           "unit e (%10): result 1 of 'extent' is i32, expected i64");
    BROKEN(inst("h", WADI_SOP_THE)->array = value("xs"),
           "unit h (%11): 'the' of an array of rank 1");
    BROKEN(fun("h")->types[0] = WADI_F64, "unit h (%11): result 1 of 'the' is f64, expected f32");
}

/* A further parameter of a block. */
static void widen(const char *name, wadi_sop op, int block) {
    (void)wadi_sblock_param(m, fun(name), inst(name, op)->block[block], WADI_F32);
}

static void again(const char *name, wadi_sop op, int block) {
    wadi_sblock *b = inst(name, op)->block[block];
    assert_true(wadi_sblock_yield(m, b, b->yields[0]));
}

static void branches_and_loops(void **state) {
    (void)state;
    BROKEN(inst("ys", WADI_SOP_COND)->block[1] = NULL,
           "map ys (%4): 'if' needs one bool and two blocks");
    BROKEN(inst("ys", WADI_SOP_COND)->block[0] = NULL,
           "map ys (%4): 'if' needs one bool and two blocks");
    BROKEN(inst("ys", WADI_SOP_COND)->nargs = 0, "map ys (%4): 'if' needs one bool and two blocks");
    BROKEN(inst("ys", WADI_SOP_COND)->args[0] = 0,
           "map ys (%4): 'if' needs one bool and two blocks");
    BROKEN(widen("ys", WADI_SOP_COND, 0), "map ys (%4): a branch has parameters");
    BROKEN(widen("ys", WADI_SOP_COND, 1), "map ys (%4): a branch has parameters");
    BROKEN(again("ys", WADI_SOP_COND, 1), "map ys (%4): a branch gives 2 scalars, expected 1");
    BROKEN(inst("ys", WADI_SOP_COND)->block[0]->nyields = 0,
           "map ys (%4): a branch gives 0 scalars, expected 1");
    BROKEN(fun("ys")->types[inst("ys", WADI_SOP_COND)->first] = WADI_BOOL,
           "map ys (%4): the branches of 'if' give different types");
    BROKEN(inst("w", WADI_SOP_WHILE)->block[1] = NULL,
           "map w (%8): a loop lacks a block or its count");
    BROKEN(inst("i", WADI_SOP_ITERATE)->block[1] = inst("i", WADI_SOP_ITERATE)->block[0],
           "map i (%9): a loop lacks a block or its count");
    BROKEN(inst("i", WADI_SOP_ITERATE)->nargs = 0, "map i (%9): a loop lacks a block or its count");
    BROKEN(inst("i", WADI_SOP_ITERATE)->args[0] = 0,
           "map i (%9): the count of 'iterate' is not i64");
    BROKEN(fun("i")->types[inst("i", WADI_SOP_ITERATE)->block[0]->params[0]] = WADI_I32,
           "map i (%9): the counter of 'iterate' is not i64");
    BROKEN(inst("i", WADI_SOP_ITERATE)->block[0]->nparams = 0,
           "map i (%9): scalar 3 is used where it is not in scope");
    BROKEN(widen("w", WADI_SOP_WHILE, 0),
           "map w (%8): parameters of a loop: 2 scalars, expected 1");
    BROKEN(widen("w", WADI_SOP_WHILE, 1),
           "map w (%8): parameters of a loop: 2 scalars, expected 1");
    BROKEN(widen("i", WADI_SOP_ITERATE, 0),
           "map i (%9): parameters of a loop: 2 scalars, expected 1");
    BROKEN(again("w", WADI_SOP_WHILE, 0), "map w (%8): the test of 'while' does not give one bool");
    BROKEN(inst("w", WADI_SOP_WHILE)->block[0]->yields[0] =
               inst("w", WADI_SOP_WHILE)->block[0]->params[0],
           "map w (%8): the test of 'while' does not give one bool");
    BROKEN(again("w", WADI_SOP_WHILE, 1),
           "map w (%8): next state of a loop: 2 scalars, expected 1");
    BROKEN(again("i", WADI_SOP_ITERATE, 0),
           "map i (%9): next state of a loop: 2 scalars, expected 1");
    BROKEN(inst("i", WADI_SOP_ITERATE)->block[0]->yields[0] =
               inst("i", WADI_SOP_ITERATE)->block[0]->params[0],
           "map i (%9): next state of a loop: scalar 1 is i64, expected f32");
    BROKEN(inst("w", WADI_SOP_WHILE)->nresults = 0,
           "map w (%8): a loop's results are not its state");
    BROKEN(fun("w")->types[inst("w", WADI_SOP_WHILE)->first] = WADI_F64,
           "map w (%8): a loop's results are not its state");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_types),
        cmocka_unit_test(marks),
        cmocka_unit_test(bindings),
        cmocka_unit_test(effects),
        cmocka_unit_test(constants),
        cmocka_unit_test(scalars_and_their_scopes),
        cmocka_unit_test(reads),
        cmocka_unit_test(branches_and_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
