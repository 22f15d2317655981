/* How long home waits for answers of workers elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/run/far.h"

static const int64_t second = 1000000000;

static void home_waits_half_a_minute_at_least(void **state) {
    (void)state;
    assert_int_equal(wadi_far_patience(0, 0), 30 * second);
    assert_int_equal(wadi_far_patience(0, second), 30 * second);
}

static void home_waits_twenty_times_as_long_as_the_slowest(void **state) {
    (void)state;
    assert_int_equal(wadi_far_patience(0, 2 * second), 40 * second);
    assert_int_equal(wadi_far_patience(40 * second, 3 * second), 60 * second);
    assert_int_equal(wadi_far_patience(60 * second, second), 60 * second);
}

/* A server that was away for 44 s would otherwise have home wait 880 s for a worker that has stopped. */
static void one_late_answer_doubles_that_at_most(void **state) {
    (void)state;
    assert_int_equal(wadi_far_patience(0, 44 * second), 60 * second);
    assert_int_equal(wadi_far_patience(60 * second, 44 * second), 120 * second);
}

/* Items of an hour are waited for soon. */
static void what_always_takes_long_is_waited_for(void **state) {
    (void)state;
    int64_t patience = 0;
    for (int i = 0; i < 8; i++) patience = wadi_far_patience(patience, 3600 * second);
    assert_true(patience > 2 * 3600 * second);
    for (int i = 0; i < 99; i++) patience = wadi_far_patience(patience, INT64_MAX);
    assert_true(patience == INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(home_waits_half_a_minute_at_least),
        cmocka_unit_test(home_waits_twenty_times_as_long_as_the_slowest),
        cmocka_unit_test(one_late_answer_doubles_that_at_most),
        cmocka_unit_test(what_always_takes_long_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
