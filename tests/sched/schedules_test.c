/* The table of schedules: names, what an option forces, and that the first schedule fits every body. */
#include "sched/schedules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static void every_schedule_is_found_by_its_name(void **state) {
    (void)state;
    for (int i = 0; i < WADI_SCHEDULE_COUNT; i++) {
        wadi_schedule_option o = WADI_SCHEDULE_AUTO;
        assert_int_equal(wadi_schedule_take(wadi_schedules[i].name, &o, NULL), WADI_OK);
        assert_int_equal(wadi_forced_schedule(o), i);
        assert_string_equal(wadi_version_name((wadi_version_key){.schedule = (wadi_schedule)i}),
                            wadi_schedules[i].name);
        assert_true(strlen(wadi_schedules[i].about) > 0);
    }
}

static void auto_forces_none_and_other_words_are_refused_with_the_names(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_schedule_option o = WADI_SCHEDULE_FORCE_FLAT;
    assert_int_equal(wadi_schedule_take("pure", &o, &err), WADI_INVALID);
    assert_int_equal(o, WADI_SCHEDULE_FORCE_FLAT);
    assert_non_null(strstr(err.msg, "--schedule: \"pure\" is not auto, inside, flat"));
    assert_non_null(strstr(err.msg, " or "));
    assert_int_equal(wadi_schedule_take("auto", &o, NULL), WADI_OK);
    assert_int_equal(o, WADI_SCHEDULE_AUTO);
    assert_int_equal(wadi_forced_schedule(o), -1);
}

/* Whatever is true of a body, some schedule that everybody offers can be chosen without being forced. */
static void the_first_has_a_cost(void **state) {
    (void)state;
    assert_non_null(wadi_schedules[WADI_SCHEDULE_FIRST].cost);
    assert_false(wadi_schedules[WADI_SCHEDULE_FIRST].by_operator);
}

static void versions_are_numbered_without_gaps(void **state) {
    (void)state;
    for (int i = 0; i < WADI_BODY_VERSIONS; i++)
        assert_int_equal(wadi_version_number(wadi_version_numbered(i)), i);
    assert_true(wadi_version_numbered(WADI_BODY_VERSIONS - 1).pure);
    assert_string_equal(wadi_version_name(wadi_version_numbered(WADI_BODY_VERSIONS - 1)), "pure");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_is_found_by_its_name),
        cmocka_unit_test(auto_forces_none_and_other_words_are_refused_with_the_names),
        cmocka_unit_test(the_first_has_a_cost),
        cmocka_unit_test(versions_are_numbered_without_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
