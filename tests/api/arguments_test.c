/* Wrong arguments other than NULL, for the functions of runs and connectors. */
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

/* Each argument that is missing is told by its name, and the run goes on as if it had not been asked. */
static void what_is_missing_is_told_by_its_name(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    const wadi_component scalar = {wadi_scalar_elem(WADI_F64), 0, NULL};
    wadi_output("y", wadi_input("x", WADI_F64, 0, NULL));
    wadi_stream_out(wadi_stream_in("in", 1, &scalar), "out");
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    double one = 1, values[3] = {1, 2, 3};
    const wadi_array x = {.fields = 1, .type = {WADI_F64}, .column = {&one}},
                     in = {1, 1, {WADI_F64}, {3}, {values}};
    wadi_array y;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_run *run = NULL;
    assert_int_equal(wadi_source_memory(&in, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_memory(&sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, NULL, &run, NULL), WADI_OK);
#define MISSING(call, words)                    \
    do {                                        \
        assert_int_equal((call), WADI_INVALID); \
        assert_string_equal(err.msg, words);    \
    } while (0)
    MISSING(wadi_run_create(NULL, NULL, &run, &err), "wadi_run_create: exe is NULL");
    MISSING(wadi_run_create(exe, NULL, NULL, &err), "wadi_run_create: out_run is NULL");
    MISSING(wadi_run_input(NULL, "x", &x, &err), "wadi_run_input: run is NULL");
    MISSING(wadi_run_input(run, NULL, &x, &err), "wadi_run_input: name is NULL");
    MISSING(wadi_run_input(run, "x", NULL, &err), "wadi_run_input: a is NULL");
    MISSING(wadi_run_source(NULL, "in", source, &err), "wadi_run_source: run is NULL");
    MISSING(wadi_run_source(run, NULL, source, &err), "wadi_run_source: name is NULL");
    MISSING(wadi_run_source(run, "in", NULL, &err), "wadi_run_source: source is NULL");
    MISSING(wadi_run_sink(NULL, "out", sink, &err), "wadi_run_sink: run is NULL");
    MISSING(wadi_run_sink(run, NULL, sink, &err), "wadi_run_sink: name is NULL");
    MISSING(wadi_run_sink(run, "out", NULL, &err), "wadi_run_sink: sink is NULL");
    MISSING(wadi_run_go(NULL, &err), "wadi_run_go: run is NULL");
    assert_int_equal(wadi_run_input(run, "x", &x, &err), WADI_OK);
    MISSING(wadi_run_go(run, &err), "source \"in\" is not bound");
    assert_int_equal(wadi_run_source(run, "in", source, &err), WADI_OK);
    MISSING(wadi_run_go(run, &err), "sink \"out\" is not bound");
    assert_int_equal(wadi_run_sink(run, "out", sink, &err), WADI_OK);
    assert_int_equal(wadi_run_go(run, &err), WADI_OK);
    MISSING(wadi_run_result(NULL, "y", &y, &err), "wadi_run_result: run is NULL");
    MISSING(wadi_run_result(run, NULL, &y, &err), "wadi_run_result: name is NULL");
    MISSING(wadi_run_result(run, "y", NULL, &err), "wadi_run_result: out_array is NULL");
    MISSING(wadi_explain(NULL, &(char *){NULL}, &err), "wadi_explain: exe is NULL");
    MISSING(wadi_explain(exe, NULL, &err), "wadi_explain: out_text is NULL");
#undef MISSING
    assert_int_equal(wadi_run_result(run, "y", &y, &err), WADI_OK);
    assert_true(*(const double *)y.column[0] >= 1 && *(const double *)y.column[0] <= 1);
    assert_int_equal(wadi_sink_memory_count(sink), 3);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
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
    assert_string_equal(
        err.msg,
        "bulk source: part 0 has rank -1 and 1 fields, expected rank 0 to 8 and 1 to 16 fields");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_is_null_is_refused),
        cmocka_unit_test(what_is_missing_is_told_by_its_name),
        cmocka_unit_test(so_it_is_in_a_program_and_in_a_source),
        cmocka_unit_test(a_source_that_says_it_filled_more_than_there_was_room_for_is_refused),
        cmocka_unit_test(a_part_without_its_shape_is_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
