/* UTF-8 is accepted, and bytes that only look like UTF-8 are refused. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void borders_of_every_length_are_text(void **state) {
    (void)state;
    static const char *const good[] = {"",
                                       "abc",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(wadi_utf8_is(good[i], strlen(good[i])));
    }
    assert_true(wadi_utf8_is("a\0b", 3));
}

static void what_lies_beyond_them_is_not(void **state) {
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xc2\x41",
                                      "\xe0\x9f\xbf",
                                      "\xe0\xa0",
                                      "\xe2\x82\x41",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xf0\x90\x80",
                                      "a\xc2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(wadi_utf8_is(bad[i], strlen(bad[i])));
    }
}

static void a_terminal_gets_no_control_characters(void **state) {
    (void)state;
    static const struct {
        const char *given, *shown;
    } of[] = {{"plain\n\ttext", "plain\n\ttext"},
              {"\x1b[31m\a\r", "\\x1b[31m\\x07\\x0d"},
              {"\x7f", "\\x7f"},
              {"caf\xc3\xa9 \xf0\x9f\x8e\xb5 \xc2\xa0", "caf\xc3\xa9 \xf0\x9f\x8e\xb5 \xc2\xa0"},
              {"\xc2\x9b"
               "31m",
               "\\xc2\\x9b31m"},
              {"caf\xe9\x9b", "caf\\xe9\\x9b"},
              {"cut \xe2\x82", "cut \\xe2\\x82"},
              {"\xe2\x80\xae"
               "dleif",
               "\\xe2\\x80\\xae"
               "dleif"},
              {"\xd8\x9c\xe2\x81\xa9", "\\xd8\\x9c\\xe2\\x81\\xa9"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        wadi_text t = {0};
        wadi_text_add_shown(&t, of[i].given, strlen(of[i].given));
        assert_string_equal(wadi_text_str(&t), of[i].shown);
        wadi_text_fini(&t);
    }
}

static void codes_are_those_of_characters(void **state) {
    (void)state;
    assert_int_equal(wadi_utf8_code("a", 1), 'a');
    assert_int_equal(wadi_utf8_code("\x7f", 1), 0x7f);
    assert_int_equal(wadi_utf8_code("\xc3\xa9", 2), 0xe9);
    assert_int_equal(wadi_utf8_code("\xe2\x80\xae", 3), 0x202e);
    assert_int_equal(wadi_utf8_code("\xf4\x8f\xbf\xbf", 4), 0x10ffff);
}

static void controls_have_borders(void **state) {
    (void)state;
    static const unsigned ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
    for (unsigned code = 0; code < 0x3000; code++) {
        bool is = false;
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            is = is || (code >= ranges[i][0] && code <= ranges[i][1]);
        if (wadi_utf8_is_control(code) != is) fail_msg("U+%04X", code);
    }
}

/* Each character for itself: one that is cut off does not change how the others are written. */
static void json_has_each_character_for_itself(void **state) {
    (void)state;
    static const struct {
        const char *given, *want;
    } of[] = {{"a \"b\"\\c\n", "\"a \\\"b\\\"\\\\c\\u000a\""},
              {"\xc3\xa9\xff", "\"\xc3\xa9\\u00ff\""},
              {"\xc3\xa9\xc3", "\"\xc3\xa9\\u00c3\""},
              {"\xc2\x9b\x7f\xc2\xa0", "\"\\u009b\\u007f\xc2\xa0\""},
              {"\xe2\x80\xae", "\"\\u202e\""},
              {"\xf0\x9f\x8e\xb5\xed\xa0\x80", "\"\xf0\x9f\x8e\xb5\\u00ed\\u00a0\\u0080\""}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        wadi_text t = {0};
        wadi_text_add_json(&t, of[i].given);
        assert_string_equal(wadi_text_str(&t), of[i].want);
        wadi_text_fini(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_of_every_length_are_text),
        cmocka_unit_test(what_lies_beyond_them_is_not),
        cmocka_unit_test(a_terminal_gets_no_control_characters),
        cmocka_unit_test(codes_are_those_of_characters),
        cmocka_unit_test(controls_have_borders),
        cmocka_unit_test(json_has_each_character_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
