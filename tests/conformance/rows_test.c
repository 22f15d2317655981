/* Rows reduced several at a time: inexact f32 sums, to the last bit, for numbers of rows around a group and lengths around
 * lanes and blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { MOST_ROWS = 9, LONGEST = 8200 };

static wadi_exp times_column(void *env, wadi_ix ix, wadi_exp x) {
    const wadi_acc *v = env;
    return wadi_mul(x, wadi_index1(*v, ix.at[1]));
}

static void check(const float *m, const float *v, int64_t rows, int64_t columns) {
    const char *shape[] = {"rows", "columns"};
    wadi_program *p = wadi_program_create("rows");
    const wadi_acc a = wadi_input("m", WADI_F32, 2, shape);
    wadi_acc x = wadi_input("v", WADI_F32, 1, shape + 1);
    wadi_output("result", wadi_fold(wadi_add, wadi_f32(0.1f), wadi_imap_env(times_column, &x, a)));
    const wadi_interp_input in[] = {
        {"m", conf_array(WADI_F32, 2, (const int64_t[]){rows, columns}, m)},
        {"v", conf_vector(WADI_F32, columns, v)}};
    conf_assert_agrees_briefly(p, &(wadi_interp_io){in, 2, NULL, 0});
}

static void rows_together_are_rows_alone(void **state) {
    (void)state;
    static const int64_t rows[] = {0, 1, 3, 4, 5, 9}, columns[] = {0, 1, 15, 17, 40, 4097, LONGEST};
    float *m = malloc((size_t)MOST_ROWS * LONGEST * sizeof *m), *v = malloc(LONGEST * sizeof *v);
    for (int i = 0; i < MOST_ROWS * LONGEST; i++) m[i] = 0.37f * (float)(i % 1009) - 100.0f;
    for (int i = 0; i < LONGEST; i++) v[i] = 0.11f * (float)(i * 31 % 97);
    for (int r = 0; r < COUNT(rows); r++)
        for (int c = 0; c < COUNT(columns); c++) check(m, v, rows[r], columns[c]);
    free(m);
    free(v);
}

static wadi_acc pair(wadi_acc a, wadi_acc b) {
    return wadi_tuple2(a, b);
}

static wadi_acc dot(void *env, wadi_acc row) {
    return wadi_sum(wadi_zip_with(wadi_mul, wadi_tuple_get(row, 1),
                                  wadi_gather(wadi_tuple_get(row, 0), *(const wadi_acc *)env)));
}

/* The last row of a sparse matrix ends where its arrays do, which the inputs' memory guards. */
static void check_last_row(int64_t length, const int32_t *columns, const double *values) {
    const int64_t offsets[] = {0, 3, 3, 3 + length};
    wadi_program *p = wadi_program_create("last");
    wadi_acc x = wadi_input("x", WADI_F64, 1, NULL);
    const wadi_acc o = wadi_input("offsets", WADI_I64, 1, NULL),
                   c = wadi_input("columns", WADI_I32, 1, NULL),
                   v = wadi_input("values", WADI_F64, 1, NULL);
    const wadi_seq rows = wadi_zip_with_seq(pair, wadi_from_offsets(o, c), wadi_from_offsets(o, v));
    wadi_output("y", wadi_consume(wadi_elements(wadi_map_seq_env(dot, &x, rows))));
    const wadi_interp_input in[] = {{"offsets", conf_vector(WADI_I64, 4, offsets)},
                                    {"columns", conf_vector(WADI_I32, 3 + length, columns)},
                                    {"values", conf_vector(WADI_F64, 3 + length, values)},
                                    {"x", conf_vector(WADI_F64, 8, values)}};
    conf_assert_agrees_briefly(p, &(wadi_interp_io){in, 4, NULL, 0});
}

static void nothing_behind_the_last_row_is_read(void **state) {
    (void)state;
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 32, 4096, 8192};
    int32_t *columns = malloc(LONGEST * sizeof *columns);
    double *values = malloc(LONGEST * sizeof *values);
    for (int i = 0; i < LONGEST; i++) columns[i] = i % 8;
    for (int i = 0; i < LONGEST; i++) values[i] = 0.11 * (i * 31 % 97);
    for (int i = 0; i < COUNT(lengths); i++) check_last_row(lengths[i], columns, values);
    free(columns);
    free(values);
}

/* Every schedule tells the interpreter's fault, word for word. */
static void assert_told_alike(wadi_program *p, const wadi_interp_io *io) {
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool right = conf_case_init(&c, p, io, &why) && !c.want;
    wadi_exe *exe = right ? conf_compile(&c, NULL, &why) : NULL;
    for (int k = 0; right && k < 2; k++) {
        const conf_variant v = {NULL, k ? WADI_SCHEDULE_FORCE_FLAT : WADI_SCHEDULE_FORCE_INSIDE, 1,
                                100};
        wadi_error err = {0};
        int64_t delivered = 0;
        right = exe && conf_go(&c, exe, &v, &delivered, &err) == WADI_FAULT &&
                conf_told_alike(&c, &err, &why);
    }
    if (!right) print_error("%s\n", wadi_text_str(&why));
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_program_destroy(p);
    wadi_text_fini(&why);
    assert_true(right);
}

/* Long rows among short ones, in strips of sixteen; `bad`: the entry whose column is out of range, or -1. */
static void check_mixed(const int64_t *length, int rows, int64_t bad) {
    enum { MOST = 64, ENTRIES = 10000 };
    static int32_t columns[ENTRIES];
    static double values[ENTRIES];
    int64_t offsets[MOST + 1] = {0};
    for (int r = 0; r < rows; r++) offsets[r + 1] = offsets[r] + length[r];
    const int64_t n = offsets[rows];
    for (int i = 0; i < n; i++) columns[i] = i == bad ? 8 : i % 8;
    for (int i = 0; i < n; i++) values[i] = 0.11 * (i * 31 % 97);
    for (int form = 0; form < 2; form++) {
        wadi_program *p = wadi_program_create("mixed");
        wadi_acc x = wadi_input("x", WADI_F64, 1, NULL);
        const wadi_acc o = wadi_input("offsets", WADI_I64, 1, NULL),
                       c = wadi_input("columns", WADI_I32, 1, NULL),
                       v = wadi_input("values", WADI_F64, 1, NULL);
        const wadi_seq all =
            wadi_zip_with_seq(pair, wadi_from_offsets(o, c), wadi_from_offsets(o, v));
        const wadi_acc products = wadi_zip_with(wadi_mul, v, wadi_gather(c, x));
        wadi_output("y", form ? wadi_fold_offsets(wadi_add, wadi_f64(0.3), o, products)
                              : wadi_consume(wadi_elements(wadi_map_seq_env(dot, &x, all))));
        const wadi_interp_input in[] = {{"offsets", conf_vector(WADI_I64, rows + 1, offsets)},
                                        {"columns", conf_vector(WADI_I32, n, columns)},
                                        {"values", conf_vector(WADI_F64, n, values)},
                                        {"x", conf_vector(WADI_F64, 8, values)}};
        const wadi_interp_io io = {in, 4, NULL, 0};
        if (bad < 0)
            conf_assert_agrees_briefly(p, &io);
        else
            assert_told_alike(p, &io);
    }
}

static void long_rows_among_short_ones(void **state) {
    (void)state;
    static const int64_t length[] = {2, 0, 15, 16, 3, 17, 1, 40,   0, 2,  0, 5, 33, 1, 4, 9,
                                     7, 1, 2,  3,  0, 1,  4, 4100, 1, 16, 2, 5, 20, 0, 3, 1,
                                     1, 2, 3,  4,  5, 6,  7, 8,    9, 10, 2, 1, 0,  1, 1, 30};
    check_mixed(length, COUNT(length), -1);
    check_mixed(length, COUNT(length), 37);   /* in a short row behind a long one */
    check_mixed(length, COUNT(length), 4300); /* in a long row */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_together_are_rows_alone),
                                       cmocka_unit_test(nothing_behind_the_last_row_is_read),
                                       cmocka_unit_test(long_rows_among_short_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
