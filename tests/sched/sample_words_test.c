/* Samples as JSON: each value as exactly as its type has it. */
#include "sched/watch/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_told(wadi_type t, int columns, const double *value, const char *want) {
    const int64_t n = t == WADI_C64 || t == WADI_C128 ? 2 * columns : columns;
    wadi_sample *s = calloc(1, sizeof *s + (size_t)n * sizeof *value);
    wadi_text out = {0};
    assert_non_null(s);
    s->n = 1;
    s->count = columns;
    s->values = n;
    s->part[0] = (wadi_sample_part){
        .type = t, .series = true, .rows = 1, .columns = columns, .row_step = 1, .column_step = 1};
    memcpy(s->value, value, (size_t)n * sizeof *value);
    wadi_watch_sample(s, &out);
    const char *got = strstr(wadi_text_str(&out), "\"values\": ");
    assert_non_null(got);
    assert_string_equal(got + 10, want);
    wadi_text_fini(&out);
    free(s);
}

static void integers_are_told_exactly(void **state) {
    (void)state;
    const double some[] = {1234567, -1e9, 0}, wide[] = {9007199254740991, -9007199254740992},
                 widest = 18446744073709549568.0, flag = 1;
    assert_told(WADI_I32, 3, some, "[1234567, -1000000000, 0]}]}");
    assert_told(WADI_I64, 2, wide, "[9007199254740991, -9007199254740992]}]}");
    assert_told(WADI_U64, 1, &widest, "[18446744073709549568]}]}");
    assert_told(WADI_BOOL, 1, &flag, "[1]}]}");
}

static void floats_are_told_apart_from_their_neighbours(void **state) {
    (void)state;
    const double single = (double)(1.0f / 3), twice[] = {1.0 / 3, 1e300};
    assert_told(WADI_F32, 1, &single, "[0.333333343]}]}");
    assert_told(WADI_F64, 2, twice, "[0.33333333333333331, 1.0000000000000001e+300]}]}");
}

static void what_is_not_finite_is_a_string(void **state) {
    (void)state;
    const double odd[] = {(double)NAN, (double)INFINITY, 1, -(double)INFINITY};
    assert_told(WADI_F32, 4, odd, "[\"nan\", \"inf\", 1, \"-inf\"]}]}");
    assert_told(WADI_C64, 2, odd, "[[\"nan\", \"inf\"], [1, \"-inf\"]]}]}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_told_exactly),
        cmocka_unit_test(floats_are_told_apart_from_their_neighbours),
        cmocka_unit_test(what_is_not_finite_is_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
