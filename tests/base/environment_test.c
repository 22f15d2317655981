/* What a variable says counts; what it says wrongly does not, and is told. */
#include "base/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/log.h"

static char last[256];
static int lines;

static void keep(void *env, wadi_log_level level, const char *line) {
    (void)env;
    (void)level;
    (void)snprintf(last, sizeof last, "%s", line);
    lines++;
}

static void switches_have_usual_positions(void **state) {
    (void)state;
    assert_int_equal(unsetenv("WADI_FAST_MATH"), 0);
    assert_int_equal(setenv("WADI_LEARN", "", 1), 0);
    assert_int_equal(unsetenv("WADI_WATCH"), 0);
    assert_false(wadi_switch_is_on(WADI_SWITCH_FAST_MATH));
    assert_true(wadi_switch_is_on(WADI_SWITCH_LEARN));
    assert_true(wadi_switch_is_on(WADI_SWITCH_WATCH));
    assert_int_equal(setenv("WADI_FAST_MATH", "on", 1), 0);
    assert_int_equal(setenv("WADI_LEARN", "off", 1), 0);
    assert_true(wadi_switch_is_on(WADI_SWITCH_FAST_MATH));
    assert_false(wadi_switch_is_on(WADI_SWITCH_LEARN));
    assert_int_equal(lines, 0);
}

static void a_wrong_word_is_told_once(void **state) {
    (void)state;
    assert_int_equal(setenv("WADI_FAST_MATH", "1", 1), 0);
    assert_false(wadi_switch_is_on(WADI_SWITCH_FAST_MATH));
    assert_int_equal(lines, 1);
    assert_string_equal(
        last, "WADI_FAST_MATH is \"1\": it may be \"on\" or \"off\", and counts as \"off\"");
    assert_false(wadi_switch_is_on(WADI_SWITCH_FAST_MATH));
    assert_int_equal(lines, 1);
    assert_int_equal(setenv("WADI_WATCH", "no", 1), 0);
    assert_true(wadi_switch_is_on(WADI_SWITCH_WATCH));
    assert_non_null(strstr(last, "counts as \"on\""));
}

static void limits_are_seconds_within_bounds(void **state) {
    (void)state;
    lines = 0;
    assert_int_equal(unsetenv("WADI_CC_TIMEOUT"), 0);
    assert_true(wadi_limit_seconds(WADI_LIMIT_CC, 120) == 120);
    assert_int_equal(setenv("WADI_CC_TIMEOUT", "0", 1), 0);
    assert_true(wadi_limit_seconds(WADI_LIMIT_CC, 120) == 0);
    assert_int_equal(setenv("WADI_PATIENCE", "0.25", 1), 0);
    assert_true(wadi_limit_seconds(WADI_LIMIT_PATIENCE, 30) == 0.25);
    assert_int_equal(lines, 0);
    static const char *const wrong[] = {"0", "nan", "inf", "1e7", "-1", "5s", "five"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(setenv("WADI_PATIENCE", wrong[i], 1), 0);
        assert_true(wadi_limit_seconds(WADI_LIMIT_PATIENCE, 30) == 30);
    }
    assert_int_equal(lines, 1);
    assert_string_equal(
        last, "WADI_PATIENCE is \"0\": it may be 0.001 to 1e+06 seconds, and counts as 30");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(switches_have_usual_positions),
                                       cmocka_unit_test(a_wrong_word_is_told_once),
                                       cmocka_unit_test(limits_are_seconds_within_bounds)};
    wadi_log_set(keep, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
