/* Arguments of the run's and the connectors' calls that are not NULL and wrong all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wadi/wadi.h"

static wadi_exe *compiled(const char *text) {
    wadi_exe *exe = NULL;
    wadi_error err;
    if (wadi_compile_text(text, "p.wadi", NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    return exe;
}

static void a_column_that_is_null_is_refused(void **state) {
    (void)state;
    wadi_exe *exe = compiled("program p\ninput x : f64[n]\noutput x\n");
    wadi_run *run = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_array a = {.rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {5}};
    assert_int_equal(wadi_run_create(exe, NULL, &run, &err), WADI_OK);
    assert_int_equal(wadi_run_input(run, "x", &a, &err), WADI_INVALID);
    assert_string_equal(err.msg, "x: column 0 of an array of 5 elements is NULL");
    a.shape[0] = 0; /* nothing needs no column */
    assert_int_equal(wadi_run_input(run, "x", &a, &err), WADI_OK);
    assert_int_equal(wadi_run_go(run, &err), WADI_OK);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

static void so_it_is_in_a_program_and_in_a_source(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    double values[3] = {1, 2, 3};
    wadi_array a = {.rank = 1, .fields = 2, .type = {WADI_F64, WADI_F64}, .shape = {3}};
    a.column[0] = values;
    wadi_source *source = NULL;
    assert_int_equal(wadi_source_memory(&a, &source, &err), WADI_INVALID);
    assert_string_equal(err.msg, "memory source: column 1 of an array of 3 elements is NULL");
    assert_null(source);
    a.fields = 1;
    a.column[0] = NULL;
    wadi_program *p = wadi_program_create("p");
    (void)wadi_use(&a);
    assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
    assert_non_null(strstr(err.at.file, "arguments_test.c"));
    wadi_program_destroy(p);
}

/* ---- callbacks ---- */

static wadi_status fills_too_many(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                                  wadi_error *err) {
    (void)env, (void)columns, (void)err;
    *out_n = k + 1;
    return WADI_OK;
}

static void a_source_that_says_it_filled_more_than_there_was_room_for_is_refused(void **state) {
    (void)state;
    wadi_exe *exe = compiled("program p\nstream_in s : seq(f64)\nt = elements s\noutput t\n");
    wadi_error err = {.status = WADI_OK};
    const wadi_part part = wadi_part_fixed(WADI_F64, 0, NULL);
    wadi_source *source = NULL;
    wadi_run *run = NULL;
    assert_int_equal(wadi_source_bulk(1, &part, fills_too_many, NULL, &source, &err), WADI_OK);
    assert_int_equal(wadi_run_create(exe, NULL, &run, &err), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, &err), WADI_OK);
    assert_int_equal(wadi_run_go(run, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "bulk source"));
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_exe_destroy(exe);
}

static void a_part_without_its_shape_is_no_part(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    const wadi_part part = wadi_part_fixed(WADI_F64, 2, NULL);
    wadi_source *source = NULL;
    assert_int_equal(wadi_source_bulk(1, &part, fills_too_many, NULL, &source, &err), WADI_INVALID);
    assert_string_equal(err.msg, "bulk source: part 0 has rank -1 and 1 fields");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_is_null_is_refused),
        cmocka_unit_test(so_it_is_in_a_program_and_in_a_source),
        cmocka_unit_test(a_source_that_says_it_filled_more_than_there_was_room_for_is_refused),
        cmocka_unit_test(a_part_without_its_shape_is_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
