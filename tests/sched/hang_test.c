/* When a worker is held to hang, on a clock that the test sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/usual.h"
#include "sched/work/hang.h"

static const int64_t s = 1000000000, limit = INT64_C(10000000000);
static int64_t time_now;

static int64_t now_of_test(void) {
    return time_now;
}

static int set_clock(void **state) {
    (void)state;
    time_now = 1000 * s;
    wadi_clock_set(now_of_test);
    return 0;
}

static int reset_clock(void **state) {
    (void)state;
    wadi_clock_set(NULL);
    return 0;
}

/* Whether an item hangs after it has taken so long. */
static bool hangs_after(int64_t limit_ns, int64_t usual_ns, int64_t ns) {
    const int64_t since = wadi_clock_ns();
    time_now += ns;
    return wadi_hangs(limit_ns, usual_ns, since, wadi_clock_ns());
}

static void the_first_item_has_kernels_to_compile(void **state) {
    (void)state;
    assert_false(hangs_after(limit, 0, 300 * s));
    assert_true(hangs_after(limit, 0, 300 * s + 1));
}

static void short_items_hang_at_the_limit(void **state) {
    (void)state;
    assert_false(hangs_after(limit, s / 100, 10 * s));
    assert_true(hangs_after(limit, s / 100, 10 * s + 1));
    assert_false(hangs_after(limit, 5 * s / 4, 10 * s));
    assert_true(hangs_after(limit, 5 * s / 4, 10 * s + 1));
}

static void long_items_hang_at_eight_times_the_usual(void **state) {
    (void)state;
    assert_false(hangs_after(limit, 3 * s, 24 * s));
    assert_true(hangs_after(limit, 3 * s, 24 * s + 1));
    assert_false(hangs_after(limit, 3600 * s, 8 * 3600 * s));
    assert_true(hangs_after(limit, 3600 * s, 8 * 3600 * s + 1));
}

/* Items become longer, each by half: none of them hangs, though the last takes a hundred times as long as the first. */
static void items_that_become_longer_do_not_hang(void **state) {
    (void)state;
    int64_t usual = 0;
    for (int64_t ns = s; ns < 100 * s; ns += ns / 2) {
        assert_false(hangs_after(limit, usual, ns));
        wadi_usual(&usual, ns);
    }
}

static void nothing_hangs_without_a_limit(void **state) {
    (void)state;
    assert_false(hangs_after(0, 0, 100000 * s));
    assert_false(hangs_after(0, s, 100000 * s));
}

static void any_limit_can_be_set(void **state) {
    (void)state;
    assert_false(hangs_after(1000000000 * s, 0, 3600 * s));
    assert_false(hangs_after(INT64_MAX, s, 3600 * s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_item_has_kernels_to_compile, set_clock,
                                        reset_clock),
        cmocka_unit_test_setup_teardown(short_items_hang_at_the_limit, set_clock, reset_clock),
        cmocka_unit_test_setup_teardown(long_items_hang_at_eight_times_the_usual, set_clock,
                                        reset_clock),
        cmocka_unit_test_setup_teardown(items_that_become_longer_do_not_hang, set_clock,
                                        reset_clock),
        cmocka_unit_test_setup_teardown(nothing_hangs_without_a_limit, set_clock, reset_clock),
        cmocka_unit_test_setup_teardown(any_limit_can_be_set, set_clock, reset_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
