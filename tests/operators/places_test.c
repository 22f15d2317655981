/* Operators that move elements: backpermute, replicate, slice, reshape, transpose, reverse,
 * take, drop, gather, compute. */
#include "tests/operators/support.h"

static wadi_ix diagonal(wadi_ix ix) {
    return wadi_ix2(ix.at[0], ix.at[0]);
}

static wadi_ix one_further(wadi_ix ix) {
    return wadi_ix1(wadi_add(ix.at[0], wadi_i64(1)));
}

static void backpermute_reads_where_it_is_told(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_backpermute(wadi_ix1(wadi_i64(2)), diagonal,
                                      matrix(2, 3, I64S(1, 2, 3, 4, 5, 6))));
    run();
    expect_ints("x", 2, I64S(1, 5));
    end();
}

static void backpermute_out_of_range_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x",
                wadi_backpermute(wadi_ix1(wadi_i64(3)), one_further, vector(3, I64S(1, 2, 3))));
    run_fails(NULL, WADI_FAULT,
              "backpermute: index 3 out of range 0..2 in dimension 0 of use, index [2]");
    end();
}

static void replicate_repeats_along_new_dimensions(void **state) {
    (void)state;
    begin();
    const wadi_acc a = vector(2, I64S(5, 6));
    wadi_output("outer", wadi_replicate(2, (wadi_spec[]){wadi_fix(wadi_i64(2)), wadi_all()}, a));
    wadi_output("inner", wadi_replicate(2, (wadi_spec[]){wadi_any(), wadi_fix(wadi_i32(3))}, a));
    wadi_output("none", wadi_replicate(2, (wadi_spec[]){wadi_fix(wadi_i64(0)), wadi_all()}, a));
    wadi_output("same", wadi_replicate(1, (wadi_spec[]){wadi_all()}, a));
    run();
    expect_shape("outer", 2, I64S(2, 2));
    expect_ints("outer", 4, I64S(5, 6, 5, 6));
    expect_shape("inner", 2, I64S(2, 3));
    expect_ints("inner", 6, I64S(5, 5, 5, 6, 6, 6));
    expect_shape("none", 2, I64S(0, 2));
    expect_ints("same", 2, I64S(5, 6));
    end();
}

static void slice_drops_dimensions(void **state) {
    (void)state;
    begin();
    const wadi_acc a = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_output("row", wadi_slice(2, (wadi_spec[]){wadi_fix(wadi_i64(1)), wadi_all()}, a));
    wadi_output("column", wadi_slice(2, (wadi_spec[]){wadi_any(), wadi_fix(wadi_i64(2))}, a));
    wadi_output("cell",
                wadi_slice(2, (wadi_spec[]){wadi_fix(wadi_i64(0)), wadi_fix(wadi_i64(1))}, a));
    run();
    expect_ints("row", 3, I64S(4, 5, 6));
    expect_ints("column", 2, I64S(3, 6));
    expect_shape("cell", 0, NULL);
    expect_ints("cell", 1, I64S(2));
    end();
}

static void slice_out_of_range_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_slice(1, (wadi_spec[]){wadi_fix(wadi_i64(-1))}, vector(1, I64S(1))));
    run_fails(NULL, WADI_FAULT, "slice: index -1 out of range 0..0 in dimension 0 of use");
    end();
}

static void reshape_keeps_row_major_order(void **state) {
    (void)state;
    begin();
    const wadi_acc a = counting(2, I64S(2, 6));
    wadi_output("cube", wadi_reshape(wadi_ix3(wadi_i64(3), wadi_i64(2), wadi_i64(2)), a));
    wadi_output("flat", wadi_flatten(a));
    wadi_output("one", wadi_reshape(wadi_ix0(), vector(1, I64S(9))));
    wadi_output("none", wadi_reshape(wadi_ix2(wadi_i64(0), wadi_i64(7)), vector(0, NULL)));
    run();
    expect_shape("cube", 3, I64S(3, 2, 2));
    expect_ints("cube", 12, I64S(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    expect_shape("flat", 1, I64S(12));
    expect_ints("one", 1, I64S(9));
    expect_shape("none", 2, I64S(0, 7));
    end();
}

static void reshape_to_another_size_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_reshape(wadi_ix1(wadi_i64(5)), counting(2, I64S(2, 3))));
    run_fails(NULL, WADI_FAULT, "reshape: sizes before and after: 6 and 5 differ");
    end();
}

static void transpose_reorders_dimensions(void **state) {
    (void)state;
    begin();
    wadi_output("t", wadi_transpose(matrix(2, 3, I64S(1, 2, 3, 4, 5, 6))));
    /* result dimension d is dimension perm[d]: [2, 3, 4] becomes [4, 2, 3] */
    wadi_output("on", wadi_transpose_on((const int[]){2, 0, 1}, counting(3, I64S(2, 3, 4))));
    wadi_output("scalar", wadi_transpose(wadi_unit(wadi_i64(3))));
    run();
    expect_shape("t", 2, I64S(3, 2));
    expect_ints("t", 6, I64S(1, 4, 2, 5, 3, 6));
    expect_shape("on", 3, I64S(4, 2, 3));
    expect_ints(
        "on", 24,
        I64S(0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23));
    expect_ints("scalar", 1, I64S(3));
    end();
}

static void transpose_wants_a_permutation(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_transpose_on((const int[]){0, 0}, counting(2, I64S(2, 3))));
    build_fails(WADI_SHAPE, "not a permutation of 0..1");
    end();
}

static void reverse_turns_one_dimension(void **state) {
    (void)state;
    begin();
    const wadi_acc a = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_output("inner", wadi_reverse(a));
    wadi_output("outer", wadi_reverse_on(0, a));
    wadi_output("none", wadi_reverse(vector(0, NULL)));
    run();
    expect_ints("inner", 6, I64S(3, 2, 1, 6, 5, 4));
    expect_ints("outer", 6, I64S(4, 5, 6, 1, 2, 3));
    expect_shape("none", 1, I64S(0));
    end();
}

static void take_and_drop_clamp(void **state) {
    (void)state;
    begin();
    const wadi_acc a = vector(3, I64S(1, 2, 3));
    wadi_output("take", wadi_take(wadi_i64(2), a));
    wadi_output("take_more", wadi_take(wadi_i64(99), a));
    wadi_output("take_less", wadi_take(wadi_i64(-5), a));
    wadi_output("drop", wadi_drop(wadi_i64(2), a));
    wadi_output("drop_more", wadi_drop(wadi_i64(99), a));
    wadi_output("drop_less", wadi_drop(wadi_i64(-5), a));
    const wadi_acc m = matrix(2, 2, I64S(1, 2, 3, 4));
    wadi_output("rows", wadi_take_on(0, wadi_i64(1), m));
    wadi_output("rest", wadi_drop_on(0, wadi_i64(1), m));
    run();
    expect_ints("take", 2, I64S(1, 2));
    expect_ints("take_more", 3, I64S(1, 2, 3));
    expect_shape("take_less", 1, I64S(0));
    expect_ints("drop", 1, I64S(3));
    expect_shape("drop_more", 1, I64S(0));
    expect_ints("drop_less", 3, I64S(1, 2, 3));
    expect_shape("rows", 2, I64S(1, 2));
    expect_ints("rows", 2, I64S(1, 2));
    expect_ints("rest", 2, I64S(3, 4));
    end();
}

static void gather_takes_indices_of_any_rank(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_gather(matrix(2, 2, I64S(3, 0, 0, 1)), vector(4, I64S(10, 11, 12, 13))));
    wadi_output("none", wadi_gather(vector(0, NULL), vector(0, NULL)));
    run();
    expect_shape("x", 2, I64S(2, 2));
    expect_ints("x", 4, I64S(13, 10, 10, 11));
    expect_shape("none", 1, I64S(0));
    end();
}

static void gather_out_of_range_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_gather(vector(3, I64S(0, 1, 2)), vector(2, I64S(1, 2))));
    run_fails(NULL, WADI_FAULT,
              "gather: index 2 out of range 0..1 in dimension 0 of use, index [2]");
    end();
}

static void a_huge_unsigned_index_is_out_of_range(void **state) {
    (void)state;
    begin();
    const wadi_acc indices = wadi_fill(wadi_ix1(wadi_i64(1)), wadi_u64(UINT64_MAX));
    wadi_output("x", wadi_gather(indices, vector(2, I64S(1, 2))));
    run_fails(NULL, WADI_FAULT, "gather: index");
    end();
}

static void compute_changes_nothing(void **state) {
    (void)state;
    begin();
    const wadi_acc both = wadi_compute(wadi_tuple2(vector(2, I64S(1, 2)), wadi_unit(wadi_i64(7))));
    wadi_output("a", wadi_tuple_get(both, 0));
    wadi_output("b", wadi_tuple_get(both, 1));
    run();
    expect_ints("a", 2, I64S(1, 2));
    expect_ints("b", 1, I64S(7));
    end();
}

static void mistakes_are_told_when_building(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_reverse(wadi_unit(wadi_i64(1))));
    build_fails(WADI_SHAPE, "reverse");
    end();
    begin();
    wadi_output("x", wadi_slice(1, (wadi_spec[]){wadi_all()}, counting(2, I64S(2, 2))));
    build_fails(WADI_SHAPE, "slice");
    end();
    begin();
    wadi_output("x", wadi_take_on(2, wadi_i64(1), counting(2, I64S(2, 2))));
    build_fails(WADI_SHAPE, "take");
    end();
    begin();
    wadi_output("x", wadi_gather(floats(1, F64S(1.0)), vector(1, I64S(1))));
    build_fails(WADI_TYPE, "gather");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backpermute_reads_where_it_is_told),
        cmocka_unit_test(backpermute_out_of_range_is_a_fault),
        cmocka_unit_test(replicate_repeats_along_new_dimensions),
        cmocka_unit_test(slice_drops_dimensions),
        cmocka_unit_test(slice_out_of_range_is_a_fault),
        cmocka_unit_test(reshape_keeps_row_major_order),
        cmocka_unit_test(reshape_to_another_size_is_a_fault),
        cmocka_unit_test(transpose_reorders_dimensions),
        cmocka_unit_test(transpose_wants_a_permutation),
        cmocka_unit_test(reverse_turns_one_dimension),
        cmocka_unit_test(take_and_drop_clamp),
        cmocka_unit_test(gather_takes_indices_of_any_rank),
        cmocka_unit_test(gather_out_of_range_is_a_fault),
        cmocka_unit_test(a_huge_unsigned_index_is_out_of_range),
        cmocka_unit_test(compute_changes_nothing),
        cmocka_unit_test(mistakes_are_told_when_building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
