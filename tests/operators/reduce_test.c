/* Reductions, scans and permutation: their edge cases, and the fixed tree of
 * operators/reduce_tree.h. */
#include <stdlib.h>

#include "operators/reduce_tree.h"
#include "sched/kernel.h"
#include "tests/operators/support.h"

_Static_assert((int)WADI_TREE_FOLD_BLOCK == (int)WADI_FOLD_BLOCK, "kernels use another tree");
_Static_assert((int)WADI_TREE_FOLD_LANES == (int)WADI_FOLD_LANES, "kernels use another tree");
_Static_assert((int)WADI_TREE_SCAN_BLOCK == (int)WADI_SCAN_BLOCK, "kernels use another tree");

static wadi_acc empty(void) {
    return vector(0, NULL);
}

static void fold_reduces_rows(void **state) {
    (void)state;
    begin();
    wadi_output("rows", wadi_fold(wadi_add, wadi_i64(100), matrix(2, 3, I64S(1, 2, 3, 4, 5, 6))));
    wadi_output("empty", wadi_fold(wadi_add, wadi_i64(100), empty()));
    wadi_output("no_rows", wadi_fold(wadi_add, wadi_i64(0), counting(2, I64S(0, 3))));
    wadi_output("empty_rows", wadi_fold(wadi_add, wadi_i64(8), counting(2, I64S(2, 0))));
    run();
    expect_ints("rows", 2, I64S(106, 115));
    expect_ints("empty", 1, I64S(100));
    expect_shape("no_rows", 1, I64S(0));
    expect_ints("empty_rows", 2, I64S(8, 8));
    end();
}

static void fold1_of_an_empty_dimension_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_fold1(wadi_add, empty()));
    run_fails(NULL, WADI_FAULT, "fold1: the dimension is empty");
    end();
    begin();
    wadi_output("x", wadi_fold1(wadi_add, counting(2, I64S(0, 0))));
    run();
    expect_shape("x", 1, I64S(0));
    end();
}

static void scans_give_every_prefix(void **state) {
    (void)state;
    begin();
    const wadi_acc a = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_output("scanl", wadi_scanl(wadi_add, wadi_i64(10), a));
    wadi_output("scanl1", wadi_scanl1(wadi_add, a));
    wadi_output("empty", wadi_scanl(wadi_add, wadi_i64(10), empty()));
    wadi_output("empty1", wadi_scanl1(wadi_add, empty()));
    run();
    expect_shape("scanl", 2, I64S(2, 4));
    expect_ints("scanl", 8, I64S(10, 11, 13, 16, 10, 14, 19, 25));
    expect_ints("scanl1", 6, I64S(1, 3, 6, 4, 9, 15));
    expect_ints("empty", 1, I64S(10));
    expect_shape("empty1", 1, I64S(0));
    end();
}

static void derived_reductions(void **state) {
    (void)state;
    begin();
    const wadi_acc a = vector(5, I64S(3, 1, 4, 1, 4));
    wadi_output("sum", wadi_sum(a));
    wadi_output("product", wadi_product(a));
    wadi_output("min", wadi_minimum(a));
    wadi_output("max", wadi_maximum(a));
    wadi_output("argmin", wadi_argmin(a));
    wadi_output("argmax", wadi_argmax(a));
    wadi_output("rows", wadi_argmax(matrix(2, 2, I64S(1, 2, 9, 3))));
    wadi_output("all", wadi_fold_all(wadi_add, wadi_i64(1), counting(2, I64S(2, 3))));
    wadi_output("none", wadi_sum(empty()));
    run();
    expect_ints("sum", 1, I64S(13));
    expect_ints("product", 1, I64S(48));
    expect_ints("min", 1, I64S(1));
    expect_ints("max", 1, I64S(4));
    expect_ints("argmin", 1, I64S(1));
    expect_ints("argmax", 1, I64S(2));
    expect_ints("rows", 2, I64S(1, 0));
    expect_ints("all", 1, I64S(16));
    expect_ints("none", 1, I64S(0));
    end();
}

static void argmin_prefers_numbers_to_nan(void **state) {
    (void)state;
    begin();
    const double nan = strtod("nan", NULL);
    wadi_output("a", wadi_argmin(floats(4, F64S(nan, 2.0, nan, 1.0))));
    wadi_output("b", wadi_argmax(floats(3, F64S(nan, -2.0, nan))));
    wadi_output("all", wadi_argmin(floats(2, F64S(nan, nan))));
    run();
    expect_ints("a", 1, I64S(3));
    expect_ints("b", 1, I64S(1));
    expect_ints("all", 1, I64S(0));
    end();
}

static void argmin_of_many_equals_is_the_first(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_argmin(wadi_fill(wadi_ix1(wadi_i64(10000)), wadi_f32(1))));
    run();
    expect_ints("x", 1, I64S(0));
    end();
}

/* ---- the tree ---- */

enum { N = 3 * WADI_TREE_FOLD_BLOCK + 77 };

/* Numbers whose sum depends on the order. */
static double sample(int64_t i) {
    return 1.0 / (double)(1 + (i * 2654435761u) % 1009) + (i % 5 == 0 ? 1e9 : 0);
}

static double sum_of_block(const double *x, int n) {
    enum { L = WADI_TREE_FOLD_LANES };
    double lane[L], acc;
    int i;
    if (n < L) {
        acc = x[0];
        for (i = 1; i < n; i++) acc += x[i];
        return acc;
    }
    for (int l = 0; l < L; l++) lane[l] = x[l];
    for (i = L; i + L <= n; i += L)
        for (int l = 0; l < L; l++) lane[l] += x[i + l];
    for (int half = L / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    if (i == n) return lane[0];
    acc = x[i];
    for (i++; i < n; i++) acc += x[i];
    return lane[0] + acc;
}

/* Of at most four blocks. */
static double sum_by_law(const double *x, int n, double z) {
    double part[4];
    int blocks = 0;
    for (int from = 0; from < n; from += WADI_TREE_FOLD_BLOCK) {
        const int count = n - from < WADI_TREE_FOLD_BLOCK ? n - from : WADI_TREE_FOLD_BLOCK;
        part[blocks++] = sum_of_block(x + from, count);
    }
    if (blocks == 1) return z + part[0];
    if (blocks == 2) return z + (part[0] + part[1]);
    if (blocks == 3) return z + ((part[0] + part[1]) + part[2]);
    return z + ((part[0] + part[1]) + (part[2] + part[3]));
}

static void float_sums_follow_the_tree(void **state) {
    (void)state;
    static double x[N];
    for (int i = 0; i < N; i++) x[i] = sample(i);
    static const int lengths[] = {1, 2, 15, 16, 17, 31, 33, 4095, 4096, 4097, 4111, 4112, 8193, N};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        begin();
        wadi_output("x", wadi_fold(wadi_add, wadi_f64(0.1), floats(lengths[k], x)));
        run();
        expect_floats("x", 1, F64S(sum_by_law(x, lengths[k], 0.1)));
        end();
    }
}

static void float_scans_follow_the_tree(void **state) {
    (void)state;
    static double x[N], scan1[N], scan[N + 1];
    double local = 0, last[4] = {0};
    scan[0] = 0.1;
    for (int i = 0; i < N; i++) {
        x[i] = sample(i);
        const int k = i / WADI_TREE_SCAN_BLOCK;
        const double carry[] = {0, last[0], last[0] + last[1], (last[0] + last[1]) + last[2]};
        local = i % WADI_TREE_SCAN_BLOCK == 0 ? x[i] : local + x[i];
        last[k] = local;
        scan1[i] = k == 0 ? local : carry[k] + local;
        scan[i + 1] = 0.1 + scan1[i];
    }
    begin();
    wadi_output("scanl1", wadi_scanl1(wadi_add, floats(N, x)));
    wadi_output("scanl", wadi_scanl(wadi_add, wadi_f64(0.1), floats(N, x)));
    run();
    expect_floats("scanl1", N, scan1);
    expect_floats("scanl", N + 1, scan);
    end();
}

/* x -> a x + b, composed: associative, but the order matters. */
static wadi_exp compose(wadi_exp f, wadi_exp g) {
    return wadi_rec2("a", wadi_mul(wadi_get(g, "a"), wadi_get(f, "a")), "b",
                     wadi_add(wadi_mul(wadi_get(g, "a"), wadi_get(f, "b")), wadi_get(g, "b")));
}

static wadi_exp affine(wadi_exp i) {
    return wadi_rec2("a", wadi_add(i, wadi_u32(3)), "b", wadi_mul(i, i));
}

static void functions_that_do_not_commute_keep_the_order(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_fold1(compose, wadi_map(affine, wadi_iota(WADI_U32, wadi_i64(9999)))));
    run();
    uint32_t a = 1, b = 0;
    for (uint32_t i = 0; i < 9999; i++) {
        a *= i + 3;
        b = b * (i + 3) + i * i;
    }
    expect_field("x", 0, 1, I64S(a));
    expect_field("x", 1, 1, I64S(b));
    end();
}

static wadi_exp swapped_add(wadi_exp a, wadi_exp b) {
    return wadi_add(b, a);
}

static wadi_exp add_pairs(wadi_exp a, wadi_exp b) {
    return wadi_rec2("x", wadi_add(wadi_get(a, "x"), wadi_get(b, "x")), "y",
                     wadi_max(wadi_get(b, "y"), wadi_get(a, "y")));
}

static wadi_exp crossed(wadi_exp a, wadi_exp b) {
    return wadi_rec2("x", wadi_add(wadi_get(a, "x"), wadi_get(b, "y")), "y",
                     wadi_add(wadi_get(a, "y"), wadi_get(b, "x")));
}

static wadi_exp as_pair(wadi_exp x) {
    return wadi_rec2("x", x, "y", x);
}

static const wadi_fun *function_of(const char *op) {
    const wadi_block *b = lowered()->main;
    for (int i = 0; i < b->nbinds; i++)
        if (b->binds[i]->op == wadi_op_find(wadi_operators(), op)) return b->binds[i]->funs[0];
    fail_msg("no %s", op);
    return NULL;
}

static void expect_lanes(wadi_fn2 f, wadi_acc a, bool lanes, bool any_order) {
    wadi_output("x", wadi_fold1(f, a));
    assert_int_equal(wadi_fun_has_lanes(function_of("fold1")), lanes);
    assert_int_equal(wadi_fun_has_any_order(function_of("fold1")), any_order);
    end();
}

static void lanes_are_for_functions_that_commute(void **state) {
    (void)state;
    begin();
    expect_lanes(wadi_add, vector(1, I64S(1)), true, true);
    begin();
    expect_lanes(wadi_min, floats(1, F64S(1)), true, false);
    begin();
    expect_lanes(swapped_add, floats(1, F64S(1)), true, false);
    begin();
    expect_lanes(wadi_sub, vector(1, I64S(1)), false, false);
    begin();
    expect_lanes(add_pairs, wadi_map(as_pair, vector(1, I64S(1))), true, true);
    begin();
    expect_lanes(crossed, wadi_map(as_pair, vector(1, I64S(1))), false, false);
    begin();
    expect_lanes(compose, wadi_map(affine, wadi_iota(WADI_U32, wadi_i64(1))), false, false);
}

/* ---- permute ---- */

static wadi_ix last_digit(wadi_ix ix) {
    return wadi_ix1(wadi_rem(ix.at[0], wadi_i64(3)));
}

static wadi_ix drop_odd(wadi_ix ix) {
    return wadi_keep_if(wadi_eq(wadi_rem(ix.at[0], wadi_i64(2)), wadi_i64(0)), ix);
}

static wadi_ix nowhere(wadi_ix ix) {
    (void)ix;
    return wadi_ignore(1);
}

static wadi_ix far_away(wadi_ix ix) {
    return wadi_ix1(wadi_mul(ix.at[0], wadi_i64(10)));
}

/* old * 10 + new: shows the order */
static wadi_exp append_digit(wadi_exp fresh, wadi_exp old) {
    return wadi_add(wadi_mul(old, wadi_i64(10)), fresh);
}

static void permute_combines_in_the_order_of_the_source(void **state) {
    (void)state;
    begin();
    const wadi_acc zeros = wadi_fill(wadi_ix1(wadi_i64(3)), wadi_i64(0));
    wadi_output(
        "x", wadi_permute(append_digit, zeros, last_digit, vector(7, I64S(1, 2, 3, 4, 5, 6, 7))));
    wadi_output("kept", wadi_permute(wadi_add, vector(3, I64S(10, 20, 30)), drop_odd,
                                     vector(3, I64S(1, 2, 3))));
    wadi_output("ignored", wadi_permute(wadi_add, vector(3, I64S(10, 20, 30)), nowhere,
                                        vector(3, I64S(1, 2, 3))));
    wadi_output("none", wadi_permute(wadi_add, vector(1, I64S(5)), far_away, empty()));
    run();
    expect_ints("x", 3, I64S(147, 25, 36));
    expect_ints("kept", 3, I64S(11, 20, 33));
    expect_ints("ignored", 3, I64S(10, 20, 30));
    expect_ints("none", 1, I64S(5));
    end();
}

static void permute_out_of_range_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x",
                wadi_permute(wadi_add, vector(2, I64S(0, 0)), far_away, vector(2, I64S(1, 1))));
    run_fails(NULL, WADI_FAULT,
              "permute: index 10 out of range 0..1 in dimension 0 of x, index [1]");
    end();
}

static void start_and_elements_must_have_one_type(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_fold(wadi_add, wadi_i32(0), vector(1, I64S(1))));
    build_fails(WADI_TYPE, "fold");
    end();
    begin();
    wadi_output("x", wadi_scanl(wadi_lt, wadi_i64(0), vector(1, I64S(1))));
    build_fails(WADI_TYPE, "scanl");
    end();
    begin();
    wadi_output("x", wadi_sum(wadi_unit(wadi_i64(0))));
    build_fails(WADI_SHAPE, "fold");
    end();
}

static wadi_exp next_of(wadi_exp x) {
    return wadi_add(x, wadi_i64(1));
}

static wadi_exp last_of(wadi_exp a, wadi_exp x) {
    (void)a;
    return x;
}

/* The last of 1, 2, .., n is n, and their greatest too; a block more or less, or one that is empty, would be seen. */
static void rows_end_where_they_end(void **state) {
    (void)state;
    enum { B = WADI_TREE_FOLD_BLOCK, L = WADI_TREE_FOLD_LANES };
    static const int64_t lengths[] = {1,     2, L - 1, L,     L + 1,    2 * L,
                                      B - 1, B, B + 1, 2 * B, 2 * B + L};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        const int64_t n = lengths[k];
        begin();
        const wadi_acc a = wadi_map(wadi_neg, wadi_iota(WADI_I64, wadi_i64(n)));
        wadi_output("last", wadi_fold1(last_of, a));
        wadi_output("scan", wadi_slice(1, (const wadi_spec[]){wadi_fix(wadi_i64(n - 1))},
                                       wadi_scanl1(last_of, a)));
        wadi_output("least", wadi_fold1(wadi_min, a));
        wadi_output(
            "none",
            wadi_fold1(wadi_max,
                       wadi_map(wadi_neg, wadi_map(next_of, wadi_iota(WADI_I64, wadi_i64(n))))));
        run();
        expect_ints("last", 1, I64S(1 - n));
        expect_ints("scan", 1, I64S(1 - n));
        expect_ints("least", 1, I64S(1 - n));
        expect_ints("none", 1, I64S(-1));
        end();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_reduces_rows),
        cmocka_unit_test(fold1_of_an_empty_dimension_is_a_fault),
        cmocka_unit_test(scans_give_every_prefix),
        cmocka_unit_test(derived_reductions),
        cmocka_unit_test(argmin_prefers_numbers_to_nan),
        cmocka_unit_test(argmin_of_many_equals_is_the_first),
        cmocka_unit_test(float_sums_follow_the_tree),
        cmocka_unit_test(float_scans_follow_the_tree),
        cmocka_unit_test(rows_end_where_they_end),
        cmocka_unit_test(functions_that_do_not_commute_keep_the_order),
        cmocka_unit_test(lanes_are_for_functions_that_commute),
        cmocka_unit_test(permute_combines_in_the_order_of_the_source),
        cmocka_unit_test(permute_out_of_range_is_a_fault),
        cmocka_unit_test(start_and_elements_must_have_one_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
