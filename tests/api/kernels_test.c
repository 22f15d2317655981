/* Kernels made ahead of time: runs take them and compile nothing, with the same results; what does not fit is compiled, or refused by name
 * where there is no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "codegen/build/bundle.h"
#include "exe/exe.h"
#include "tests/api/counted.h"
#include "wadi/wadi.h"

#if defined(__x86_64__)
#define ONE "x86-64-v2"
#define ONE_NAME ONE
#else
#define ONE NULL
#define ONE_NAME ""
#endif

static const char bundle[] = "kernels_test.kernels";

enum { N = 100 };

static int set_up(void **state) {
    (void)unlink(bundle);
    return counted_set_up(state) != 0 || setenv("WADI_KERNELS", "none", 1) != 0;
}

static int tear_down(void **state) {
    (void)unlink(bundle);
    (void)unsetenv("WADI_BUILD_KERNELS");
    (void)unsetenv("WADI_BUILD_TARGETS");
    (void)unsetenv("WADI_TARGET");
    return counted_tear_down(state);
}

static wadi_acc prefix(void *env, wadi_exp i) {
    return wadi_sum(wadi_gather(wadi_iota(WADI_I64, i), *(const wadi_acc *)env));
}

static wadi_exp add_to(void *env, wadi_exp x) {
    return wadi_add(x, wadi_i64(*(const int *)env));
}

/* Bodies of arrays, of a stream and of a fold. What a test has named stays named in the process, so each test adds another number. */
static wadi_exe *compile(int number) {
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("ahead");
    wadi_acc x = wadi_input("x", WADI_I64, 1, NULL);
    wadi_acc y = wadi_compute(wadi_map_env(add_to, &number, x));
    wadi_output("y", wadi_sum(wadi_consume(
                         wadi_elements(wadi_produce_env(wadi_extent(x, 0), prefix, &y)))));
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return exe;
}

/* The sum of the sums of the first i elements, i from 0 to N - 1, each element k + number. */
static int64_t expected(int number) {
    int64_t all = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < i; k++) all += k + number;
    return all;
}

static wadi_status run(const wadi_exe *exe, wadi_schedule_option schedule, int64_t *out,
                       wadi_error *err) {
    const wadi_run_options options = {.schedule = schedule, .forget = true};
    int64_t x[N];
    for (int i = 0; i < N; i++) x[i] = i;
    const wadi_array in = {.fields = 1, .rank = 1, .type = {WADI_I64}, .shape = {N}, .column = {x}};
    wadi_array y;
    wadi_run *r = NULL;
    assert_int_equal(wadi_run_create(exe, &options, &r, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(r, "x", &in, NULL), WADI_OK);
    const wadi_status st = wadi_run_go(r, err);
    if (st == WADI_OK) {
        assert_int_equal(wadi_run_result(r, "y", &y, NULL), WADI_OK);
        *out = *(const int64_t *)y.column[0];
    }
    wadi_run_destroy(r);
    return st;
}

static void expect_run(int number, wadi_schedule_option schedule) {
    wadi_exe *exe = compile(number);
    wadi_error err = {0};
    int64_t y = 0;
    if (run(exe, schedule, &y, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(y, expected(number));
    wadi_exe_destroy(exe);
}

static void build(int number, const char *targets) {
    wadi_exe *exe = compile(number);
    wadi_error err = {0};
    if (wadi_exe_build(exe, targets, bundle, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_exe_destroy(exe);
}

static void nothing_is_compiled(void **state) {
    (void)state;
    build(1, NULL);
    const int made = counted_compilations();
    assert_true(made > 0);
    build(1, NULL); /* it is all there */
    assert_int_equal(counted_compilations(), made);
    assert_int_equal(wadi_kernels_use(bundle, NULL), WADI_OK);
    counted_compiler("exit 1", "exit 1");
    expect_run(1, WADI_SCHEDULE_AUTO);
    expect_run(1, WADI_SCHEDULE_FORCE_INSIDE);
    expect_run(1, WADI_SCHEDULE_FORCE_FLAT);
    assert_int_equal(counted_compilations(), made);
}

/* A version in a bundle is neither lowered nor written. */
static void a_version_needs_no_text(void **state) {
    (void)state;
    build(2, ONE);
    assert_int_equal(wadi_kernels_use(bundle, NULL), WADI_OK);
    wadi_exe *exe = compile(2);
    int64_t y = 0;
    assert_int_equal(run(exe, WADI_SCHEDULE_AUTO, &y, NULL), WADI_OK);
    int loaded = 0;
    for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
        const wadi_exe_version *v = &exe->sets->version[i];
        if (v->state != WADI_EXE_LOADED) continue;
        assert_null(v->made->source);
        loaded++;
    }
    assert_true(loaded > 0);
    wadi_exe_destroy(exe);
}

static void what_is_missing_is_compiled_or_refused_by_name(void **state) {
    (void)state;
    wadi_error err = {0};
    int64_t y = 0;
    build(3, ONE);
    assert_int_equal(wadi_kernels_use(bundle, NULL), WADI_OK);
    const int made = counted_compilations();
    expect_run(4, WADI_SCHEDULE_AUTO);
    assert_true(counted_compilations() > made);
    assert_int_equal(setenv("WADI_CC", "/nowhere/cc", 1), 0);
    wadi_exe *exe = compile(5);
    assert_int_equal(run(exe, WADI_SCHEDULE_AUTO, &y, &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, "kernels of ahead ("));
    assert_non_null(strstr(err.msg, "/nowhere/cc"));
    wadi_exe_destroy(exe);
}

/* A target that is asked for is taken, and no other. */
static void a_target_that_is_asked_for(void **state) {
    (void)state;
#if defined(__x86_64__)
    build(6, "x86-64-v2");
    assert_int_equal(wadi_kernels_use(bundle, NULL), WADI_OK);
    const int made = counted_compilations();
    assert_int_equal(setenv("WADI_TARGET", "x86-64-v2", 1), 0);
    expect_run(6, WADI_SCHEDULE_AUTO);
    assert_int_equal(counted_compilations(), made);
    assert_int_equal(setenv("WADI_TARGET", "x86-64", 1), 0);
    expect_run(6, WADI_SCHEDULE_AUTO);
    assert_true(counted_compilations() > made);
#endif
}

static void a_run_records(void **state) {
    (void)state;
    assert_int_equal(setenv("WADI_BUILD_KERNELS", bundle, 1), 0);
    assert_int_equal(setenv("WADI_BUILD_TARGETS", ONE_NAME, 1), 0);
    expect_run(7, WADI_SCHEDULE_AUTO);
    assert_int_equal(unsetenv("WADI_BUILD_KERNELS"), 0);
    const int made = counted_compilations();
    counted_compiler("exit 1", "exit 1");
    expect_run(7, WADI_SCHEDULE_FORCE_FLAT); /* it is looked into since */
    assert_int_equal(counted_compilations(), made);
}

static void expect_no_build(const char *targets, const char *why) {
    wadi_exe *exe = compile(8);
    wadi_error err = {0};
    assert_int_equal(wadi_exe_build(exe, targets, bundle, &err), WADI_INVALID);
    if (strstr(err.msg, why) == NULL) fail_msg("said: %s", err.msg);
    assert_false(wadi_file_exists(bundle));
    wadi_exe_destroy(exe);
}

static void targets_are_checked(void **state) {
    (void)state;
    expect_no_build("x86-64-v9", "no target \"x86-64-v9\"; there are: ");
    expect_no_build("native", "need one that has a name");
    expect_no_build("cuda", "needs a machine");
    expect_no_build("opencl:2", "has no machines");
    expect_no_build("opencl,,", "no target \"\"");
    assert_int_equal(wadi_kernels_use("/nowhere.kernels", NULL), WADI_IO);
    assert_int_equal(wadi_kernels_use(NULL, NULL), WADI_INVALID);
}

/* Texts for devices need no compiler, and the compiler's failure leaves no bundle. */
static void texts_and_failures(void **state) {
    (void)state;
    wadi_error err = {0};
    counted_compiler("exit 1", "exit 1");
    build(9, "opencl");
    wadi_bundle *b = NULL;
    assert_int_equal(wadi_bundle_open(bundle, &b, NULL), WADI_OK);
    assert_true(wadi_bundle_count(b) >= 2);
    wadi_bundle_close(b);
    assert_int_equal(unlink(bundle), 0);
#if defined(__x86_64__)
    wadi_exe *exe = compile(9);
    assert_int_equal(wadi_exe_build(exe, "x86-64", bundle, &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, "ahead: "));
    assert_non_null(strstr(err.msg, "for x86-64"));
    assert_false(wadi_file_exists(bundle));
    wadi_exe_destroy(exe);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_compiled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_version_needs_no_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_missing_is_compiled_or_refused_by_name, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_target_that_is_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_records, set_up, tear_down),
        cmocka_unit_test_setup_teardown(targets_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_and_failures, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
