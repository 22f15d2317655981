/* Mistakes while building: the first one sticks, with the file and line of the user's call, and says what was found
 * and what was expected. This file sees the language as a user does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include <cmocka.h>

#include "wadi/lang.h"

/* Ends the program, which must have failed between the lines first and last of this file. */
static void failed_at(wadi_program *p, wadi_status st, const char *message, int first, int last) {
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_program_check(p, &err), st);
    assert_string_equal(err.msg, message);
    assert_non_null(err.at.file);
    assert_non_null(strstr(err.at.file, "builder_places_test.c"));
    if (err.at.line < first || err.at.line > last)
        fail_msg("the place is line %d, expected %d to %d", err.at.line, first, last);
    wadi_program_destroy(p);
}

static wadi_acc floats(int rank) {
    return wadi_input("x", WADI_F32, rank, NULL);
}

static wadi_acc integers(void) {
    return wadi_input("i", WADI_I32, 1, (const char *const[]){"n"});
}

static void a_type_mistake_names_found_and_expected(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    const int line = __LINE__ + 1;
    (void)wadi_add(wadi_f32(1), wadi_f64(2));
    failed_at(p, WADI_TYPE, "add: argument 2 is f64, expected f32 as argument 1", line, line);
}

static void a_rank_mistake_names_found_and_expected(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(2);
    const int line = __LINE__ + 1;
    (void)wadi_gather(integers(), x);
    failed_at(p, WADI_SHAPE, "gather: argument 2 is f32[?, ?], expected rank 1", line, line);
}

static wadi_exp mixes(wadi_exp x) {
    wadi_exp y = wadi_mul(x, x);
    return wadi_add(y, wadi_i32(1)); /* line: mixes_line */
}
enum { mixes_line = __LINE__ - 2 };

static void a_mistake_inside_a_function_has_its_line(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    (void)wadi_map(mixes, x);
    failed_at(p, WADI_TYPE, "add: argument 2 is i32, expected f32 as argument 1", mixes_line,
              mixes_line);
}

static wadi_exp truth(wadi_exp a, wadi_exp b) {
    return wadi_lt(a, b);
}

static void a_mistake_after_the_function_has_the_line_of_the_call(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    const int line = __LINE__ + 1;
    wadi_acc y = wadi_fold(truth, wadi_f32(0), x);
    failed_at(p, WADI_TYPE, "fold: the function gives bool, expected f32", line, line);
    assert_int_equal(y.node, 0);
}

static void an_operator_passed_by_name_fails_at_the_call_it_was_passed_to(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    const int line = __LINE__ + 1;
    (void)wadi_map(wadi_popcount, x);
    failed_at(p, WADI_TYPE, "popcount: argument 1 is f32, expected an integer", line, line);
}

/* Compilers give all lines of one macro call one line, the first or the last. */
static void nested_calls_over_several_lines_are_found_among_them(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    const int first = __LINE__ + 1;
    wadi_acc y = wadi_map(
        wadi_sqrt,
        wadi_map(wadi_sin,
                 wadi_map(wadi_cos,
                          wadi_map(wadi_tan, wadi_map(wadi_exp_,
                                                      wadi_zip_with(wadi_add, wadi_map(wadi_neg, x),
                                                                    integers()))))));
    const int last = __LINE__ - 1;
    (void)wadi_map(wadi_neg, y);
    failed_at(p, WADI_TYPE, "add: argument 2 is i32, expected f32 as argument 1", first, last);
}

static void the_first_mistake_sticks(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    wadi_acc y = wadi_take(wadi_f32(1), x);
    const int line = __LINE__ - 1;
    y = wadi_map(mixes, wadi_zip_with(wadi_add, y, integers()));
    assert_int_equal(wadi_rank(y), -1);
    wadi_output("y", y);
    failed_at(p, WADI_TYPE, "take: argument 2 is f32, expected an integer", line, line);
}

static wadi_exp nested(void *env, wadi_exp x) {
    wadi_acc *a = env;
    return wadi_the(wadi_fold(wadi_add, x, *a)); /* line: nested_line */
}
enum { nested_line = __LINE__ - 2 };

static void array_code_on_a_scalar_functions_parameter_is_refused(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    (void)wadi_map_env(nested, &x, x);
    failed_at(p, WADI_INVALID,
              "fold: array code depends on a parameter of the scalar function around it, expected "
              "scalar code",
              nested_line, nested_line);
}

static wadi_exp escaped;
static wadi_exp leaks(wadi_exp x) {
    escaped = wadi_neg(x);
    return x;
}

static void a_parameter_does_not_leave_its_function(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    (void)wadi_map(leaks, floats(1));
    const int line = __LINE__ + 1;
    (void)wadi_add(escaped, wadi_f32(1));
    failed_at(p, WADI_INVALID,
              "add: an argument is made from a parameter of a function that has ended", line, line);
}

static void a_missing_argument_is_a_mistake(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    const int line = __LINE__ + 1;
    (void)wadi_add(wadi_f32(1), (wadi_exp){0});
    failed_at(p, WADI_INVALID, "add: argument 2 is missing", line, line);
}

static void an_output_declared_twice_is_a_mistake(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    wadi_output("y", x);
    const int line = __LINE__ + 1;
    wadi_output("y", wadi_map(wadi_neg, x));
    failed_at(p, WADI_INVALID, "output: there are two outputs named \"y\"", line, line);
}

static wadi_ix drops_all(wadi_ix ix) {
    return wadi_ignore(ix.rank);
}

static void only_a_permutation_may_drop_elements(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    const int line = __LINE__ + 1;
    (void)wadi_backpermute(wadi_shape_of(x), drops_all, x);
    failed_at(p, WADI_INVALID, "backpermute: the function may drop an element, expected an index",
              line, line);
}

static void a_record_needs_the_field_asked_for(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    const int line = __LINE__ + 1;
    (void)wadi_get(wadi_rec2("re", wadi_f32(1), "im", wadi_f32(2)), "arg");
    failed_at(p, WADI_TYPE,
              "get: argument 1 is {re: f32, im: f32}, expected a record with field \"arg\"", line,
              line);
}

/* ---- threads ---- */

static void *build_many(void *env) {
    const int mistake = *(int *)env;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = floats(1);
    for (int i = 0; i < 1000; i++) x = wadi_map(i == mistake ? mixes : wadi_neg, x);
    wadi_output("x", x);
    wadi_error err = {.status = WADI_OK};
    const int good = wadi_program_check(p, &err) == (mistake < 1000 ? WADI_TYPE : WADI_OK);
    wadi_program_destroy(p);
    return good ? env : NULL;
}

static void each_thread_builds_its_own_program(void **state) {
    (void)state;
    pthread_t thread[4];
    int mistake[4] = {10, 2000, 999, 2000};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, build_many, &mistake[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(thread[i], &result), 0);
        assert_non_null(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_mistake_names_found_and_expected),
        cmocka_unit_test(a_rank_mistake_names_found_and_expected),
        cmocka_unit_test(a_mistake_inside_a_function_has_its_line),
        cmocka_unit_test(a_mistake_after_the_function_has_the_line_of_the_call),
        cmocka_unit_test(an_operator_passed_by_name_fails_at_the_call_it_was_passed_to),
        cmocka_unit_test(nested_calls_over_several_lines_are_found_among_them),
        cmocka_unit_test(the_first_mistake_sticks),
        cmocka_unit_test(array_code_on_a_scalar_functions_parameter_is_refused),
        cmocka_unit_test(a_parameter_does_not_leave_its_function),
        cmocka_unit_test(a_missing_argument_is_a_mistake),
        cmocka_unit_test(an_output_declared_twice_is_a_mistake),
        cmocka_unit_test(only_a_permutation_may_drop_elements),
        cmocka_unit_test(a_record_needs_the_field_asked_for),
        cmocka_unit_test(each_thread_builds_its_own_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
