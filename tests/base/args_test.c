/* Command lines that are read by a table of options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/args.h"
#include "base/error.h"

typedef struct seen {
    const char *out, *name, *last;
    bool quiet;
    int others, level;
} seen;

static wadi_status take_out(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(err);
    ((seen *)options)->out = value;
    return WADI_OK;
}

static wadi_status take_other(void *options, const char *value, wadi_error *err) {
    seen *s = options;
    if (strcmp(value, "bad") == 0) return wadi_fail(err, WADI_INVALID, "not %s", value);
    s->last = value;
    s->others++;
    return WADI_OK;
}

static bool take_level(void *options, const char *arg) {
    if (strcmp(arg, "-7") != 0) return false;
    ((seen *)options)->level = 7;
    return true;
}

static const wadi_args_option table[] = {
    {"--output", "-o", take_out, 0},
    {"--quiet", "-q", NULL, offsetof(seen, quiet)},
    {"--name", "-n", NULL, offsetof(seen, name), true},
};
static const wadi_args arguments = {table, 3, take_other, take_level};

static wadi_status parse(seen *s, wadi_error *err, int n, ...) {
    char *argv[8] = {(char *)"program"};
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) argv[i + 1] = va_arg(list, char *);
    va_end(list);
    *s = (seen){0};
    return wadi_args_parse(&arguments, n + 1, argv, s, err);
}

static void values_follow_or_stand_behind_an_equals_sign(void **state) {
    WADI_UNUSED(state);
    seen s;
    assert_int_equal(parse(&s, NULL, 2, "--output", "a"), WADI_OK);
    assert_string_equal(s.out, "a");
    assert_int_equal(parse(&s, NULL, 1, "--output=b=c"), WADI_OK);
    assert_string_equal(s.out, "b=c");
    assert_int_equal(parse(&s, NULL, 3, "-o", "-", "--quiet"), WADI_OK);
    assert_string_equal(s.out, "-");
    assert_true(s.quiet);
}

static void a_lone_dash_and_what_follows_two_dashes_are_no_options(void **state) {
    WADI_UNUSED(state);
    seen s;
    assert_int_equal(parse(&s, NULL, 4, "-", "-7", "--", "--quiet"), WADI_OK);
    assert_int_equal(s.others, 2);
    assert_int_equal(s.level, 7);
    assert_false(s.quiet);
    assert_string_equal(s.last, "--quiet");
}

static void letters_may_be_joined(void **state) {
    WADI_UNUSED(state);
    seen s;
    assert_int_equal(parse(&s, NULL, 3, "-7qo", "a", "b"), WADI_OK);
    assert_true(s.quiet);
    assert_int_equal(s.level, 7);
    assert_string_equal(s.out, "a");
    assert_string_equal(s.last, "b");
    assert_int_equal(parse(&s, NULL, 1, "-qoq7"), WADI_OK);
    assert_string_equal(s.out, "q7");
    assert_int_equal(s.level, 0);
    wadi_error err = {0};
    assert_int_equal(parse(&s, &err, 1, "-qz"), WADI_INVALID);
    assert_non_null(strstr(err.msg, "-qz"));
    assert_int_equal(parse(&s, &err, 1, "-qo"), WADI_INVALID);
    assert_non_null(strstr(err.msg, "-o: expected a value after it"));
}

/* In every form a value may have, and nowhere else. */
static void a_text_is_kept_as_it_stands(void **state) {
    WADI_UNUSED(state);
    seen s;
    assert_int_equal(parse(&s, NULL, 2, "--name", "--quiet"), WADI_OK);
    assert_string_equal(s.name, "--quiet");
    assert_false(s.quiet);
    assert_int_equal(parse(&s, NULL, 1, "--name=a=b"), WADI_OK);
    assert_string_equal(s.name, "a=b");
    assert_int_equal(parse(&s, NULL, 1, "--name="), WADI_OK);
    assert_string_equal(s.name, "");
    assert_int_equal(parse(&s, NULL, 1, "-qnab"), WADI_OK);
    assert_string_equal(s.name, "ab");
    assert_true(s.quiet);
    assert_int_equal(parse(&s, NULL, 2, "-qn", "c"), WADI_OK);
    assert_string_equal(s.name, "c");
    assert_null(s.out);
    wadi_error err = {0};
    assert_int_equal(parse(&s, &err, 1, "--name"), WADI_INVALID);
    assert_string_equal(err.msg, "--name: expected a value after it, found none");
    assert_null(s.name);
}

static void mistakes_are_named(void **state) {
    WADI_UNUSED(state);
    seen s;
    wadi_error err = {0};
    assert_int_equal(parse(&s, &err, 1, "--loud"), WADI_INVALID);
    assert_non_null(strstr(err.msg, "--loud"));
    assert_int_equal(parse(&s, &err, 1, "--output"), WADI_INVALID);
    assert_non_null(strstr(err.msg, "expected a value after it"));
    assert_int_equal(parse(&s, &err, 1, "bad"), WADI_INVALID);
    /* what is near to an option is none, and one without a value takes none */
    static const char *const none[] = {"--quiet=1", "--quiets",    "--quie",
                                       "--outputs", "--outputs=a", "--out=a",
                                       "--output",  "-x",          "-o"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(parse(&s, &err, 1, none[i]), WADI_INVALID);
        assert_non_null(strstr(err.msg, none[i]));
        assert_null(s.out);
        assert_false(s.quiet);
    }
    assert_int_equal(parse(&s, NULL, 1, "--output="), WADI_OK);
    assert_string_equal(s.out, "");
    assert_int_equal(parse(&s, NULL, 1, "-o="), WADI_OK);
    assert_string_equal(s.out, "=");
}

static void numbers_and_sizes_are_whole_and_in_range(void **state) {
    WADI_UNUSED(state);
    int64_t v = 0;
    assert_true(wadi_args_number("-3", -5, 5, &v));
    assert_int_equal(v, -3);
    assert_false(wadi_args_number("6", -5, 5, &v));
    assert_false(wadi_args_number("3x", -5, 5, &v));
    assert_false(wadi_args_number("", -5, 5, &v));
    assert_false(wadi_args_number("99999999999999999999", 0, INT64_MAX, &v));
    assert_true(wadi_args_size("256M", &v));
    assert_int_equal(v, 256 << 20);
    assert_true(wadi_args_size("17", &v));
    assert_int_equal(v, 17);
    static const char *const none[] = {"",    "K",   "0",   "-1",          "-1K",     "1MB",
                                       "1kb", "1 K", "1.5", "9000000000T", "8388608T"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        v = 99;
        if (wadi_args_size(none[i], &v) || v != 99) fail_msg("\"%s\" is a size", none[i]);
    }
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"1", 1},
                 {"3K", 3 << 10},
                 {"5k", 5 << 10},
                 {"7m", 7 << 20},
                 {"1G", 1 << 30},
                 {"2T", INT64_C(2) << 40},
                 {"8388607T", INT64_C(8388607) << 40},
                 {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!wadi_args_size(sizes[i].text, &v) || v != sizes[i].bytes)
            fail_msg("%s: %lld", sizes[i].text, (long long)v);
    }
    assert_true(wadi_args_number("5", -5, 5, &v) && v == 5);
    assert_true(wadi_args_number("-5", -5, 5, &v) && v == -5);
    assert_false(wadi_args_number("-6", -5, 5, &v));
    assert_int_equal(v, -5);
}

static void decimal_numbers_are_finite_and_in_range(void **state) {
    WADI_UNUSED(state);
    static const char *const none[] = {"", "x", "1x", "nan", "inf", "-inf", "2.0000001", "-1.1"};
    double v = 7;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (wadi_args_real(none[i], -1, 2, &v) || v != 7) fail_msg("\"%s\" is taken", none[i]);
    assert_true(wadi_args_real("-1", -1, 2, &v) && v == -1);
    assert_true(wadi_args_real("2", -1, 2, &v) && v == 2);
    assert_true(wadi_args_real("25e-2", -1, 2, &v) && v == 0.25);
}

static void what_is_wrong_with_a_value_is_told(void **state) {
    WADI_UNUSED(state);
    wadi_error err = {0};
    assert_int_equal(wadi_args_bad("--memory", "1x", "a size", &err), WADI_INVALID);
    assert_string_equal(err.msg, "--memory: \"1x\" is not a size");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_or_stand_behind_an_equals_sign),
        cmocka_unit_test(a_lone_dash_and_what_follows_two_dashes_are_no_options),
        cmocka_unit_test(letters_may_be_joined),
        cmocka_unit_test(a_text_is_kept_as_it_stands),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(numbers_and_sizes_are_whole_and_in_range),
        cmocka_unit_test(decimal_numbers_are_finite_and_in_range),
        cmocka_unit_test(what_is_wrong_with_a_value_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
