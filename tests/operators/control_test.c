/* Control: cond, while and iterate in scalar code, acond and awhile around arrays, and the
 * faults of scalar code. */
#include "tests/operators/support.h"

static wadi_exp safe_half(wadi_exp x) {
    const wadi_exp zero = wadi_eq(x, wadi_i64(0));
    return wadi_cond(zero, wadi_i64(-1), wadi_quot(wadi_i64(100), x));
}

static void cond_computes_one_side(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_map(safe_half, vector(3, I64S(4, 0, -3))));
    run();
    expect_ints("x", 3, I64S(25, -1, -33));
    end();
}

static wadi_exp quotient(wadi_exp x) {
    return wadi_quot(wadi_i64(100), x);
}

static void division_by_zero_names_all_there_is(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_map(quotient, vector(3, I64S(4, 0, -3))));
    run_fails(NULL, WADI_FAULT, "quot: division of 100 by zero, index [1], at ");
    end();
}

static wadi_exp not_one(wadi_exp s) {
    return wadi_ne(wadi_get(s, "n"), wadi_i64(1));
}

static wadi_exp collatz(wadi_exp s) {
    const wadi_exp n = wadi_get(s, "n"), steps = wadi_get(s, "steps");
    const wadi_exp even = wadi_eq(wadi_rem(n, wadi_i64(2)), wadi_i64(0));
    const wadi_exp next =
        wadi_cond(even, wadi_quot(n, wadi_i64(2)), wadi_add(wadi_mul(n, wadi_i64(3)), wadi_i64(1)));
    return wadi_rec2("n", next, "steps", wadi_add(steps, wadi_i64(1)));
}

static wadi_exp collatz_steps(wadi_exp n) {
    return wadi_get(wadi_while(not_one, collatz, wadi_rec2("n", n, "steps", wadi_i64(0))), "steps");
}

static void while_runs_until_its_predicate_fails(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_map(collatz_steps, vector(4, I64S(1, 2, 3, 27))));
    run();
    expect_ints("x", 4, I64S(0, 1, 7, 111));
    end();
}

static wadi_exp swap_and_add(wadi_exp i, wadi_exp s) {
    (void)i;
    const wadi_exp a = wadi_get(s, "a"), b = wadi_get(s, "b");
    return wadi_rec2("a", b, "b", wadi_add(a, b));
}

static wadi_exp fibonacci(wadi_exp n) {
    const wadi_exp start = wadi_rec2("a", wadi_i64(0), "b", wadi_i64(1));
    return wadi_get(wadi_iterate(n, swap_and_add, start), "a");
}

static wadi_exp add_turn(wadi_exp i, wadi_exp s) {
    return wadi_add(s, i);
}

static wadi_exp triangle(wadi_exp n) {
    return wadi_iterate(n, add_turn, wadi_i64(0));
}

static void iterate_counts_and_replaces_the_state_at_once(void **state) {
    (void)state;
    begin();
    wadi_output("fib", wadi_map(fibonacci, vector(5, I64S(-1, 0, 1, 10, 50))));
    wadi_output("sum", wadi_map(triangle, vector(3, I64S(0, 1, 5))));
    run();
    expect_ints("fib", 5, I64S(0, 0, 1, 55, 12586269025));
    expect_ints("sum", 3, I64S(0, 0, 10));
    end();
}

static wadi_exp read_at(void *env, wadi_exp i) {
    return wadi_index1(*(wadi_acc *)env, i);
}

static wadi_exp read_linear(void *env, wadi_exp i) {
    return wadi_linear(*(wadi_acc *)env, i);
}

static void scalar_code_reads_arrays_with_checks(void **state) {
    (void)state;
    begin();
    wadi_acc v = vector(3, I64S(10, 11, 12)), m = counting(2, I64S(2, 2));
    wadi_output("x", wadi_map_env(read_at, &v, vector(2, I64S(2, 0))));
    wadi_output("y", wadi_map_env(read_linear, &m, vector(2, I64S(3, 0))));
    wadi_output("size", wadi_unit(wadi_size(m)));
    run();
    expect_ints("x", 2, I64S(12, 10));
    expect_ints("y", 2, I64S(3, 0));
    expect_ints("size", 1, I64S(4));
    end();
    begin();
    v = vector(3, I64S(10, 11, 12));
    wadi_output("x", wadi_map_env(read_at, &v, vector(2, I64S(0, 3))));
    run_fails(NULL, WADI_FAULT, "!: index 3 out of range 0..2 in dimension 0 of use, index [1]");
    end();
    begin();
    m = counting(2, I64S(2, 2));
    wadi_output("x", wadi_map_env(read_linear, &m, vector(1, I64S(-1))));
    run_fails(NULL, WADI_FAULT, "index -1 out of range 0..3 of the elements of generate in order");
    end();
}

/* An array whose extent cannot be computed: it is in the program, and must not run. */
static wadi_acc impossible(void) {
    const wadi_acc bad = wadi_fold1(wadi_add, vector(0, NULL));
    return wadi_fill(wadi_ix1(wadi_the(bad)), wadi_i64(0));
}

static void acond_computes_one_side(void **state) {
    (void)state;
    begin();
    const wadi_acc good = vector(2, I64S(1, 2));
    wadi_output("then", wadi_acond(wadi_bool(true), good, impossible()));
    wadi_output("else", wadi_acond(wadi_bool(false), impossible(), good));
    run();
    expect_ints("then", 2, I64S(1, 2));
    expect_ints("else", 2, I64S(1, 2));
    end();
}

static void acond_takes_tuples_of_different_extents(void **state) {
    (void)state;
    begin();
    const wadi_acc a = wadi_tuple2(vector(1, I64S(1)), wadi_unit(wadi_i64(5)));
    const wadi_acc b = wadi_tuple2(vector(2, I64S(2, 3)), wadi_unit(wadi_i64(6)));
    const wadi_exp p = wadi_lt(wadi_size(vector(3, I64S(0, 0, 0))), wadi_i64(3));
    const wadi_acc c = wadi_acond(p, a, b);
    wadi_output("x", c);
    run();
    expect_ints("x.0", 2, I64S(2, 3));
    expect_ints("x.1", 1, I64S(6));
    end();
}

static void acond_sides_must_have_one_type(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_acond(wadi_bool(true), vector(1, I64S(1)), floats(1, F64S(1))));
    build_fails(WADI_TYPE, "acond");
    end();
    begin();
    wadi_output("x", wadi_acond(wadi_i64(1), vector(1, I64S(1)), vector(1, I64S(1))));
    build_fails(WADI_TYPE, "acond: the condition is i64, expected bool");
    end();
}

static wadi_acc longer_than_one(wadi_acc s) {
    return wadi_unit(wadi_gt(wadi_size(s), wadi_i64(1)));
}

static wadi_acc halve(wadi_acc s) {
    const wadi_exp half = wadi_quot(wadi_size(s), wadi_i64(2));
    return wadi_zip_with(wadi_add, wadi_take(half, s), wadi_drop(wadi_sub(wadi_size(s), half), s));
}

static void awhile_may_change_extents(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_awhile(longer_than_one, halve, counting(1, I64S(8))));
    wadi_output("none", wadi_awhile(longer_than_one, halve, vector(0, NULL)));
    run();
    expect_ints("x", 1, I64S(28));
    expect_shape("none", 1, I64S(0));
    end();
}

static wadi_acc below_hundred(wadi_acc s) {
    return wadi_unit(wadi_lt(wadi_the(wadi_tuple_get(s, 0)), wadi_i64(100)));
}

static wadi_acc swap_parts(wadi_acc s) {
    const wadi_acc a = wadi_tuple_get(s, 0), b = wadi_tuple_get(s, 1);
    return wadi_tuple2(b, wadi_zip_with(wadi_add, a, b));
}

static void awhile_replaces_a_tuple_at_once(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_awhile(below_hundred, swap_parts,
                                 wadi_tuple2(wadi_unit(wadi_i64(0)), wadi_unit(wadi_i64(1)))));
    run();
    expect_ints("x.0", 1, I64S(144));
    expect_ints("x.1", 1, I64S(233));
    end();
}

static void awhile_body_must_keep_ranks_and_types(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_awhile(longer_than_one, longer_than_one, vector(1, I64S(1))));
    build_fails(WADI_TYPE, "awhile");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cond_computes_one_side),
        cmocka_unit_test(division_by_zero_names_all_there_is),
        cmocka_unit_test(while_runs_until_its_predicate_fails),
        cmocka_unit_test(iterate_counts_and_replaces_the_state_at_once),
        cmocka_unit_test(scalar_code_reads_arrays_with_checks),
        cmocka_unit_test(acond_computes_one_side),
        cmocka_unit_test(acond_takes_tuples_of_different_extents),
        cmocka_unit_test(acond_sides_must_have_one_type),
        cmocka_unit_test(awhile_may_change_extents),
        cmocka_unit_test(awhile_replaces_a_tuple_at_once),
        cmocka_unit_test(awhile_body_must_keep_ranks_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
