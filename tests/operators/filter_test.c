/* filter, compact, partition and expand: what is kept, in which order, and how many. */
#include "tests/operators/support.h"

static wadi_exp even(wadi_exp x) {
    return wadi_eq(wadi_mod(x, wadi_i64(2)), wadi_i64(0));
}

static wadi_exp never(wadi_exp x) {
    return wadi_lt(x, wadi_sub(x, wadi_i64(1)));
}

static void filter_keeps_in_order_and_counts(void **state) {
    (void)state;
    begin();
    wadi_output("v", wadi_filter(even, vector(6, I64S(4, 1, 3, 2, 8, 5))));
    wadi_output("none", wadi_filter(never, vector(3, I64S(1, 2, 3))));
    wadi_output("empty", wadi_filter(even, vector(0, NULL)));
    wadi_output("all", wadi_filter(even, vector(2, I64S(6, 4))));
    run();
    expect_ints("v.0", 3, I64S(4, 2, 8));
    expect_ints("v.1", 1, I64S(3));
    expect_shape("none.0", 1, I64S(0));
    expect_ints("none.1", 1, I64S(0));
    expect_shape("empty.0", 1, I64S(0));
    expect_ints("all.0", 2, I64S(6, 4));
    end();
}

static void filter_of_rows_counts_each(void **state) {
    (void)state;
    begin();
    wadi_output("m", wadi_filter(even, matrix(3, 3, I64S(1, 2, 4, 3, 5, 7, 8, 9, 10))));
    wadi_output("thin", wadi_filter(even, counting(2, I64S(4, 0))));
    wadi_output("cube", wadi_filter(even, counting(3, I64S(2, 2, 3))));
    run();
    expect_ints("m.0", 4, I64S(2, 4, 8, 10));
    expect_ints("m.1", 3, I64S(2, 0, 2));
    expect_shape("thin.0", 1, I64S(0));
    expect_ints("thin.1", 4, I64S(0, 0, 0, 0));
    expect_ints("cube.0", 6, I64S(0, 2, 4, 6, 8, 10));
    expect_shape("cube.1", 2, I64S(2, 2));
    expect_ints("cube.1", 4, I64S(2, 1, 2, 1));
    end();
}

static wadi_exp odd(wadi_exp x) {
    return wadi_lnot(even(x));
}

static void compact_goes_by_flags(void **state) {
    (void)state;
    begin();
    const wadi_acc a = vector(5, I64S(1, 2, 3, 4, 5));
    wadi_output("odd", wadi_compact(wadi_map(odd, a), wadi_map(wadi_neg, a)));
    run();
    expect_ints("odd.0", 3, I64S(-1, -3, -5));
    expect_ints("odd.1", 1, I64S(3));
    end();
    begin();
    wadi_output("x", wadi_compact(wadi_fill(wadi_ix1(wadi_i64(4)), wadi_bool(true)),
                                  vector(3, I64S(1, 2, 3))));
    run_fails(NULL, WADI_FAULT, "differ");
    end();
}

static void partition_is_stable_and_keeps_the_shape(void **state) {
    (void)state;
    begin();
    wadi_output("v", wadi_partition(even, vector(6, I64S(3, 4, 1, 2, 5, 8))));
    wadi_output("m", wadi_partition(even, matrix(3, 3, I64S(1, 2, 4, 3, 5, 7, 8, 9, 10))));
    wadi_output("empty", wadi_partition(even, counting(2, I64S(2, 0))));
    run();
    expect_ints("v.0", 6, I64S(4, 2, 8, 3, 1, 5));
    expect_ints("v.1", 1, I64S(3));
    expect_shape("m.0", 2, I64S(3, 3));
    expect_ints("m.0", 9, I64S(2, 4, 1, 3, 5, 7, 8, 10, 9));
    expect_ints("m.1", 3, I64S(2, 0, 2));
    expect_shape("empty.0", 2, I64S(2, 0));
    end();
}

static wadi_exp itself(wadi_exp x) {
    return x;
}

static wadi_exp ten_and(wadi_exp x, wadi_exp j) {
    return wadi_add(wadi_mul(x, wadi_i64(10)), j);
}

static void expand_repeats_each_as_it_asks(void **state) {
    (void)state;
    begin();
    wadi_output("v", wadi_expand(itself, ten_and, vector(5, I64S(0, 2, 1, 0, 3))));
    wadi_output("none", wadi_expand(itself, ten_and, vector(2, I64S(0, 0))));
    wadi_output("empty", wadi_expand(itself, ten_and, vector(0, NULL)));
    wadi_output("offsets", wadi_expand_offsets(ten_and, vector(4, I64S(0, 1, 1, 3)),
                                               vector(3, I64S(7, 8, 9))));
    run();
    expect_ints("v", 6, I64S(20, 21, 10, 30, 31, 32));
    expect_shape("none", 1, I64S(0));
    expect_shape("empty", 1, I64S(0));
    expect_ints("offsets", 3, I64S(70, 90, 91));
    end();
}

static void expand_refuses_negative_sizes(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_expand(itself, ten_and, vector(3, I64S(2, -1, 4))));
    run_fails(NULL, WADI_FAULT, "expand: segment 1, 2 to 1, is no part of the extent 5");
    end();
    begin();
    wadi_output("x", wadi_expand(itself, ten_and, vector(2, I64S(1, -3))));
    run_fails(NULL, WADI_FAULT, "-2");
    end();
    begin();
    wadi_output("x", wadi_expand_offsets(ten_and, vector(2, I64S(1, 3)), vector(1, I64S(5))));
    run_fails(NULL, WADI_FAULT, "the first offset");
    end();
    begin();
    wadi_output("x", wadi_expand_offsets(ten_and, vector(3, I64S(0, 1, 3)), vector(1, I64S(5))));
    run_fails(NULL, WADI_FAULT, "segments and elements");
    end();
}

static void mistakes_are_told(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_filter(itself, vector(1, I64S(1))));
    build_fails(WADI_TYPE, "filter");
    end();
    begin();
    wadi_output("x", wadi_filter(even, wadi_unit(wadi_i64(1))));
    build_fails(WADI_SHAPE, "rank");
    end();
    begin();
    wadi_output("x", wadi_expand(itself, ten_and, counting(2, I64S(2, 2))));
    build_fails(WADI_SHAPE, "rank");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_keeps_in_order_and_counts),
        cmocka_unit_test(filter_of_rows_counts_each),
        cmocka_unit_test(compact_goes_by_flags),
        cmocka_unit_test(partition_is_stable_and_keeps_the_shape),
        cmocka_unit_test(expand_repeats_each_as_it_asks),
        cmocka_unit_test(expand_refuses_negative_sizes),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
