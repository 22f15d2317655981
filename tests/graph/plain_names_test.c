/* Names that are printed as they are: letters, digits and _, but no word of the language and no operation on scalars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ir/ir.h"
#include "graph/ir/lex.h"

static const char *const words[] = {
    "program",   "output",  "yield",   "as",      "seq",     "avoid", "regular",
    "irregular", "delayed", "sibling", "if",      "else",    "while", "do",
    "from",      "iterate", "the",     "extent",  "true",    "false", "convert",
    "bitcast",   "inf_f32", "inf_f64", "nan_f32", "nan_f64",
};

enum { WORDS = sizeof words / sizeof *words };

static const char *word_at(int i) {
    return i < WORDS ? words[i] : wadi_sop_get((wadi_sop)(i - WORDS))->name;
}

static bool is_word(const char *s) {
    for (int i = 0; i < WORDS + WADI_SOP_PRIM_COUNT; i++)
        if (strcmp(word_at(i), s) == 0) return true;
    return false;
}

static bool is_as(const char *s, bool plain) {
    if (wadi_lex_is_plain_name(s) == plain) return true;
    print_message("%s\n", s);
    return false;
}

static void words_are_no_names(void **state) {
    (void)state;
    for (int i = 0; i < WORDS + WADI_SOP_PRIM_COUNT; i++) {
        char longer[64], shorter[64];
        assert_true(is_as(word_at(i), false));
        snprintf(longer, sizeof longer, "%s_", word_at(i));
        snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(word_at(i)) - 1, word_at(i));
        assert_true(is_as(longer, true));
        if (shorter[0] != '\0') assert_true(is_as(shorter, !is_word(shorter)));
    }
}

static void other_words_are_names(void **state) {
    (void)state;
    for (int c = 1; c < 256; c++) {
        const char one[] = {(char)c, '\0'}, two[] = {'q', (char)c, '\0'};
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        assert_true(is_as(one, letter && !is_word(one)));
        assert_true(is_as(two, letter || (c >= '0' && c <= '9')));
    }
    assert_true(is_as("", false));
    assert_true(is_as("Program", true));
    assert_true(is_as("x1", true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_no_names),
        cmocka_unit_test(other_words_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
