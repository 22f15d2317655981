/* Programs as they are printed: tests/operators/cases/prints_*.txt. The printed text must read back and print the same, and so must
 * that of a copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/graph/module_copy.h"
#include "tests/operators/cases.h"

typedef void (*printer)(const wadi_module *m, wadi_text *out);

static void print_twice(const char *program, printer print, wadi_text *out) {
    wadi_text again;
    wadi_text_init(&again);
    wadi_module *m = read_case(program, out);
    if (!m) return;
    print(m, out);
    wadi_module *second = read_case(wadi_text_str(out), &again), *copy = module_copy(m);
    if (second) print(second, &again);
    if (strcmp(wadi_text_str(out), wadi_text_str(&again)) != 0)
        wadi_text_addf(out, "but read again\n%s", wadi_text_str(&again));
    wadi_text_fini(&again);
    wadi_text_init(&again);
    print(copy, &again);
    if (!strstr(wadi_text_str(out), wadi_text_str(&again)))
        wadi_text_addf(out, "but copied\n%s", wadi_text_str(&again));
    wadi_text_fini(&again);
    wadi_module_destroy(copy);
    wadi_module_destroy(second);
    wadi_module_destroy(m);
}

static void plain(const char *program, wadi_text *out) {
    print_twice(program, wadi_ir_print, out);
}

static void with_places(const char *program, wadi_text *out) {
    print_twice(program, wadi_ir_print_places, out);
}

static void bindings(void **state) {
    (void)state;
    check_cases("operators/cases/prints_bindings", plain);
}

static void scalar_functions(void **state) {
    (void)state;
    check_cases("operators/cases/prints_functions", plain);
}

static void places(void **state) {
    (void)state;
    check_cases("operators/cases/prints_places", with_places);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bindings),
        cmocka_unit_test(scalar_functions),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
