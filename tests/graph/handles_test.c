/* Handles belong to their program. Using one in another program, without a program, after its program was destroyed, or in another
 * thread is a mistake that names the user's call. This file sees the language as a user does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include <cmocka.h>

#include "wadi/lang.h"

/* The program's mistake, which was made in `line` of this file. */
static void failed(wadi_program *p, const char *message, int line) {
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
    assert_string_equal(err.msg, message);
    assert_non_null(err.at.file);
    assert_non_null(strstr(err.at.file, "handles_test.c"));
    assert_int_equal(err.at.line, line);
}

static void fine(const wadi_program *p) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_program_check(p, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void an_array_of_another_program_is_a_mistake_of_both(void **state) {
    (void)state;
    wadi_program *one = wadi_program_create("one");
    const wadi_acc a = wadi_iota(WADI_F64, wadi_i64(3));
    wadi_program *two = wadi_program_create("two");
    (void)wadi_iota(WADI_F32, wadi_i64(33)); /* has the number that `a` has in its program */
    const int line = __LINE__ + 1;
    wadi_output("o", wadi_sum(a));
    const char *said = "sum: argument 1 is of program \"one\", and program \"two\" is current";
    failed(two, said, line);
    failed(one, said, line);
    wadi_program_destroy(one);
    wadi_program_destroy(two);
}

static wadi_acc helper(wadi_program **out) {
    *out = wadi_program_create("helper");
    return wadi_iota(WADI_I64, wadi_i64(10));
}

static void going_back_does_not_bring_the_other_programs_arrays_along(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("mine"), *other = NULL;
    (void)wadi_iota(WADI_I64, wadi_i64(4));
    const wadi_acc h = helper(&other);
    wadi_program_use(p);
    const int line = __LINE__ + 1;
    (void)wadi_map(wadi_neg, h);
    failed(p, "map: argument 1 is of program \"helper\", and program \"mine\" is current", line);
    wadi_program_destroy(other);
    wadi_program_destroy(p);
}

static void every_kind_of_handle_is_looked_at(void **state) {
    (void)state;
    wadi_program *one = wadi_program_create("one");
    const wadi_exp e = wadi_f32(1);
    const wadi_acc a = wadi_iota(WADI_F32, wadi_i64(3));
    const wadi_seq s = wadi_to_seq(a);
    const wadi_eat c = wadi_elements(s);
    fine(one);
    wadi_program *p = wadi_program_create("p");
    int line = __LINE__ + 1;
    (void)wadi_add(wadi_f32(1), e);
    failed(p, "add: argument 2 is of program \"one\", and program \"p\" is current", line);
    wadi_program_destroy(p);
    p = wadi_program_create("p");
    line = __LINE__ + 1;
    (void)wadi_take_seq(wadi_i64(1), s);
    failed(p, "take_seq: argument 1 is of program \"one\", and program \"p\" is current", line);
    wadi_program_destroy(p);
    p = wadi_program_create("p");
    line = __LINE__ + 1;
    wadi_output("c", wadi_consume(c));
    failed(p, "consume: argument 1 is of program \"one\", and program \"p\" is current", line);
    wadi_program_destroy(p);
    wadi_program_destroy(one);
}

static void a_handle_outlives_its_program_as_a_mistake(void **state) {
    (void)state;
    wadi_program *one = wadi_program_create("one");
    const wadi_acc a = wadi_iota(WADI_F32, wadi_i64(3));
    wadi_program_destroy(one);
    wadi_program *p = wadi_program_create("p");
    const int line = __LINE__ + 1;
    (void)wadi_reverse(a);
    failed(p, "reverse: argument 1 is of a program that is gone, and program \"p\" is current",
           line);
    wadi_program_destroy(p);
}

static void what_is_built_with_no_program_is_told_by_the_next_check(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    wadi_program_use(NULL);
    assert_null(wadi_program_current());
    const int line = __LINE__ + 1;
    const wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    wadi_program_use(p);
    assert_ptr_equal(wadi_program_current(), p);
    failed(p, "literal: no program is current in this thread", line);
    fine(p); /* told once */
    wadi_output("x", x);
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
    assert_string_equal(err.msg, "output: argument 2 is missing");
    wadi_program_destroy(p);
    assert_int_equal(wadi_program_check(NULL, &err), WADI_INVALID);
}

static void a_handle_used_with_no_program_is_told_by_its_own(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    const wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    wadi_program_destroy(wadi_program_create("q")); /* and now none is current */
    const int line = __LINE__ + 1;
    wadi_output("x", x);
    failed(p, "output: argument 2 is of program \"p\", and no program is current in this thread",
           line);
    wadi_program_destroy(p);
}

/* ---- functions ---- */

static wadi_program *made_inside;
static wadi_exp makes_a_program(wadi_exp x) {
    made_inside = wadi_program_create("inside");
    return x;
}

static void a_function_that_makes_another_program_current_is_a_mistake(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    const wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    const int line = __LINE__ + 1;
    (void)wadi_map(makes_a_program, x);
    failed(p, "map: the function has made another program current", line);
    assert_ptr_equal(wadi_program_current(), p);
    wadi_program_destroy(made_inside);
    wadi_program_destroy(p);
}

static wadi_exp makes_a_program_and_goes_back(wadi_exp x) {
    wadi_program *before = wadi_program_current();
    wadi_program *own = wadi_program_create("own");
    (void)wadi_iota(WADI_F32, wadi_i64(3));
    fine(own);
    wadi_program_destroy(own);
    wadi_program_use(before);
    return wadi_neg(x);
}

static void a_function_that_goes_back_may_build_what_it_likes(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    wadi_output("x", wadi_map(makes_a_program_and_goes_back, wadi_iota(WADI_F32, wadi_i64(3))));
    fine(p);
    wadi_program_destroy(p);
}

static void a_function_that_is_null_is_a_mistake(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    const wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    const int line = __LINE__ + 1;
    (void)wadi_fold(NULL, wadi_f32(0), x);
    failed(p, "fold: the function is NULL", line);
    wadi_program_destroy(p);
}

/* ---- threads ---- */

static void *uses(void *env) {
    wadi_output("x", *(wadi_acc *)env);
    return NULL;
}

static void *destroys(void *env) {
    wadi_program_destroy(env);
    return NULL;
}

static void in_thread(void *(*f)(void *), void *env) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, f, env), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void another_thread_has_no_program_of_ours(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    in_thread(uses, &x);
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
    assert_string_equal(
        err.msg,
        "output: argument 2 is of program \"p\", and no program is current in this thread");
    assert_non_null(err.at.file);
    wadi_program_destroy(p);
}

static void a_program_destroyed_by_another_thread_is_current_no_more(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    in_thread(destroys, p);
    assert_null(wadi_program_current());
    const int line = __LINE__ + 1;
    (void)wadi_f32(1);
    p = wadi_program_create("q");
    failed(p, "literal: no program is current in this thread", line);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_of_another_program_is_a_mistake_of_both),
        cmocka_unit_test(going_back_does_not_bring_the_other_programs_arrays_along),
        cmocka_unit_test(every_kind_of_handle_is_looked_at),
        cmocka_unit_test(a_handle_outlives_its_program_as_a_mistake),
        cmocka_unit_test(what_is_built_with_no_program_is_told_by_the_next_check),
        cmocka_unit_test(a_handle_used_with_no_program_is_told_by_its_own),
        cmocka_unit_test(a_function_that_makes_another_program_current_is_a_mistake),
        cmocka_unit_test(a_function_that_goes_back_may_build_what_it_likes),
        cmocka_unit_test(a_function_that_is_null_is_a_mistake),
        cmocka_unit_test(another_thread_has_no_program_of_ours),
        cmocka_unit_test(a_program_destroyed_by_another_thread_is_current_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
