/* Compiling: reports are given if asked for and not otherwise, mistakes name their place, unknown options are refused, and no
 * memory is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kept_memory.h"
#include "wadi/wadi.h"

static const char sound[] = "program p\n"
                            "input n : i64\n"
                            "t = generate n (i) { mul i i }\n"
                            "output t\n";

static void a_report_is_there_if_asked_for(void **state) {
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        const wadi_compile_options o = {.explain = asked == 1};
        wadi_exe *exe = NULL;
        char *text = (char *)"";
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_compile_text(sound, "p.wadi", &o, &exe, &err), WADI_OK);
        const wadi_status status = wadi_explain(exe, &text, &err);
        assert_int_equal(status, asked == 1 ? WADI_OK : WADI_INVALID);
        if (asked == 0) {
            assert_string_equal(err.msg, "explain: the program was compiled without it");
            assert_null(text);
        } else {
            char *again = NULL;
            assert_non_null(strstr(text, "generate"));
            assert_non_null(strstr(text, "plan p"));
            assert_int_equal(wadi_explain(exe, &again, NULL), WADI_OK);
            assert_string_equal(text, again); /* a copy for each who asks */
            assert_ptr_not_equal(text, again);
            free(again);
        }
        free(text);
        wadi_exe_destroy(exe);
    }
    wadi_exe_destroy(NULL);
}

static const struct {
    const char *text;
    wadi_compile_options options;
    const char *place; /* in the message */
} mistakes[] = {
    {"program p\ninput n : i64\nt = generate n (i) { mul i j }\noutput t\n",
     {0},
     "line 3, column 28: "},
    {"program p\ninput n : i65\noutput n\n", {0}, "line 2, column 11: "},
    {"", {0}, "line 1, column 1: "},
    {sound, {.target = "z80"}, "z80"},
    {sound, {.disable = "no_such_pass"}, "no_such_pass"},
};

static void mistakes_are_told_with_their_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wadi_exe *exe = (wadi_exe *)(uintptr_t)1;
        wadi_error err = {.status = WADI_OK};
        const wadi_status status =
            wadi_compile_text(mistakes[i].text, "p.wadi", &mistakes[i].options, &exe, &err);
        if (status == WADI_OK) fail_msg("mistake %d is none", (int)i);
        assert_int_equal(status, err.status);
        if (strstr(err.msg, mistakes[i].place) == NULL)
            fail_msg("\"%s\" does not say %s", err.msg, mistakes[i].place);
        assert_null(exe);
    }
}

static void compile_some(void *env) {
    const wadi_compile_options o = {.explain = true};
    (void)env;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wadi_exe *exe = NULL;
        assert_int_not_equal(
            wadi_compile_text(mistakes[i].text, "p.wadi", &mistakes[i].options, &exe, NULL),
            WADI_OK);
    }
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    char *text = NULL;
    const wadi_run_options bad = {.threads = -1};
    assert_int_equal(wadi_compile_text(sound, "p.wadi", &o, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_explain(exe, &text, NULL), WADI_OK);
    free(text);
    assert_int_equal(wadi_run_create(exe, &bad, &run, NULL), WADI_INVALID);
    assert_null(run);
    assert_int_equal(wadi_run_create(exe, NULL, &run, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(run, NULL), WADI_INVALID); /* its input is not bound */
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

static void compiling_keeps_no_memory(void **state) {
    (void)state;
    assert_keeps_nothing(compile_some, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_there_if_asked_for),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(compiling_keeps_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
