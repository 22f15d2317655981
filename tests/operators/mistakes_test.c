/* Every mistake that a program as text may hold, with the whole message, line and column: tests/operators/cases/mistakes_*.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/operators/cases.h"

static void told(const char *program, wadi_text *out) {
    wadi_module *m = read_case(program, out);
    if (m) wadi_text_add(out, "accepted\n");
    wadi_module_destroy(m);
}

static void of_the_text(void **state) {
    (void)state;
    check_cases("operators/cases/mistakes_text", told);
}

static void of_scalar_functions(void **state) {
    (void)state;
    check_cases("operators/cases/mistakes_functions", told);
}

static void of_array_operators(void **state) {
    (void)state;
    check_cases("operators/cases/mistakes_arrays", told);
}

static void of_control_and_sequences(void **state) {
    (void)state;
    check_cases("operators/cases/mistakes_sequences", told);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_text),
        cmocka_unit_test(of_scalar_functions),
        cmocka_unit_test(of_array_operators),
        cmocka_unit_test(of_control_and_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
