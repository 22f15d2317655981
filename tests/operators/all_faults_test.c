/* Every fault of a program, not only the first: the interpreter is asked to go on after a fault, with the number 3 for the missing
 * value. The cases are in tests/operators/cases/all_faults.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operators/interp/interp.h"
#include "tests/operators/cases.h"

static void note(void *env, const char *message) {
    wadi_text_addf(env, "%s\n", message);
}

static void ran(const char *program, wadi_text *out) {
    const wadi_interp_io io = {.told = note, .told_env = out, .instead = 3};
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    wadi_module *m = read_case(program, out);
    if (!m) return;
    const wadi_status st = wadi_interp_run(m, &io, &r, &err);
    wadi_text_addf(out, "%s\n", st == WADI_OK ? "ok" : wadi_status_name(st));
    wadi_interp_results_destroy(st == WADI_OK ? r : NULL);
    wadi_module_destroy(m);
}

static void are_told(void **state) {
    (void)state;
    check_cases("operators/cases/all_faults", ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
