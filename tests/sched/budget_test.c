/* The memory budget: what a chunk may have, as elements grow, shrink and are refused. */
#include "sched/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 5000 bytes a chunk. */
static wadi_budget fresh(void) {
    wadi_budget b;
    wadi_budget_init(&b, 10000, 2);
    return b;
}

static void nothing_known_caps_nothing(void **state) {
    (void)state;
    const wadi_budget b = fresh();
    assert_int_equal(wadi_budget_chunk_bytes(&b), 5000);
    assert_int_equal(wadi_budget_cap(&b, 123456), 123456);
    assert_int_equal(wadi_budget_cap(&b, 0), 1);
    wadi_budget one;
    wadi_budget_init(&one, 10000, 0);
    assert_int_equal(wadi_budget_chunk_bytes(&one), 10000);
}

static void what_a_chunk_took_caps_the_next(void **state) {
    (void)state;
    wadi_budget b = fresh();
    wadi_budget_observe(&b, 10, 1000);
    assert_int_equal(wadi_budget_cap(&b, 1000), 50);
    assert_int_equal(wadi_budget_cap(&b, 49), 49);
    wadi_budget_observe(&b, 0, 1000000); /* no elements say nothing of their size */
    assert_int_equal(wadi_budget_cap(&b, 1000), 50);
    wadi_budget_observe(&b, 1, 1000000); /* larger than the budget: one at a time */
    assert_int_equal(wadi_budget_cap(&b, 1000), 1);
}

static void growth_is_followed_at_once_and_shrinking_slowly(void **state) {
    (void)state;
    wadi_budget b = fresh();
    for (int i = 0; i < 20; i++) wadi_budget_observe(&b, 10, 1000);
    wadi_budget_observe(&b, 1, 5000);
    assert_int_equal(wadi_budget_cap(&b, 1000), 1);
    int64_t before = 0;
    for (int i = 0; i < 5; i++) {
        wadi_budget_observe(&b, 10, 1000);
        const int64_t now = wadi_budget_cap(&b, 1000);
        assert_true(now > before && now < 25); /* the large one is remembered */
        before = now;
    }
    for (int i = 0; i < 60; i++) wadi_budget_observe(&b, 10, 1000);
    assert_in_range(wadi_budget_cap(&b, 1000), 49, 50);
}

static void a_refusal_halves_for_good(void **state) {
    (void)state;
    wadi_budget b = fresh();
    wadi_budget_refused(&b, 100);
    assert_int_equal(wadi_budget_cap(&b, 1000), 50);
    wadi_budget_refused(&b, 1000); /* by then it is known better */
    assert_int_equal(wadi_budget_cap(&b, 1000), 50);
    wadi_budget_refused(&b, 9);
    assert_int_equal(wadi_budget_cap(&b, 1000), 4);
    wadi_budget_refused(&b, 1);
    assert_int_equal(wadi_budget_cap(&b, 1000), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_caps_nothing),
        cmocka_unit_test(what_a_chunk_took_caps_the_next),
        cmocka_unit_test(growth_is_followed_at_once_and_shrinking_slowly),
        cmocka_unit_test(a_refusal_halves_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
