/* Transforms written in the language stay regular: when the elements of a stream have one shape, so have all values of the
 * stage that transforms them, those inside of branches and loops included (van den Haak 2019 managed the power of two
 * alone). And the work per element does not grow with the program: a stage's kernels are a list of passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/structure/stage.h"
#include "wadi/run.h"

static stage stage_in_stream(wadi_acc_fn1 body, int rank, const char *const *extents) {
    wadi_program *p = stage_stream(body, rank, extents);
    const stage s = stage_of(p);
    wadi_program_destroy(p);
    return s;
}

static void assert_all_regular(wadi_acc_fn1 body, int rank, const char *const *extents, int least) {
    stage s = stage_in_stream(body, rank, extents);
    int values = 0;
    assert_int_equal(stage_count_irregular(&s, &values), 0);
    assert_in_range(values, least, 100000);
    stage_fini(&s);
}

/* ---- the transforms ---- */

static wadi_acc own_vector(wadi_acc x) {
    return wadi_fft_own(1, false, x);
}

static wadi_acc own_matrix(wadi_acc x) {
    return wadi_fft_own(2, true, x);
}

static wadi_acc sized_power_of_two(wadi_acc x) {
    static const int64_t n[] = {32, 32};
    return wadi_fft_sized(2, n, false, x);
}

static wadi_acc sized_prime(wadi_acc x) {
    static const int64_t n[] = {97};
    return wadi_fft_sized(1, n, false, x);
}

static wadi_acc there_and_back(wadi_acc x) {
    return wadi_irfft(wadi_extent(x, 0), wadi_rfft(wadi_map(wadi_real, x)));
}

static void any_length_stays_regular(void **state) {
    (void)state;
    static const char *const named[] = {"n", "k"};
    assert_all_regular(own_vector, 1, named, 30);
    assert_all_regular(own_matrix, 2, named, 60);
    assert_all_regular(there_and_back, 1, named, 60);
}

static void known_lengths_stay_regular(void **state) {
    (void)state;
    static const char *const square[] = {"32", "32"}, *const prime[] = {"97"};
    assert_all_regular(sized_power_of_two, 2, square, 6);
    assert_all_regular(sized_prime, 1, prime, 8);
}

/* Extents that are given are regular even when those of the stream are not: what comes in is checked. */
static void known_lengths_are_regular_in_a_ragged_stream(void **state) {
    (void)state;
    stage s = stage_in_stream(sized_power_of_two, 2, NULL);
    assert_int_equal(s.m->values[s.body->yields[0]].rep, WADI_REP_REGULAR);
    stage_fini(&s);
}

static void a_ragged_stream_is_irregular(void **state) {
    (void)state;
    stage s = stage_in_stream(own_vector, 1, NULL);
    assert_int_equal(s.m->values[s.body->yields[0]].rep, WADI_REP_IRREGULAR);
    stage_fini(&s);
}

/* ---- the size of what is emitted ---- */

static size_t report_size(wadi_acc_fn1 body, const char *const *extents) {
    const wadi_compile_options o = {.explain = true, .no_foreign = true};
    wadi_program *p = stage_stream(body, 2, extents);
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    char *text = NULL;
    if (wadi_compile(p, &o, &exe, &err) != WADI_OK || wadi_explain(exe, &text, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    const char *kernels = strstr(text, "schedule inside ==");
    assert_non_null(kernels);
    const char *end = strstr(kernels, "schedule flat ==");
    const size_t n = end ? (size_t)(end - kernels) : strlen(kernels);
    free(text);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
    return n;
}

static wadi_acc twice(wadi_acc x) {
    return sized_power_of_two(sized_power_of_two(x));
}

static wadi_acc four_times(wadi_acc x) {
    return twice(twice(x));
}

static void code_grows_linearly(void **state) {
    (void)state;
    static const char *const square[] = {"32", "32"};
    const size_t two = report_size(twice, square), four = report_size(four_times, square);
    assert_in_range(four, two, 5 * two / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_length_stays_regular),
        cmocka_unit_test(known_lengths_stay_regular),
        cmocka_unit_test(known_lengths_are_regular_in_a_ragged_stream),
        cmocka_unit_test(a_ragged_stream_is_irregular),
        cmocka_unit_test(code_grows_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
