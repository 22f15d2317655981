/* Which folds are computed by tiles, and how often the operands of a tile are loaded. tests/conformance/pairs_test.c checks what they compute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "codegen/plan/plan.h"
#include "tests/codegen/programs.h"

/* The C text of the last body's kernels, in a schedule that it offers; the caller frees `made`. */
static wadi_made *kernels_of(const char *text) {
    compiled c = compile(text, NULL);
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    wadi_made *made = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_plan_build(c.m, &c.facts, &(wadi_plan_options){.unchecked = false}, &plan, &versions,
                        &err) != WADI_OK)
        fail_msg("%s", err.msg);
    const int last = plan->nbodies - 1;
    if (wadi_versions_make(versions, last, (wadi_version_key){.schedule = WADI_SCHEDULE_FLAT}, NULL,
                           &made, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    compiled_free(&c);
    return made;
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + strlen(what), what)) n++;
    return n;
}

/* How many tiles there are in the kernels of a program whose element of row i, column j and place k is `element`. */
static int tiles_of(const char *element) {
    char text[600];
    snprintf(text, sizeof text,
             "program tiles\ninput a : f64[m, k]\ninput b : f64[k, n]\ninput v : f64[l]\n"
             "m = unit { extent a 0 }\nn = unit { extent b 1 }\nk = unit { extent a 1 }\n"
             "g = generate m n k (i, j, k) { %s }\n"
             "c = fold 0.0 g (a, x) { add a x }\noutput c\n",
             element);
    wadi_made *made = kernels_of(text);
    const int n = count(made->kernels, "double joined[");
    wadi_made_destroy(made);
    return n;
}

static void elements_of_rows_and_columns_are_tiled(void **state) {
    (void)state;
    assert_int_equal(tiles_of("mul (a ! (i, k)) (b ! (k, j))"), 1);
    assert_int_equal(tiles_of("add (sqrt (a ! (i, k))) (b ! (k, j))"), 1);
    assert_int_equal(tiles_of("mul (a ! (i, k)) (mul (b ! (k, j)) (convert f64 (add i j)))"), 1);
}

static void others_are_not(void **state) {
    (void)state;
    assert_int_equal(tiles_of("a ! (i, k)"), 0); /* all columns are alike */
    assert_int_equal(tiles_of("mul (a ! (i, k)) (v ! (rem (add i j) 7))"), 0);
    assert_int_equal(tiles_of("mul (a ! (i, k)) (convert f64 (quot 7 j))"), 0); /* may fault */
}

/* Six rows are loaded for each vector of columns. The first element and others, of full stripes and of the rest: four loops. */
static void operands_are_loaded_once_a_tile(void **state) {
    (void)state;
    wadi_made *made =
        kernels_of("program product\ninput a : f64[64, 64]\ninput b : f64[64, 64]\n"
                   "g = generate 64 64 64 (i, j, k) { mul (a ! (i, k)) (b ! (k, j)) }\n"
                   "c = fold 0.0 g (a, x) { add a x }\noutput c\n");
    assert_int_equal(count(made->kernels, "= columns["), 2);
    assert_int_equal(count(made->kernels, "= rows["), 12);
    assert_int_equal(count(made->kernels, "WADI_FAULT_INDEX"), 0);
    wadi_made_destroy(made);
}

/* A map behind the fold has a pass of its own: fused, the fold would be computed one result after the other. */
static void a_map_behind_it_is_a_pass_of_its_own(void **state) {
    (void)state;
    static const char text[] = "program after\ninput a : f64[m, k]\ninput b : f64[k, n]\n"
                               "m = unit { extent a 0 }\nn = unit { extent b 1 }\n"
                               "k = unit { extent a 1 }\n"
                               "g = generate m n %s (i, j, k) { mul (a ! (i, k)) (b ! (k, j)) }\n"
                               "c = fold 0.0 g (a, x) { add a x }\n"
                               "d = map c (x) { add x 1.0 }\noutput d\n";
    char of[600];
    snprintf(of, sizeof of, text, "k");
    compiled c = compile(of, NULL);
    assert_int_equal(c.m->values[value_named(c.m, "c")].storage, WADI_STORE_MANIFEST);
    compiled_free(&c);
    snprintf(of, sizeof of, text, "3"); /* so short that storing it would cost more */
    c = compile(of, NULL);
    assert_int_equal(c.m->values[value_named(c.m, "c")].storage, WADI_STORE_DELAYED);
    compiled_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_of_rows_and_columns_are_tiled),
                                       cmocka_unit_test(others_are_not),
                                       cmocka_unit_test(operands_are_loaded_once_a_tile),
                                       cmocka_unit_test(a_map_behind_it_is_a_pass_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
