/* Least and greatest floats of rows, and several folds over one row: the sign of zero and NaN among all kinds of numbers, in
 * rows around lanes and blocks, to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { KINDS = 12, MEMBERS = 4 };

static const double inf = (double)INFINITY, nan_ = (double)NAN;

/* What a row is made of: whatever decides a result is at times the only thing there. */
static double member(int kind, int i) {
    const double of[KINDS][MEMBERS] = {
        {nan_, -nan_, nan_, nan_},   {nan_, inf, nan_, -nan_}, {-inf, nan_, -nan_, -inf},
        {0.0, 1.0, nan_, 0.0},       {0.0, -0.0, 2.0, -nan_},  {-0.0, -1.0, -0.0, nan_},
        {-0.0, 0.0, -3.0, nan_},     {inf, inf, inf, inf},     {-inf, -inf, -inf, -inf},
        {0.5, -0.25, inf, 1.0e-320}, {-0.0, -0.0, -0.0, -0.0}, {1.0, 2.0, -3.0, nan_},
    };
    return of[kind][i];
}

/* Rows of one length, a few of each kind, `at` rotating where the members stand. */
static double *table(int64_t rows, int64_t length) {
    double *x = malloc((size_t)(rows * length + 1) * sizeof *x);
    uint32_t random = 1;
    for (int64_t r = 0; x != NULL && r < rows; r++) {
        for (int64_t i = 0; i < length; i++) {
            random = random * 1664525u + 1013904223u;
            x[r * length + i] = member((int)(r % KINDS), (int)(random >> 30));
        }
    }
    return x;
}

static wadi_exp negated(wadi_exp x) {
    return wadi_neg(x);
}

static wadi_exp costly(wadi_exp x) {
    return wadi_sub(wadi_exp_(x), wadi_f64(1));
}

static wadi_exp same(wadi_exp x) {
    return x;
}

static wadi_exp single(wadi_exp x) {
    return wadi_convert(WADI_F32, x);
}

static void extremes(const char *name, wadi_acc a, wadi_exp z) {
    char text[32];
    const struct {
        const char *name;
        wadi_acc value;
    } result[] = {{"least", wadi_fold(wadi_min, z, a)},
                  {"greatest", wadi_fold(wadi_max, z, a)},
                  {"least1", wadi_fold1(wadi_min, a)},
                  {"greatest1", wadi_fold1(wadi_max, a)}};
    for (int i = 0; i < COUNT(result); i++) {
        snprintf(text, sizeof text, "%s_%s", name, result[i].name);
        wadi_output(text, result[i].value);
    }
}

static wadi_acc rows_in(void) {
    return wadi_input("x", WADI_F64, 2, (const char *const[]){"rows", "columns"});
}

static void agrees(wadi_program *p, int64_t rows, int64_t length) {
    double *x = table(rows, length);
    assert_non_null(x);
    const wadi_interp_input in = {"x", conf_array(WADI_F64, 2, (const int64_t[]){rows, length}, x)};
    conf_assert_agrees_briefly(p, &(wadi_interp_io){&in, 1, NULL, 0});
    free(x);
}

static const int64_t lengths[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 50, 4095, 4096, 4097, 8200};

static void least_and_greatest_keep_zeros_and_pass_over_nan(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(lengths); i++) {
        wadi_program *p = wadi_program_create("extremes");
        const wadi_acc a = rows_in();
        extremes("stored", a, wadi_f64(-0.0));
        extremes("mapped", wadi_map(negated, a), wadi_f64(nan_));
        extremes("costly", wadi_map(costly, a), wadi_f64(inf));
        extremes("single", wadi_map(single, a), wadi_f32(0.0f));
        agrees(p, 2 * KINDS, lengths[i]);
    }
}

static void whole_arrays_have_extremes(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        static double x[9000];
        for (int i = 0; i < COUNT(x); i++) x[i] = member(kind, i * 7 / 3 % MEMBERS);
        wadi_program *p = wadi_program_create("vector");
        const wadi_acc a = wadi_input("x", WADI_F64, 1, (const char *const[]){"n"});
        extremes("vector", wadi_map(same, a), wadi_f64(nan_));
        const wadi_interp_input in = {"x", conf_vector(WADI_F64, COUNT(x), x)};
        conf_assert_agrees_briefly(p, &(wadi_interp_io){&in, 1, NULL, 0});
    }
}

/* ---- several folds of one row ---- */

static wadi_exp distance(void *env, wadi_exp x) {
    return wadi_abs(wadi_sub(x, wadi_the(*(const wadi_acc *)env)));
}

/* Sums and products between, more than go together, one that needs the result of another. */
static wadi_acc described(wadi_acc row) {
    wadi_acc sum = wadi_fold(wadi_add, wadi_f64(0.1), row);
    const wadi_acc parts[] = {sum,
                              wadi_fold(wadi_max, wadi_f64(0), wadi_map_env(distance, &sum, row)),
                              wadi_fold(wadi_min, wadi_f64(inf), row),
                              wadi_fold(wadi_max, wadi_the(sum), row),
                              wadi_fold(wadi_mul, wadi_f64(1.5), row),
                              wadi_fold(wadi_max, wadi_f64(-0.0), row)};
    return wadi_tuple(COUNT(parts), parts);
}

static wadi_acc described1(wadi_acc row) {
    const wadi_acc parts[] = {wadi_fold1(wadi_add, row), wadi_fold1(wadi_min, row),
                              wadi_fold1(wadi_max, row), wadi_fold1(wadi_mul, row)};
    return wadi_tuple(COUNT(parts), parts);
}

static void results(const char *prefix, int n, wadi_acc all) {
    char text[32];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%s%d", prefix, i);
        wadi_output(text, wadi_tuple_get(all, i));
    }
}

static wadi_seq ragged(wadi_acc *out_offsets) {
    *out_offsets = wadi_input("offsets", WADI_I64, 1, (const char *const[]){"m"});
    return wadi_from_offsets(*out_offsets,
                             wadi_input("values", WADI_F64, 1, (const char *const[]){"n"}));
}

static void folds_of_one_row_agree(void **state) {
    (void)state;
    static const int64_t lengths_of_rows[] = {0, 1, 2, 5, 10, 15, 16, 17, 40, 0, 4100, 3};
    static double values[4300];
    int64_t offsets[COUNT(lengths_of_rows) + 1] = {0};
    for (int i = 0; i < COUNT(lengths_of_rows); i++)
        offsets[i + 1] = offsets[i] + lengths_of_rows[i];
    for (int i = 0; i < COUNT(values); i++)
        values[i] = i % 11 == 3 ? -0.0 : i % 13 == 5 ? nan_ : 0.37 * (i % 101) - 3;
    for (int i = 0; i < 60; i++) values[i] = i % 7 == 3 ? -0.0 : 0.1 * i;
    wadi_acc o;
    wadi_program *p = wadi_program_create("together");
    results("all", 6, wadi_consume(wadi_elements(wadi_map_seq(described, ragged(&o)))));
    const wadi_interp_input in[] = {
        {"offsets", conf_vector(WADI_I64, COUNT(offsets), offsets)},
        {"values", conf_vector(WADI_F64, offsets[COUNT(lengths_of_rows)], values)}};
    conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 0, NULL);
}

/* The interpreter's fault, and compiled code's: of operator `op`, in element 1. */
static bool is_told(const char *message, const char *op) {
    return strncmp(message, op, strlen(op)) == 0 && strstr(message, "element 1,") != NULL;
}

static void assert_faults(wadi_program *p, const int64_t *offsets, const char *op) {
    static const double values[] = {1, -0.0, 3, 0.0, 5};
    const wadi_interp_input in[] = {{"offsets", conf_vector(WADI_I64, 4, offsets)},
                                    {"values", conf_vector(WADI_F64, COUNT(values), values)}};
    const wadi_interp_io io = {in, 2, NULL, 0};
    const conf_variant v = {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 3};
    wadi_error err = {0};
    int64_t delivered = 0;
    wadi_text why;
    conf_case c;
    wadi_text_init(&why);
    assert_true(conf_case_init(&c, p, &io, &why));
    assert_null(c.want);
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    assert_non_null(exe);
    assert_int_equal(conf_go(&c, exe, &v, &delivered, &err), WADI_FAULT);
    assert_true(is_told(c.fault.msg, op));
    assert_true(is_told(err.msg, op));
    if (!conf_told_alike(&c, &err, &why)) fail_msg("%s", wadi_text_str(&why));
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_program_destroy(p);
    wadi_text_fini(&why);
}

static void an_empty_row_is_the_first_folds_fault(void **state) {
    (void)state;
    wadi_acc o;
    wadi_program *p = wadi_program_create("empty");
    results("all", 4, wadi_consume(wadi_elements(wadi_map_seq(described1, ragged(&o)))));
    assert_faults(p, (const int64_t[]){0, 2, 2, 5}, "fold1");
}

static void a_row_beyond_its_array_is_a_fault(void **state) {
    (void)state;
    wadi_acc o;
    wadi_program *p = wadi_program_create("beyond");
    results("all", 6, wadi_consume(wadi_elements(wadi_map_seq(described, ragged(&o)))));
    assert_faults(p, (const int64_t[]){0, 2, 7, 5}, "from_offsets");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_and_greatest_keep_zeros_and_pass_over_nan),
        cmocka_unit_test(whole_arrays_have_extremes), cmocka_unit_test(folds_of_one_row_agree),
        cmocka_unit_test(an_empty_row_is_the_first_folds_fault),
        cmocka_unit_test(a_row_beyond_its_array_is_a_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
