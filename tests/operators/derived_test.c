/* Array functions written with the operators: scans from the right, parts, concat, scatter, histogram, zips of many. */
#include <stdlib.h>

#include "tests/operators/support.h"

static wadi_acc numbers(void) {
    return vector(4, I64S(1, 2, 3, 4));
}

static wadi_exp first(wadi_exp x, wadi_exp y) {
    (void)y;
    return x;
}

static void scans_from_the_right(void **state) {
    (void)state;
    begin();
    wadi_output("r", wadi_scanr(wadi_add, wadi_i64(10), numbers()));
    wadi_output("first", wadi_scanr(first, wadi_i64(10), numbers()));
    wadi_output("r1", wadi_scanr1(wadi_sub, numbers()));
    wadi_output("rows", wadi_scanr1(wadi_add, matrix(2, 2, I64S(1, 2, 3, 4))));
    wadi_output("empty", wadi_scanr(wadi_add, wadi_i64(7), vector(0, NULL)));
    run();
    expect_ints("r", 5, I64S(20, 19, 17, 14, 10));
    expect_ints("first", 5, I64S(1, 2, 3, 4, 10));
    expect_ints("r1", 4, I64S(-2, 3, -1, 4));
    expect_ints("rows", 4, I64S(3, 2, 7, 4));
    expect_ints("empty", 1, I64S(7));
    end();
}

static void scans_without_ends_and_with_totals_apart(void **state) {
    (void)state;
    begin();
    const wadi_exp ten = wadi_i64(10);
    wadi_output("total", wadi_scanl_total(wadi_add, ten, numbers()));
    wadi_output("totalr", wadi_scanr_total(wadi_add, ten, numbers()));
    wadi_output("prel", wadi_prescanl(wadi_add, ten, numbers()));
    wadi_output("postl", wadi_postscanl(wadi_add, ten, numbers()));
    wadi_output("prer", wadi_prescanr(wadi_add, ten, numbers()));
    wadi_output("postr", wadi_postscanr(wadi_add, ten, numbers()));
    wadi_output("rows", wadi_scanl_total(wadi_add, wadi_i64(0), matrix(2, 2, I64S(1, 2, 3, 4))));
    run();
    expect_ints("total.0", 4, I64S(10, 11, 13, 16));
    expect_ints("total.1", 1, I64S(20));
    expect_ints("totalr.0", 4, I64S(19, 17, 14, 10));
    expect_ints("totalr.1", 1, I64S(20));
    expect_ints("prel", 4, I64S(10, 11, 13, 16));
    expect_ints("postl", 4, I64S(11, 13, 16, 20));
    expect_ints("prer", 4, I64S(19, 17, 14, 10));
    expect_ints("postr", 4, I64S(20, 19, 17, 14));
    expect_ints("rows.0", 4, I64S(0, 1, 0, 3));
    expect_ints("rows.1", 2, I64S(3, 7));
    end();
}

static void parts_of_dimensions(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_output("init", wadi_init(m));
    wadi_output("tail", wadi_tail(m));
    wadi_output("init0", wadi_init_on(0, m));
    wadi_output("tail0", wadi_tail_on(0, m));
    wadi_output("slit", wadi_slit(wadi_i64(1), wadi_i64(2), numbers()));
    wadi_output("far", wadi_slit(wadi_i64(3), wadi_i64(5), numbers()));
    wadi_output("slit0", wadi_slit_on(0, wadi_i64(1), wadi_i64(1), m));
    wadi_output("nothing", wadi_init(vector(0, NULL)));
    run();
    expect_ints("init", 4, I64S(1, 2, 4, 5));
    expect_ints("tail", 4, I64S(2, 3, 5, 6));
    expect_ints("init0", 3, I64S(1, 2, 3));
    expect_ints("tail0", 3, I64S(4, 5, 6));
    expect_ints("slit", 2, I64S(2, 3));
    expect_ints("far", 1, I64S(4));
    expect_ints("slit0", 3, I64S(4, 5, 6));
    expect_shape("nothing", 1, I64S(0));
    end();
}

static void concat_joins_one_dimension(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(2, 2, I64S(1, 2, 3, 4)), n = matrix(2, 1, I64S(8, 9));
    wadi_output("v", wadi_concat(numbers(), vector(2, I64S(7, 8))));
    wadi_output("m", wadi_concat(m, n));
    wadi_output("rows", wadi_concat_on(0, m, m));
    wadi_output(
        "three",
        wadi_concat_n(0, 3, (const wadi_acc[]){vector(1, I64S(1)), vector(0, NULL), numbers()}));
    run();
    expect_ints("v", 6, I64S(1, 2, 3, 4, 7, 8));
    expect_shape("m", 2, I64S(2, 3));
    expect_ints("m", 6, I64S(1, 2, 8, 3, 4, 9));
    expect_shape("rows", 2, I64S(4, 2));
    expect_ints("rows", 8, I64S(1, 2, 3, 4, 1, 2, 3, 4));
    expect_ints("three", 5, I64S(1, 1, 2, 3, 4));
    end();
    begin();
    wadi_output("x", wadi_concat(matrix(2, 1, I64S(1, 2)), matrix(1, 1, I64S(1))));
    run_fails(NULL, WADI_FAULT, "concat: extents beside the dimension");
    end();
    begin();
    wadi_output("x", wadi_concat(numbers(), floats(1, F64S(1.0))));
    build_fails(WADI_TYPE, "concat: argument 2 is f64");
    end();
}

static wadi_exp sum_of(int n, const wadi_exp *x) {
    wadi_exp sum = x[0];
    for (int i = 1; i < n; i++) sum = wadi_add(sum, x[i]);
    return sum;
}

static wadi_exp with_index(wadi_ix ix, wadi_exp x, wadi_exp y) {
    return wadi_add(wadi_mul(ix.at[0], wadi_i64(100)), wadi_sub(x, y));
}

static void zips_of_many_of_indices_and_of_intersections(void **state) {
    (void)state;
    begin();
    const wadi_acc a = numbers();
    const wadi_acc nine[9] = {a, a, a, a, a, a, a, a, a};
    wadi_output("nine", wadi_zip_with_n(sum_of, 9, nine));
    wadi_output("index", wadi_izip_with(with_index, a, wadi_reverse(a)));
    wadi_output("min", wadi_zip_with_min(wadi_add, a, vector(2, I64S(10, 20))));
    wadi_output("corner", wadi_zip_with_min(wadi_add, matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)),
                                            matrix(3, 2, I64S(1, 2, 3, 4, 5, 6))));
    run();
    expect_ints("nine", 4, I64S(9, 18, 27, 36));
    expect_ints("index", 4, I64S(-3, 99, 201, 303));
    expect_ints("min", 2, I64S(11, 22));
    expect_shape("corner", 2, I64S(2, 2));
    expect_ints("corner", 4, I64S(2, 4, 7, 9));
    end();
    begin();
    wadi_acc ten[10];
    for (int i = 0; i < 10; i++) ten[i] = numbers();
    wadi_output("x", wadi_zip_with_n(sum_of, 10, ten));
    build_fails(WADI_UNSUPPORTED, "10 arrays");
    end();
}

static wadi_acc flags(int64_t n, const int64_t *values) {
    return wadi_map(wadi_lnot, wadi_zip_with(wadi_eq, vector(n, values),
                                             wadi_fill(wadi_ix1(wadi_i64(n)), wadi_i64(0))));
}

static void scatter_sends_and_the_last_stays(void **state) {
    (void)state;
    begin();
    const wadi_acc start = vector(5, I64S(-1, -1, -1, -1, -1));
    const wadi_acc to = vector(4, I64S(3, 0, 3, 1));
    wadi_output("s", wadi_scatter(to, start, numbers()));
    wadi_output("if", wadi_scatter_if(flags(4, I64S(1, 0, 0, 1)), to, start, numbers()));
    run();
    expect_ints("s", 5, I64S(2, 4, -1, 3, -1));
    expect_ints("if", 5, I64S(-1, 4, -1, 1, -1));
    end();
    begin();
    wadi_output(
        "x", wadi_scatter(vector(4, I64S(0, 1, 5, 0)), vector(5, I64S(0, 0, 0, 0, 0)), numbers()));
    run_fails(NULL, WADI_FAULT,
              "scatter: index 5 out of range 0..4 in dimension 0 of x, index [2]");
    end();
    begin();
    wadi_output("x", wadi_scatter(vector(2, I64S(0, 1)), vector(1, I64S(0)), numbers()));
    run_fails(NULL, WADI_FAULT, "differ");
    end();
}

static void histogram_combines_by_index(void **state) {
    (void)state;
    begin();
    wadi_output("h", wadi_histogram(wadi_add, wadi_i64(3), wadi_i64(100),
                                    vector(4, I64S(2, 0, 2, 2)), numbers()));
    run();
    expect_ints("h", 3, I64S(102, 100, 108));
    end();
}

static void gather_if_reads_only_where_told(void **state) {
    (void)state;
    begin();
    wadi_output("g", wadi_gather_if(flags(3, I64S(1, 0, 1)), vector(3, I64S(3, 99, 0)),
                                    vector(3, I64S(7, 8, 9)), numbers()));
    run();
    expect_ints("g", 3, I64S(4, 8, 1));
    end();
}

/* By hand; and that many matrices at once are products of their own. */
static void matmul_multiplies_matrices(void **state) {
    (void)state;
    begin();
    wadi_output("c", wadi_matmul(matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)),
                                 matrix(3, 2, I64S(7, 8, 9, 10, 11, 12))));
    wadi_output("none", wadi_matmul(matrix(2, 0, NULL), matrix(0, 2, NULL)));
    wadi_output("many", wadi_matmul(counting(3, I64S(2, 1, 2)), counting(3, I64S(2, 2, 1))));
    run();
    expect_shape("c", 2, I64S(2, 2));
    expect_ints("c", 4, I64S(58, 64, 139, 154));
    expect_ints("none", 4, I64S(0, 0, 0, 0));
    expect_shape("many", 3, I64S(2, 1, 1));
    expect_ints("many", 2, I64S(1, 13));
    end();
    begin();
    wadi_output("x", wadi_matmul(matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)),
                                 matrix(2, 3, I64S(1, 2, 3, 4, 5, 6))));
    run_fails(NULL, WADI_FAULT, "matmul: ");
    end();
}

static void all_and_any(void **state) {
    (void)state;
    begin();
    wadi_output("all", wadi_all_of(flags(3, I64S(1, 1, 0))));
    wadi_output("any", wadi_any_of(flags(3, I64S(0, 1, 0))));
    wadi_output("all0", wadi_all_of(flags(0, I64S(0))));
    wadi_output("any0", wadi_any_of(flags(0, I64S(0))));
    run();
    expect_ints("all", 1, I64S(0));
    expect_ints("any", 1, I64S(1));
    expect_ints("all0", 1, I64S(1));
    expect_ints("any0", 1, I64S(0));
    end();
}

static wadi_exp last_digit(wadi_exp x) {
    return wadi_convert(WADI_U8, wadi_mod(x, wadi_i64(10)));
}

static void sort_is_stable_and_goes_by_rows(void **state) {
    (void)state;
    begin();
    wadi_output("v", wadi_sort(vector(7, I64S(3, -1, 7, -9, 0, 7, 2))));
    wadi_output("m", wadi_sort(matrix(2, 3, I64S(3, 1, 2, -4, 6, -5))));
    wadi_output("key", wadi_sort_by_key(last_digit, vector(6, I64S(21, 13, 3, 11, 40, 1))));
    wadi_output("empty", wadi_sort(vector(0, NULL)));
    run();
    expect_ints("v", 7, I64S(-9, -1, 0, 2, 3, 7, 7));
    expect_ints("m", 6, I64S(1, 2, 3, -5, -4, 6));
    expect_ints("key", 6, I64S(40, 21, 11, 1, 13, 3));
    expect_shape("empty", 1, I64S(0));
    end();
}

static wadi_exp bits_of(wadi_exp x) {
    return wadi_bitcast(WADI_I64, x);
}

/* The two zeros are equal: they stay in order. */
static void sort_does_not_part_the_zeros(void **state) {
    (void)state;
    begin();
    wadi_output("v", wadi_map(bits_of, wadi_sort(floats(5, F64S(0.0, -0.0, -1.0, -0.0, 0.0)))));
    run();
    expect_ints("v", 5, I64S(-4616189618054758400, 0, INT64_MIN, INT64_MIN, 0));
    end();
}

static void sort_orders_floats(void **state) {
    (void)state;
    begin();
    const double nan = strtod("nan", NULL), inf = strtod("inf", NULL);
    const wadi_acc sorted = wadi_sort(floats(7, F64S(1.5, nan, -0.0, -inf, 0.0, -2.0, inf)));
    wadi_output("v", wadi_take(wadi_i64(6), sorted));
    wadi_output("last", wadi_map(wadi_isnan, wadi_drop(wadi_i64(6), sorted)));
    run();
    expect_floats("v", 6, F64S(-inf, -2.0, -0.0, 0.0, 1.5, inf));
    expect_ints("last", 1, I64S(1));
    end();
    begin();
    wadi_output("x", wadi_sort(wadi_unit(wadi_i64(1))));
    build_fails(WADI_SHAPE, "sort: argument 1 is i64");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_is_stable_and_goes_by_rows),
        cmocka_unit_test(sort_does_not_part_the_zeros),
        cmocka_unit_test(sort_orders_floats),
        cmocka_unit_test(scans_from_the_right),
        cmocka_unit_test(scans_without_ends_and_with_totals_apart),
        cmocka_unit_test(parts_of_dimensions),
        cmocka_unit_test(concat_joins_one_dimension),
        cmocka_unit_test(zips_of_many_of_indices_and_of_intersections),
        cmocka_unit_test(scatter_sends_and_the_last_stays),
        cmocka_unit_test(histogram_combines_by_index),
        cmocka_unit_test(gather_if_reads_only_where_told),
        cmocka_unit_test(matmul_multiplies_matrices),
        cmocka_unit_test(all_and_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
