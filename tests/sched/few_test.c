/* Chunks of fewer elements than workers: when their elements are shared, by the times that were measured. */
#include "sched/steps/few.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { WORKERS = 16, MS = 1000000 };

static const wadi_plan_body body = {
    .name = "b", .offers = {[WADI_SCHEDULE_INSIDE] = true, [WADI_SCHEDULE_FLAT] = true}};

static wadi_schedule next(const wadi_few *f, int64_t count) {
    return wadi_few_schedule(f, &body, WADI_SCHEDULE_INSIDE, count, WORKERS);
}

static void long_elements_are_shared_where_workers_are_idle(void **state) {
    (void)state;
    wadi_few f = {0};
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_INSIDE); /* nothing is known */
    wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 1, WORKERS, 60 * MS);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_INSIDE); /* it may have been disturbed */
    wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 1, WORKERS, 60 * MS);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_FLAT);
    assert_int_equal(next(&f, WORKERS - 1), WADI_SCHEDULE_FLAT);
    assert_int_equal(next(&f, WORKERS), WADI_SCHEDULE_INSIDE);
    wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 1, WORKERS, WADI_FEW_LONG_NS - 1);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_INSIDE);
}

/* All elements of a chunk of few run at once; of one with more, several run one after the other. */
static void chunks_of_any_size_tell_how_long_an_element_is(void **state) {
    (void)state;
    wadi_few f = {0};
    wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 3, WORKERS, MS);
    assert_int_equal(f.inside_ns[1], MS);
    wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 4 * WORKERS, WORKERS, 2 * MS);
    assert_int_equal(f.inside_ns[1], MS / 2);
    wadi_few_saw(&f, WADI_SCHEDULE_FLAT, 4 * WORKERS, WORKERS, 900 * MS);
    assert_int_equal(f.flat_ns, 0);
}

static void sharing_that_is_dearer_ends(void **state) {
    (void)state;
    wadi_few f = {0};
    for (int i = 0; i < 2; i++) wadi_few_saw(&f, WADI_SCHEDULE_INSIDE, 1, WORKERS, 2 * MS);
    wadi_few_saw(&f, WADI_SCHEDULE_FLAT, 1, WORKERS, 2 * MS);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_FLAT);
    wadi_few_saw(&f, WADI_SCHEDULE_FLAT, 1, WORKERS, 4 * MS);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_INSIDE);
}

/* What all workers do together in so short a time was never long. */
static void elements_that_prove_short_are_not_shared(void **state) {
    (void)state;
    wadi_few f = {.inside_ns = {9 * MS, 9 * MS}};
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_FLAT);
    wadi_few_saw(&f, WADI_SCHEDULE_FLAT, 1, WORKERS, WADI_FEW_LONG_NS / WORKERS - 1);
    assert_int_equal(next(&f, 1), WADI_SCHEDULE_INSIDE);
}

static void what_the_rule_says_otherwise_stays(void **state) {
    (void)state;
    const wadi_plan_body alone = {.name = "b", .offers = {[WADI_SCHEDULE_INSIDE] = true}};
    wadi_few f = {.inside_ns = {60 * MS, 60 * MS}};
    assert_int_equal(wadi_few_schedule(&f, &body, WADI_SCHEDULE_ACROSS, 1, WORKERS),
                     WADI_SCHEDULE_ACROSS);
    assert_int_equal(wadi_few_schedule(&f, &alone, WADI_SCHEDULE_INSIDE, 1, WORKERS),
                     WADI_SCHEDULE_INSIDE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_elements_are_shared_where_workers_are_idle),
        cmocka_unit_test(chunks_of_any_size_tell_how_long_an_element_is),
        cmocka_unit_test(sharing_that_is_dearer_ends),
        cmocka_unit_test(elements_that_prove_short_are_not_shared),
        cmocka_unit_test(what_the_rule_says_otherwise_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
