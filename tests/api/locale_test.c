/* A process that writes 0,5 for a half, or whose small I has no dot, compiles and runs programs, explains them, and reads what it has written, as any other does. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/args.h"
#include "base/format.h"
#include "connectors/connectors.h"
#include "wadi/matrix.h"
#include "wadi/wadi.h"

static char folder[] = "/tmp/wadi-locale-XXXXXX";

static int make_locale(void **state) {
    char command[300];
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(command, sizeof command,
             "for l in de_DE tr_TR; do "
             "localedef -i $l -f UTF-8 %s/$l.UTF-8 >/dev/null 2>&1 || exit 1; done",
             folder);
    if (system(command) != 0) return 0; /* the tests are skipped */
    return setenv("LOCPATH", folder, 1);
}

static int remove_locale(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void in_german(void) {
    char half[8];
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) skip();
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, "0,5");
}

static const char text[] = "program p\n"
                           "input v : f64[n]\n"
                           "a = map v (x) { add (mul x 0.1) 3.75 }\n"
                           "b = map a (x) { fdiv (add x 1e-3) 0.0625 }\n"
                           "s = fold 0.5 b (p, q) { add p q }\n"
                           "output s\n";

static double sum(char **told) {
    static double v[] = {1.5, 2, 3};
    const wadi_compile_options options = {.explain = true, .extents = "n=3"};
    wadi_array a = {.rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {3}, .column = {v}};
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    if (wadi_compile_text(text, "p", &options, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_explain(exe, told, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, NULL, &run, &err), WADI_OK);
    assert_int_equal(wadi_run_input(run, "v", &a, NULL), WADI_OK);
    if (wadi_run_go(run, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_result(run, "s", &a, NULL), WADI_OK);
    const double s = *(double *)a.column[0];
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    return s;
}

static void programs_are_the_same(void **state) {
    static const double v[] = {1.5, 2, 3};
    double want = 0.5;
    char *there = NULL, *here = NULL;
    (void)state;
    for (int i = 0; i < 3; i++) want = want + (v[i] * 0.1 + 3.75 + 1e-3) / 0.0625;
    in_german();
    assert_true(sum(&there) == want);
    assert_string_equal(setlocale(LC_NUMERIC, NULL), "de_DE.UTF-8");
    (void)setlocale(LC_ALL, "C");
    assert_true(sum(&here) == want);
    assert_string_equal(there, here);
    free(there);
    free(here);
}

static void numbers_are_read_and_written_with_a_point(void **state) {
    char out[32], *end = NULL;
    (void)state;
    in_german();
    assert_int_equal(wadi_format(out, sizeof out, "%.2f %g %a", 1.25, -0.5, 1.5), 18);
    assert_string_equal(out, "1.25 -0.5 0x1.8p+0");
    assert_true(wadi_format_read_f64("2.5e-1 rest", &end) == 0.25);
    assert_string_equal(end, " rest");
    assert_true(wadi_format_read_f32("0.1", NULL) == 0.1F);
    assert_true(wadi_format_read_f64("1,5", &end) == 1);
    snprintf(out, sizeof out, "%.1f", 0.5);
    assert_string_equal(out, "0,5"); /* the caller's locale is as it was */
    (void)setlocale(LC_ALL, "C");
}

static const char matrix[] = "%%MatrixMarket MATRIX COORDINATE INTEGER GENERAL\n2 2 1\n1 2 7\n";

/* In Turkish the capital of i has a dot, and I is none. */
static void capitals_are_those_of_ascii(void **state) {
    char path[64];
    int64_t n = 0;
    wadi_sink *sink = NULL;
    wadi_csr m = {0};
    wadi_error err = {.status = WADI_OK};
    (void)state;
    if (setlocale(LC_ALL, "tr_TR.UTF-8") == NULL) skip();
    assert_ptr_equal(wadi_connector_of("x.AIFF"), wadi_connector_named("sound", 5));
    assert_true(wadi_args_size("3K", &n) && n == 3 << 10);
    snprintf(path, sizeof path, "%s/x.BIN", folder);
    const wadi_place plain = {.at = path, .rank = -1};
    if (wadi_connector_sink(wadi_connector_of(path), &plain, &sink, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_sink_destroy(sink);
    if (wadi_matrix_market_parse("x", matrix, sizeof matrix - 1, &m, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_csr_fini(&m);
    (void)setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_the_same),
        cmocka_unit_test(numbers_are_read_and_written_with_a_point),
        cmocka_unit_test(capitals_are_those_of_ascii),
    };
    return cmocka_run_group_tests_name("locale", tests, make_locale, remove_locale);
}
