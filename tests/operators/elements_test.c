/* Operators that make elements: unit, generate, fill, iota, map, imap, zip_with, input, use. */
#include <stdio.h>

#include "tests/operators/support.h"

static wadi_exp twice(wadi_exp x) {
    return wadi_mul(x, wadi_i64(2));
}

static wadi_exp ten_rows(wadi_ix ix) {
    return wadi_add(wadi_mul(ix.at[0], wadi_i64(10)), ix.at[1]);
}

static wadi_exp seven(wadi_ix ix) {
    (void)ix;
    return wadi_i32(7);
}

static wadi_exp plus_index(wadi_ix ix, wadi_exp x) {
    return wadi_add(x, wadi_mul(ix.at[0], wadi_i64(100)));
}

static wadi_exp sum3(wadi_exp a, wadi_exp b, wadi_exp c) {
    return wadi_add(wadi_add(a, b), c);
}

static wadi_exp sum4(wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d) {
    return wadi_add(sum3(a, b, c), d);
}

static void unit_holds_one_scalar(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_unit(wadi_add(wadi_i32(40), wadi_i32(2))));
    run();
    expect_shape("x", 0, NULL);
    expect_ints("x", 1, I64S(42));
    end();
}

static void generate_counts_row_major(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_generate(wadi_ix2(wadi_i64(2), wadi_i64(3)), ten_rows));
    wadi_output("none", wadi_generate(wadi_ix2(wadi_i64(2), wadi_i64(0)), ten_rows));
    wadi_output("scalar", wadi_generate(wadi_ix0(), seven));
    run();
    expect_shape("x", 2, I64S(2, 3));
    expect_ints("x", 6, I64S(0, 1, 2, 10, 11, 12));
    expect_shape("none", 2, I64S(2, 0));
    expect_ints("scalar", 1, I64S(7));
    end();
}

static void a_negative_extent_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_generate(wadi_ix1(wadi_i64(-1)), seven));
    run_fails(NULL, WADI_FAULT, "generate: extent -1 is negative in dimension 0");
    end();
}

static void fill_iota_and_enum_are_vectors_of_numbers(void **state) {
    (void)state;
    begin();
    wadi_output("fill", wadi_fill(wadi_ix1(wadi_i64(3)), wadi_u8(200)));
    wadi_output("iota", wadi_iota(WADI_I16, wadi_i64(4)));
    wadi_output("line", wadi_enum_from_step(wadi_i64(3), wadi_f32(0.5f), wadi_f32(0.25f)));
    run();
    expect_ints("fill", 3, I64S(200, 200, 200));
    expect_ints("iota", 4, I64S(0, 1, 2, 3));
    expect_floats("line", 3, F64S(0.5, 0.75, 1.0));
    end();
}

static void map_imap_and_zip_keep_the_shape(void **state) {
    (void)state;
    begin();
    const wadi_acc a = matrix(2, 2, I64S(1, 2, 3, 4));
    wadi_output("map", wadi_map(twice, a));
    wadi_output("imap", wadi_imap(plus_index, a));
    wadi_output("zip", wadi_zip_with(wadi_sub, a, a));
    wadi_output("zip3", wadi_zip_with3(sum3, a, a, a));
    wadi_output("zip4", wadi_zip_with4(sum4, a, a, a, a));
    wadi_output("empty", wadi_map(twice, vector(0, NULL)));
    run();
    expect_shape("map", 2, I64S(2, 2));
    expect_ints("map", 4, I64S(2, 4, 6, 8));
    expect_ints("imap", 4, I64S(1, 2, 103, 104));
    expect_ints("zip", 4, I64S(0, 0, 0, 0));
    expect_ints("zip3", 4, I64S(3, 6, 9, 12));
    expect_ints("zip4", 4, I64S(4, 8, 12, 16));
    expect_shape("empty", 1, I64S(0));
    end();
}

static void zip_of_different_extents_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_zip_with(wadi_add, vector(2, I64S(1, 2)), vector(3, I64S(1, 2, 3))));
    run_fails(NULL, WADI_FAULT, "extents of arguments 1 and 2 in dimension 0: 2 and 3 differ");
    end();
}

static wadi_exp pair(wadi_exp x) {
    return wadi_rec2("value", x, "negated", wadi_neg(x));
}

static wadi_exp both(wadi_exp r) {
    return wadi_add(wadi_get(r, "value"), wadi_mul(wadi_get(r, "negated"), wadi_i64(10)));
}

static void records_have_a_column_per_field(void **state) {
    (void)state;
    begin();
    const wadi_acc r = wadi_map(pair, vector(2, I64S(3, 4)));
    wadi_output("r", r);
    wadi_output("x", wadi_map(both, r));
    run();
    expect_field("r", 0, 2, I64S(3, 4));
    expect_field("r", 1, 2, I64S(-3, -4));
    expect_ints("x", 2, I64S(-27, -36));
    end();
}

static void inputs_are_checked_when_bound(void **state) {
    (void)state;
    static const char *const n[] = {"n"}, *const three[] = {"3"};
    begin();
    const wadi_acc a = wadi_input("a", WADI_I64, 1, n), b = wadi_input("b", WADI_I64, 1, n);
    wadi_output("sum", wadi_zip_with(wadi_add, a, b));
    wadi_output("fixed", wadi_input("c", WADI_I64, 1, three));
    int64_t values[] = {1, 2, 3};
    wadi_interp_input in[] = {{"a", host_i64(1, I64S(3), values)},
                              {"b", host_i64(1, I64S(3), values)},
                              {"c", host_i64(1, I64S(3), values)}};
    wadi_interp_io io = {.inputs = in, .ninputs = 2};
    run_fails(&io, WADI_INVALID, "nothing is bound to 'c'");
    io.ninputs = 3;
    in[1].array.shape[0] = 2;
    run_fails(&io, WADI_SHAPE, "extent 0 is 2, but n is 3 already");
    in[1].array.shape[0] = 3;
    in[2].array.shape[0] = 2;
    run_fails(&io, WADI_SHAPE, "extent 0 is 2, expected 3");
    in[2].array.shape[0] = 3;
    in[2].array.type[0] = WADI_U64;
    run_fails(&io, WADI_TYPE, "field 0 is u64, expected i64");
    in[2].array.type[0] = WADI_I64;
    run_with(&io);
    expect_ints("sum", 3, I64S(2, 4, 6));
    end();
}

static void host_arrays_keep_their_narrow_types(void **state) {
    (void)state;
    int32_t values[] = {-1, INT32_MAX};
    float wide[] = {1.5f, -0.0f};
    begin();
    const wadi_array a = host_i32(1, I64S(2), values), f = host_f32(1, I64S(2), wide);
    const wadi_acc used = wadi_use(&a);
    wadi_output("a", wadi_zip_with(wadi_add, used, used));
    wadi_output("f", wadi_use(&f));
    values[0] = 99; /* the program has its own copy */
    run();
    expect_ints("a", 2, I64S(-2, -2));
    expect_floats("f", 2, F64S(1.5, -0.0));
    end();
}

/* In each dimension: an array has the shape that it is said to have, or a fault tells which extent it has not. */
static void promised_shapes_are_looked_at(void **state) {
    (void)state;
    static const int64_t shape[] = {2, 3, 4};
    for (int wrong = -1; wrong < 3; wrong++) {
        for (int by = -1; by <= 1; by += 2) {
            char says[64];
            int64_t said[3];
            for (int d = 0; d < 3; d++) said[d] = shape[d] + (d == wrong ? by : 0);
            begin();
            wadi_output("o", wadi_assert_shape(
                                 wadi_ix3(wadi_i64(said[0]), wadi_i64(said[1]), wadi_i64(said[2])),
                                 counting(3, shape)));
            if (wrong < 0) {
                run();
                expect_shape("o", 3, shape);
            } else {
                (void)snprintf(says, sizeof says, "said to be in dimension %d: %d and %d differ",
                               wrong, (int)shape[wrong], (int)said[wrong]);
                run_fails(NULL, WADI_FAULT, says);
            }
            end();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promised_shapes_are_looked_at),
        cmocka_unit_test(unit_holds_one_scalar),
        cmocka_unit_test(generate_counts_row_major),
        cmocka_unit_test(a_negative_extent_is_a_fault),
        cmocka_unit_test(fill_iota_and_enum_are_vectors_of_numbers),
        cmocka_unit_test(map_imap_and_zip_keep_the_shape),
        cmocka_unit_test(zip_of_different_extents_is_a_fault),
        cmocka_unit_test(records_have_a_column_per_field),
        cmocka_unit_test(inputs_are_checked_when_bound),
        cmocka_unit_test(host_arrays_keep_their_narrow_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
