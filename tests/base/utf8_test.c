/* UTF-8 is accepted, and bytes that only look like UTF-8 are refused. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_of_every_length_are_text),
        cmocka_unit_test(what_lies_beyond_them_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
