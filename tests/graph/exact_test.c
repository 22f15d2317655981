/* Which scalar operations give the same bits everywhere, and finding one that does not in a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ir/ir.h"
#include "operators/table.h"

static void arithmetic_is_exact_and_functions_of_libraries_are_not(void **state) {
    (void)state;
    const wadi_sop exact[] = {WADI_SOP_ADD,   WADI_SOP_MUL,   WADI_SOP_FDIV, WADI_SOP_MIN,
                              WADI_SOP_FLOOR, WADI_SOP_ROUND, WADI_SOP_FMA,  WADI_SOP_COPYSIGN};
    const wadi_sop varying[] = {WADI_SOP_EXP,   WADI_SOP_SIN, WADI_SOP_POW,
                                WADI_SOP_HYPOT, WADI_SOP_ERF, WADI_SOP_TANH};
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
        assert_true(wadi_sop_is_exact(exact[k], WADI_F32));
        assert_true(wadi_sop_is_exact(exact[k], WADI_C128));
    }
    for (size_t k = 0; k < sizeof varying / sizeof *varying; k++) {
        assert_false(wadi_sop_is_exact(varying[k], WADI_F64));
        assert_false(wadi_sop_is_exact(varying[k], WADI_C64));
    }
    assert_true(wadi_sop_is_exact(WADI_SOP_CONVERT, WADI_C64));
}

/* Roots of floats are rounded correctly everywhere; the modulus and the root of complex numbers are functions of the library. */
static void some_are_exact_only_for_real_numbers(void **state) {
    (void)state;
    const wadi_sop ops[] = {WADI_SOP_SQRT, WADI_SOP_ABS};
    for (int k = 0; k < 2; k++) {
        assert_true(wadi_sop_is_exact(ops[k], WADI_F32));
        assert_true(wadi_sop_is_exact(ops[k], WADI_F64));
        assert_false(wadi_sop_is_exact(ops[k], WADI_C64));
        assert_false(wadi_sop_is_exact(ops[k], WADI_C128));
    }
    assert_true(wadi_sop_is_exact(WADI_SOP_ABS, WADI_I32));
    assert_false(wadi_sop_is_exact(WADI_SOP_ARG, WADI_C64));
}

static void expect(const char *text, const char *name, wadi_type arg) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    wadi_type found_arg = WADI_BOOL;
    const wadi_sinst *found = wadi_module_inexact(m, &found_arg);
    if (!found != !name) fail_msg("%s\nfound %s", text, found ? "one" : "none");
    if (found) {
        assert_string_equal(wadi_sop_get(found->op)->name, name);
        assert_int_equal(found_arg, arg);
    }
    wadi_module_destroy(m);
}

static void a_program_is_searched_for_what_varies(void **state) {
    (void)state;
    expect("program p\n\ninput xs : f64[n]\n\n"
           "r = map xs (x) { sqrt (mul x x) } : f64[?]\n\noutput r\n",
           NULL, WADI_BOOL);
    expect("program p\n\ninput xs : f32[n]\n\n"
           "r = map xs (x) { sin (exp x) } : f32[?]\n\noutput r\n",
           "exp", WADI_F32);
    expect("program p\n\ninput xs : c64[n]\n\n"
           "r = map xs (x) { sqrt x } : c64[?]\n\noutput r\n",
           "sqrt", WADI_C64);
}

/* In the branch of a scalar, and in a stage of a sequence. */
static void blocks_are_searched_too(void **state) {
    (void)state;
    expect("program p\n\ninput xs : f64[n]\n\n"
           "r = map xs (x) {\n    if gt x 0.0 { cos x } else { x }\n} : f64[?]\n\noutput r\n",
           "cos", WADI_F64);
    expect("program p\n\ninput xs : f32[n]\ninput k : i64[]\n\n"
           "s = produce k (i) {\n    yield xs\n}\n"
           "t = map_seq s (v) {\n    w = map v (x) { tanh x } : f32[?]\n    yield w\n}\n"
           "r = elements t\n\noutput r\n",
           "tanh", WADI_F32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_exact_and_functions_of_libraries_are_not),
        cmocka_unit_test(some_are_exact_only_for_real_numbers),
        cmocka_unit_test(a_program_is_searched_for_what_varies),
        cmocka_unit_test(blocks_are_searched_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
