/* Sums over gathered elements: indices are checked for a group of lanes at a time, and a fault still names the first bad one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/wadi.h"

enum { TABLE = 50, MOST = 5000 };
static double table[TABLE];
static int64_t wide[MOST];
static int32_t narrow[MOST];

static wadi_exp square(wadi_exp x) {
    return wadi_mul(x, x);
}

static wadi_acc sum_of_row(void *env, wadi_acc row) {
    return wadi_sum(wadi_map(square, wadi_gather(row, *(const wadi_acc *)env)));
}

/* One stream of one element: all indices. */
static wadi_exe *compile(wadi_type index) {
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("gathered");
    wadi_acc from = wadi_input("table", WADI_F64, 1, NULL);
    const wadi_acc offsets = wadi_input("offsets", WADI_I64, 1, NULL),
                   indices = wadi_input("indices", index, 1, NULL);
    wadi_output("sum", wadi_consume(wadi_elements(wadi_map_seq_env(
                           sum_of_row, &from, wadi_from_offsets(offsets, indices)))));
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return exe;
}

static void fill(int64_t n) {
    for (int64_t i = 0; i < n; i++) narrow[i] = (int32_t)(wide[i] = i * 7 % TABLE);
    for (int i = 0; i < TABLE; i++) table[i] = i;
}

static wadi_status go(const wadi_exe *exe, wadi_type index, int64_t n,
                      wadi_schedule_option schedule, double *out, wadi_error *err) {
    int64_t offsets[2] = {0, n};
    const wadi_array arrays[] = {
        {1, 1, {WADI_F64}, {TABLE}, {table}},
        {1, 1, {WADI_I64}, {2}, {offsets}},
        {1, 1, {index}, {n}, {index == WADI_I32 ? (void *)narrow : (void *)wide}}};
    static const char *const names[] = {"table", "offsets", "indices"};
    const wadi_run_options options = {.threads = 1, .schedule = schedule};
    wadi_run *run = NULL;
    wadi_array sum;
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wadi_run_input(run, names[i], &arrays[i], NULL), WADI_OK);
    const wadi_status status = wadi_run_go(run, err);
    if (status == WADI_OK) {
        assert_int_equal(wadi_run_result(run, "sum", &sum, NULL), WADI_OK);
        *out = *(const double *)sum.column[0];
    }
    wadi_run_destroy(run);
    return status;
}

static const wadi_type types[] = {WADI_I32, WADI_I64};
static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_INSIDE,
                                                 WADI_SCHEDULE_FORCE_FLAT};

static void good_indices_give_the_sum(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 15, 16, 17, 32, 47, 4096, 4097, MOST};
    for (int t = 0; t < 2; t++) {
        wadi_exe *exe = compile(types[t]);
        for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
            double got = -1, want = 0; /* of whole numbers: exact */
            wadi_error err = {0};
            fill(sizes[k / 2]);
            for (int64_t i = 0; i < sizes[k / 2]; i++) want += table[wide[i]] * table[wide[i]];
            if (go(exe, types[t], sizes[k / 2], schedules[k % 2], &got, &err) != WADI_OK)
                fail_msg("%s", err.msg);
            assert_true(got == want);
        }
        wadi_exe_destroy(exe);
    }
}

static void assert_told(const wadi_exe *exe, wadi_type type, int64_t n, int64_t value) {
    for (int k = 0; k < 2; k++) {
        char number[32];
        double unused;
        wadi_error err = {0};
        snprintf(number, sizeof number, " %lld", (long long)value);
        assert_int_equal(go(exe, type, n, schedules[k], &unused, &err), WADI_FAULT);
        if (!strstr(err.msg, number)) fail_msg("\"%s\" does not tell%s", err.msg, number);
    }
}

static void the_first_bad_index_is_told(void **state) {
    (void)state;
    static const int64_t bad[] = {-1, TABLE, INT32_MIN, INT32_MAX};
    static const int64_t places[] = {0, 1, 15, 16, 20, 31, 32, 39};
    enum { SIZE = 40 };
    for (int t = 0; t < 2; t++) {
        wadi_exe *exe = compile(types[t]);
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            for (size_t v = 0; v < sizeof bad / sizeof bad[0]; v++) {
                fill(SIZE);
                wide[SIZE - 1] = narrow[SIZE - 1] = 777; /* bad as well, but later or the same */
                wide[places[p]] = bad[v];
                narrow[places[p]] = (int32_t)bad[v];
                assert_told(exe, types[t], SIZE, bad[v]);
            }
        }
        fill(SIZE);
        wide[18] = INT64_MIN;
        if (types[t] == WADI_I64) assert_told(exe, WADI_I64, SIZE, INT64_MIN);
        wadi_exe_destroy(exe);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_indices_give_the_sum),
                                       cmocka_unit_test(the_first_bad_index_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
