/* Which loops within elements run for a block of elements in step. tests/conformance/lockstep_test.c checks what they compute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "codegen/plan/plan.h"
#include "tests/codegen/programs.h"

/* The C text of the last body's kernels; the caller frees `made`. */
static wadi_made *kernels_of(const char *text, wadi_schedule schedule) {
    compiled c = compile(text, NULL);
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    wadi_made *made = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_plan_build(c.m, &c.facts, &(wadi_plan_options){.unchecked = false}, &plan, &versions,
                        &err) != WADI_OK)
        fail_msg("%s", err.msg);
    const int last = plan->nbodies - 1;
    if (wadi_versions_make(versions, last, (wadi_version_key){.schedule = schedule}, NULL, &made,
                           &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    compiled_free(&c);
    return made;
}

static bool threads_jumps; /* the text that lanes_of has seen last lets GCC do it */

/* The lanes of the blocks in which an element `body` of x is computed; 0: there are no blocks. */
static int lanes_of(const char *body, wadi_schedule schedule) {
    char text[900], array[64];
    snprintf(text, sizeof text,
             "program blocks\ninput xs : f64[n]\ninput limit : i64\n"
             "ys = map xs (x) {\n    %s\n}\noutput ys\n",
             body);
    wadi_made *made = kernels_of(text, schedule);
    int lanes = 0;
    threads_jumps = strstr(made->source, "no-thread-jumps") == NULL;
    for (int n = 1; n <= 1024; n++) {
        snprintf(array, sizeof array, " states[%d];", n);
        if (strstr(made->kernels, array)) lanes = n;
    }
    wadi_made_destroy(made);
    return lanes;
}

static void expect(int lanes, const char *body) {
    assert_int_equal(lanes_of(body, WADI_SCHEDULE_FLAT), lanes);
}

static void light_loops_run_in_step(void **state) {
    (void)state;
    expect(32, "a, k = while (a, k) { lt k 9 } do { mul a x, add k 1 } from x, 0\n    a");
    expect(32, "a, k = while (a, k) { land (lt k 9) (lt a 4.0) } do { sqrt (add (abs a) 9.0), add "
               "k 1 } from x, 0\n    a");
    expect(64, "k = while (k) { land (lt (convert f64 k) x) (lt k 9i32) } do { add k 1i32 } from "
               "0i32\n    convert f64 k");
    expect(32, "a, k = while (a, k) { lt k 9 } do { if (lt a 1.0) { add a x } else { add a a }, "
               "add k 1 } from x, 0\n"
               "    a");
    expect(32, "iterate (and (the limit) 7) (k, a) { add (mul a x) (convert f64 k) } from x");
    assert_int_equal(lanes_of("k = while (k) { lt k 9 } do { add k 1 } from 0\n    convert f64 k",
                              WADI_SCHEDULE_INSIDE),
                     32);
}

/* What selections by one bool become if GCC may thread jumps takes seven times as long; other kernels keep it. */
static void selections_stay_selections(void **state) {
    (void)state;
    expect(32, "a, k = while (a, k) { lt k 9 } do { mul a x, add k 1 } from x, 0\n    a");
    assert_false(threads_jumps);
    expect(0, "mul x 2.0");
    assert_true(threads_jumps);
}

/* What may fault, reads, calls, or is not SIMD code. */
static void others_do_not(void **state) {
    (void)state;
    expect(0, "k = while (k) { gt k 0 } do { quot k 10 } from 12345\n    convert f64 k");
    expect(0, "k = while (k) { land (lt k 9) (gt (xs ! (min k (sub (extent xs 0) 1))) x) } do { "
              "add k 1 } from 0\n"
              "    convert f64 k");
    expect(0, "a, k = while (a, k) { lt k 9 } do { sin a, add k 1 } from x, 0\n    a");
    expect(0,
           "k = while (k) { lt k 40i32 } do { add k (popcount k) } from 1i32\n    convert f64 k");
    expect(0, "iterate 20 (k, a) { add (mul a x) (convert f64 k) } from x");
    expect(0, "iterate (convert i64 (min x 9.0)) (k, a) { add (mul a x) 1.0 } from x");
}

/* Groups have lanes already. */
static void groups_do_not(void **state) {
    (void)state;
    assert_int_equal(lanes_of("k = while (k) { lt k 9 } do { add k 1 } from 0\n    convert f64 k",
                              WADI_SCHEDULE_GROUP),
                     0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_loops_run_in_step),
        cmocka_unit_test(selections_stay_selections),
        cmocka_unit_test(others_do_not),
        cmocka_unit_test(groups_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
