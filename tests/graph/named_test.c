/* Names that users give to arrays: they appear in the program's text, bad names are mistakes, and an input keeps its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "graph/lang/node.h"
#include "operators/table.h"
#include "wadi/lang.h"

static void a_named_array_is_called_so_in_the_text(void **state) {
    (void)state;
    wadi_error err;
    wadi_module *m = NULL;
    wadi_text t;
    wadi_program *p = wadi_program_create("named");
    const wadi_acc ramp = wadi_named("ramp", wadi_iota(WADI_I32, wadi_i64(5)));
    wadi_output("total", wadi_sum(wadi_map(wadi_neg, ramp)));
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, &err), WADI_OK);
    wadi_text_init(&t);
    wadi_ir_print(m, &t);
    assert_non_null(strstr(wadi_text_str(&t), "ramp = generate 5"));
    assert_non_null(strstr(wadi_text_str(&t), "map ramp"));
    wadi_text_fini(&t);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

/* "?", a number that can be one, or a name. */
static void an_extent_is_a_number_or_a_name(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool fine;
    } cases[] = {{"?", true},   {"0", true},    {"9223372036854775807", true},
                 {"n", true},   {"_n1", true},  {"9223372036854775808", false},
                 {NULL, true},  {"12x", false}, {"99999999999999999999999", false},
                 {"-1", false}, {"", false},    {"a b", false},
                 {"1n", false}, {"??", false},  {" 1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_error err = {0};
        wadi_program *p = wadi_program_create("extents");
        (void)wadi_input("x", WADI_I64, 1, &cases[i].text);
        if (wadi_program_check(p, &err) != (cases[i].fine ? WADI_OK : WADI_INVALID))
            fail_msg("%s: %s", cases[i].text ? cases[i].text : "NULL", err.msg);
        if (!cases[i].fine) {
            assert_non_null(strstr(err.msg, cases[i].text));
            assert_non_null(strstr(err.msg, "expected a number, a name or \"?\""));
        }
        wadi_program_destroy(p);
    }
}

static void a_name_that_is_none_is_a_mistake(void **state) {
    static const char *const bad[] = {"", "two words", "1st", "a-b", NULL};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wadi_error err;
        wadi_program *p = wadi_program_create("named");
        wadi_output("x", wadi_named(bad[i], wadi_unit(wadi_i32(1))));
        assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "is not a name"));
        wadi_program_destroy(p);
    }
}

/* However names and numbered names meet, the text has each once, and can be read. */
static void names_that_meet_are_told_apart(void **state) {
    static const char *const names[] = {"x", "x_0", "x_2", "x", "x", "x_0", "x", "x_0_0", "x_0"};
    enum { N = sizeof names / sizeof names[0] };
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_module *m = NULL, *again = NULL;
    wadi_text t;
    wadi_program *p = wadi_program_create("named");
    for (int i = 0; i < N; i++) {
        char output[16];
        (void)snprintf(output, sizeof output, "o%d", i);
        wadi_output(output, wadi_named(names[i], wadi_iota(WADI_I32, wadi_i64(i + 1))));
    }
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, &err), WADI_OK);
    wadi_text_init(&t);
    wadi_ir_print(m, &t);
    if (wadi_ir_parse(wadi_text_str(&t), NULL, wadi_operators(), &again, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, wadi_text_str(&t));
    wadi_text_fini(&t);
    wadi_module_destroy(again);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

static void an_input_that_nothing_reads_stays(void **state) {
    static const char *const extent[] = {"n"};
    (void)state;
    wadi_error err;
    wadi_module *m = NULL;
    wadi_program *p = wadi_program_create("inputs");
    (void)wadi_input("unread", WADI_F32, 1, extent);
    const wadi_acc read = wadi_input("read", WADI_F32, 1, extent);
    wadi_output("sum", wadi_sum(read));
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, &err), WADI_OK);
    assert_int_equal(m->main->nbinds, 3);
    assert_string_equal(m->main->binds[0]->name, "unread");
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_array_is_called_so_in_the_text),
        cmocka_unit_test(an_extent_is_a_number_or_a_name),
        cmocka_unit_test(a_name_that_is_none_is_a_mistake),
        cmocka_unit_test(names_that_meet_are_told_apart),
        cmocka_unit_test(an_input_that_nothing_reads_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
