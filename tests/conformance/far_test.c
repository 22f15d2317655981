/* Arrays that are too large for caches are stored past them: all of their elements are what they would be otherwise, also those at the ends of lines and strips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error.h"
#include "wadi/wadi.h"

enum { N = (17 << 20) + 5 }; /* of four bytes: more than 64 MiB */

static const char text[] = "program far\n"
                           "input n : i64\n"
                           "xs = generate n (i) { convert i32 (mul i 3) }\n"
                           "ys = map xs (x) { a: convert f64 x, b: sub 7i32 x }\n"
                           "zs = map ys (a, b) { sub b 1i32 }\n"
                           "output xs\noutput ys\noutput zs\n";

static const void *column(wadi_run *r, const char *name, int field) {
    wadi_array a;
    wadi_error err = {0};
    assert_int_equal(wadi_run_result(r, name, &a, &err), WADI_OK);
    assert_int_equal(a.shape[0], N);
    return a.column[field];
}

static void large_arrays_are_stored_whole(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    int64_t n = N;
    const wadi_array size = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    const wadi_run_options options = {.threads = 2};
    assert_int_equal(wadi_compile_text(text, "far", NULL, &exe, &err), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, &err), WADI_OK);
    assert_int_equal(wadi_run_input(run, "n", &size, &err), WADI_OK);
    assert_int_equal(wadi_run_go(run, &err), WADI_OK);
    const int32_t *xs = column(run, "xs", 0), *b = column(run, "ys", 1), *zs = column(run, "zs", 0);
    const double *a = column(run, "ys", 0);
    int64_t wrong = 0;
    for (int32_t i = 0; i < N; i++)
        wrong += xs[i] != 3 * i || a[i] != 3 * i || b[i] != 7 - 3 * i || zs[i] != 6 - 3 * i;
    assert_int_equal(wrong, 0);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_arrays_are_stored_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
