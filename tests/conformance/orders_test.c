/* Sorting, ranking, runs, searches and loops over rows: in ragged and regular streams and whole, under every schedule, with the runtime's routines and
 * without. Some rows are long enough for a routine to share one among workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { N = 12, LONGEST = 9001 };

static const char *const any1[] = {"?"};

static int64_t length_of(int i) {
    return i == 5 ? LONGEST : i % 7 == 3 ? 0 : i * i * 3 % 101;
}

static void values(int32_t *data, int n) {
    for (int i = 0; i < n; i++) data[i] = (int32_t)((uint32_t)i * 2654435761u >> 7) - (1 << 24);
    for (int i = 0; i < n; i += 5) data[i] %= 7;
}

static void check(wadi_acc_fn1 body, bool briefly) {
    static int32_t data[LONGEST + 200];
    wadi_array element[N];
    wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    const wadi_interp_source source = {.name = "s", .n = N, .elements = element};
    values(data, LONGEST + 200);
    for (int i = 0; i < N; i++) element[i] = conf_vector(WADI_I32, length_of(i), data + i * 13);
    wadi_program *p = wadi_program_create("ragged");
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    const wadi_interp_io io = {NULL, 0, &source, 1};
    if (briefly)
        conf_assert_agrees_briefly(p, &io);
    else
        conf_assert_agrees(p, &io, 0, NULL);

    static const char *const fixed[] = {"17"};
    for (int i = 0; i < N; i++) element[i] = conf_vector(WADI_I32, 17, data + i * 13);
    c.extents = fixed;
    p = wadi_program_create("regular");
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees_briefly(p, &(wadi_interp_io){NULL, 0, &source, 1});

    for (int k = 0; k < 2; k++) {
        p = wadi_program_create("whole");
        wadi_output("x", body(wadi_input("a", WADI_I32, 1, any1)));
        const wadi_interp_input in = {"a", conf_vector(WADI_I32, k * LONGEST, data)};
        conf_assert_agrees_briefly(p, &(wadi_interp_io){&in, 1, NULL, 0});
    }
}

static wadi_exp itself(wadi_exp x) {
    return x;
}

/* Fractions, both zeros, NaN. */
static wadi_exp odd_float(wadi_exp x) {
    const wadi_exp f = wadi_div(wadi_convert(WADI_F64, x), wadi_f64(3));
    const wadi_exp small = wadi_lt(wadi_abs(x), wadi_i32(4));
    return wadi_cond(
        small, wadi_div(f, wadi_convert(WADI_F64, wadi_shr(x, wadi_i32(1)))),
        wadi_cond(wadi_eq(wadi_and(x, wadi_i32(7)), wadi_i32(0)), wadi_mul(f, wadi_f64(0)), f));
}

static wadi_exp low_bits(wadi_exp x) {
    return wadi_convert(WADI_U16, x);
}

static wadi_exp wide_bits(wadi_exp x) {
    return wadi_mul(wadi_convert(WADI_U64, x), wadi_u64(0x9e3779b97f4a7c15u));
}

static wadi_exp byte(wadi_exp x) {
    return wadi_convert(WADI_U8, wadi_and(wadi_shr(x, wadi_i32(3)), wadi_i32(255)));
}

static wadi_exp byte_with_sign(wadi_exp x) {
    return wadi_bitcast(WADI_I8, byte(x));
}

static wadi_exp is_low(wadi_exp x) {
    return wadi_lt(x, wadi_i32(100));
}

static wadi_exp with_itself(wadi_exp x) {
    return wadi_complex(wadi_convert(WADI_F64, x), wadi_convert(WADI_F64, byte(x)));
}

static wadi_exp byte_of_both(wadi_exp z) {
    return wadi_convert(WADI_U8, wadi_imag(z));
}

static wadi_exp is_even(wadi_exp x) {
    return wadi_eq(wadi_and(x, wadi_u8(1)), wadi_u8(0));
}

/* Elements of 1, 4 and 16 bytes are moved with keys of one byte. */
static wadi_acc sorts_by_bytes(wadi_acc a) {
    const wadi_order down = wadi_descending(byte), low = wadi_descending(is_low);
    return wadi_tuple(
        7, (const wadi_acc[]){wadi_sort_by_key(byte, a), wadi_sort_by_key(byte_with_sign, a),
                              wadi_sort_by(1, &down, a), wadi_sort_by(1, &low, a),
                              wadi_sort_by_key(byte_of_both, wadi_map(with_itself, a)),
                              wadi_sort_by_key(is_even, wadi_map(byte, a)),
                              wadi_argsort(wadi_map(byte_with_sign, a))});
}

static wadi_acc sorts(wadi_acc a) {
    const wadi_acc x = wadi_map(odd_float, a);
    return wadi_tuple(4, (const wadi_acc[]){wadi_sort(a), wadi_sort(x), wadi_argsort(x),
                                            wadi_sort_by_key(wide_bits, a)});
}

static wadi_acc rankings(wadi_acc a) {
    const wadi_order orders[] = {wadi_ascending(low_bits), wadi_descending(itself)};
    return wadi_tuple(3, (const wadi_acc[]){wadi_sort_by(2, orders, a),
                                            wadi_largest(wadi_i32(9), wadi_map(odd_float, a)),
                                            wadi_smallest(wadi_i32(9), a)});
}

static wadi_exp add_up(wadi_exp state, wadi_exp x) {
    return wadi_add(wadi_mul(state, wadi_i64(3)), wadi_convert(WADI_I64, x));
}

static wadi_acc runs_and_searches(wadi_acc a) {
    const wadi_acc sorted = wadi_sort(wadi_map(low_bits, a)), x = wadi_map(low_bits, a);
    const wadi_acc all = wadi_unit(wadi_sfoldl(add_up, wadi_i64(1), wadi_ix0(), a));
    return wadi_tuple(5, (const wadi_acc[]){wadi_unique(sorted), wadi_group_ids(sorted),
                                            wadi_lower_bound(sorted, x),
                                            wadi_upper_bound(sorted, x), all});
}

static void sorts_agree(void **state) {
    (void)state;
    check(sorts, false);
}

static void sorts_by_bytes_agree(void **state) {
    (void)state;
    check(sorts_by_bytes, false);
}

static void rankings_agree(void **state) {
    (void)state;
    check(rankings, false);
}

static void runs_and_searches_agree(void **state) {
    (void)state;
    check(runs_and_searches, false);
}

static int with_routines(void **state) {
    (void)state;
    conf_routines(true);
    return 0;
}

static int without_routines(void **state) {
    (void)state;
    conf_routines(false);
    return 0;
}

/* The routines of the runtime give what they mean. */
static void routines_agree(void **state) {
    (void)state;
    check(sorts, true);
    check(rankings, true);
    check(sorts_by_bytes, true);
}

/* Rows that workers share. */
static void routines_of_long_rows_agree(void **state) {
    enum { LONG = 70001 };
    int32_t *data = malloc(LONG * sizeof *data);
    (void)state;
    assert_non_null(data);
    values(data, LONG);
    wadi_program *p = wadi_program_create("long");
    wadi_output("x", sorts_by_bytes(wadi_input("a", WADI_I32, 1, any1)));
    const wadi_interp_input in = {"a", conf_vector(WADI_I32, LONG, data)};
    conf_assert_agrees_briefly(p, &(wadi_interp_io){&in, 1, NULL, 0});
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_agree),
        cmocka_unit_test(sorts_by_bytes_agree),
        cmocka_unit_test(rankings_agree),
        cmocka_unit_test(runs_and_searches_agree),
        cmocka_unit_test_setup_teardown(routines_agree, with_routines, without_routines),
        cmocka_unit_test_setup_teardown(routines_of_long_rows_agree, with_routines,
                                        without_routines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
