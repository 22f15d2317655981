/* Stencils in a row: where they run in strips, and that nobody sees it but who asks for time. What a strip did not store has no line in a profile.
 * Results are compared with those of schedule inside, which never runs in strips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/wadi.h"

#define ACROSS(EDGE, a)                                            \
    "stencil dims=2 edge=" EDGE " near=5,0,-2,0,-1,0,0,0,1,0,2 " a \
    " (p, q, r, s, t) { add (mul 0.3f32 p) (add (mul q r) (sub s (mul t p))) }"
#define DOWN(EDGE, a, MORE)                                        \
    "stencil dims=2 edge=" EDGE " near=5,-2,0,-1,0,0,0,1,0,2,0 " a \
    " (p, q, r, s, t) { add (mul 0.3f32 p) (add (mul q r) (sub s (mul t p))) }" MORE
#define HEAD "program p\ninput a : f32[h, w]\n"

enum { ROWS = 2051, COLUMNS = 1100, FEW_ROWS = 300 };

static float *picture;

typedef struct outcome {
    wadi_exe *exe;
    wadi_run *run;
    const wadi_profile_row *row;
    int n;
} outcome;

static outcome begin(const char *text, int64_t rows, int threads, wadi_schedule_option schedule) {
    outcome o = {NULL};
    wadi_error err = {.status = WADI_OK};
    wadi_array a = {.rank = 2, .fields = 1, .shape = {rows, COLUMNS}, .type = {WADI_F32}};
    a.column[0] = picture;
    const wadi_run_options options = {
        .threads = threads, .device = "cpu", .schedule = schedule, .profile = true, .forget = true};
    if (wadi_compile_text(text, "p", NULL, &o.exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_create(o.exe, &options, &o.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_input(o.run, "a", &a, &err) != WADI_OK) fail_msg("%s", err.msg);
    return o;
}

static outcome run(const char *text, int64_t rows, int threads, wadi_schedule_option schedule) {
    outcome o = begin(text, rows, threads, schedule);
    wadi_error err = {.status = WADI_OK};
    if (wadi_run_go(o.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_profile(o.run, &o.row, &o.n, &err) != WADI_OK) fail_msg("%s", err.msg);
    return o;
}

static void end(outcome *o) {
    wadi_run_destroy(o->run);
    wadi_exe_destroy(o->exe);
}

static bool has_line(const outcome *o, const char *name) {
    for (int i = 0; i < o->n; i++)
        if (strcmp(o->row[i].name, name) == 0) return true;
    return false;
}

/* Whether `b` had no step of its own; the output is the same as in schedule inside. */
static bool in_strips(const char *text, int64_t rows, int threads) {
    outcome flat = run(text, rows, threads, WADI_SCHEDULE_FORCE_FLAT),
            inside = run(text, rows, 1, WADI_SCHEDULE_FORCE_INSIDE);
    wadi_array x, y;
    assert_int_equal(wadi_run_result(flat.run, "c", &x, NULL), WADI_OK);
    assert_int_equal(wadi_run_result(inside.run, "c", &y, NULL), WADI_OK);
    assert_int_equal(x.shape[0], rows);
    assert_memory_equal(x.column[0], y.column[0], (size_t)(rows * COLUMNS) * sizeof(float));
    assert_true(has_line(&flat, "c"));
    const bool strips = !has_line(&flat, "b");
    end(&flat);
    end(&inside);
    return strips;
}

static void two_in_a_row(void **state) {
    (void)state;
    static const char text[] =
        HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("1", "b", "") "\noutput c\n";
    assert_true(in_strips(text, ROWS, 1));
    assert_true(in_strips(text, ROWS, 3));
    assert_false(in_strips(text, FEW_ROWS, 2));
}

static void three_in_a_row(void **state) {
    (void)state;
    /* b is read by both of the others; a mirror, and a function beyond the edge */
    static const char text[] = HEAD "b = " ACROSS("2", "a") "\nd = " DOWN(
        "2", "b", "") "\n"
                      "c = stencil dims=2 edge=41 near=3,-1,0,0,0,1,0,3,0,-1,0,0,1,1 d b (p, q, r, "
                      "s, t, u) { add "
                      "(mul p q) (sub (mul r s) (add (mul t u) p)) } (i, j) { convert f32 (add i "
                      "j) }\noutput c\n";
    assert_true(in_strips(text, ROWS, 2));
}

static void one_that_others_read(void **state) {
    (void)state;
    static const char text[] =
        HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("1", "b", "") "\noutput c\noutput b\n";
    assert_false(in_strips(text, ROWS, 2));
}

static void one_that_wraps_around(void **state) {
    (void)state;
    static const char text[] =
        HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("3", "b", "") "\noutput c\n";
    assert_false(in_strips(text, ROWS, 2));
}

/* Columns may wrap around: a strip has all of them. */
static void one_that_wraps_within_rows(void **state) {
    (void)state;
    static const char text[] =
        HEAD "b = " ACROSS("1", "a") "\nc = " ACROSS("3", "b") "\noutput c\n";
    assert_true(in_strips(text, ROWS, 2));
}

/* The fault is that of the first step that has one, as if the steps ran one after the other. */
static void a_fault(void **state) {
    (void)state;
    static const char text[] =
        "program p\ninput a : f32[h, w]\n"
        "b = stencil dims=2 edge=1 near=5,0,-2,0,-1,0,0,0,1,0,2 a (p, q, r, s, t) { add (quot 7 "
        "(sub (convert i64 (mul 1000.0f32 r)) 500)) (convert i64 (add (mul p q) (mul s t))) }\n"
        "c = stencil dims=2 edge=1 near=5,-2,0,-1,0,0,0,1,0,2,0 b (p, q, r, s, t) { add (quot p "
        "(sub q q)) (add (mul r s) (mul t p)) }\noutput c\n";
    wadi_error err[2] = {{.status = WADI_OK}, {.status = WADI_OK}};
    const wadi_schedule_option how[] = {WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_INSIDE};
    for (int i = 0; i < 2; i++) {
        outcome o = begin(text, ROWS, 2, how[i]);
        assert_int_not_equal(wadi_run_go(o.run, &err[i]), WADI_OK);
        end(&o);
    }
    assert_string_equal(err[0].msg, err[1].msg);
}

int main(void) {
    picture = malloc(sizeof(float) * ROWS * COLUMNS);
    if (picture == NULL) return 1;
    for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++)
        picture[i] = (float)(i * 7919 % 1009) / 1009.F;
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_in_a_row),
                                       cmocka_unit_test(three_in_a_row),
                                       cmocka_unit_test(one_that_others_read),
                                       cmocka_unit_test(one_that_wraps_around),
                                       cmocka_unit_test(one_that_wraps_within_rows),
                                       cmocka_unit_test(a_fault)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(picture);
    return failed;
}
