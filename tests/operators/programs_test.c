/* Whole programs of the papers, in the interpreter. */
#include <math.h>

#include "tests/operators/support.h"

static wadi_acc dotp(wadi_acc xs, wadi_acc ys) {
    return wadi_fold(wadi_add, wadi_f32(0), wadi_zip_with(wadi_mul, xs, ys));
}

static void dot_product(void **state) {
    (void)state;
    static const char *const n[] = {"n"};
    float x[] = {1, 2, 3}, y[] = {4, 5, 6};
    begin();
    wadi_output("dot", dotp(wadi_input("xs", WADI_F32, 1, n), wadi_input("ys", WADI_F32, 1, n)));
    const wadi_interp_input in[] = {{"xs", host_f32(1, I64S(3), x)},
                                    {"ys", host_f32(1, I64S(3), y)}};
    run_with(&(wadi_interp_io){.inputs = in, .ninputs = 2});
    expect_floats("dot", 1, F64S(32));
    end();
}

static wadi_acc mvm(wadi_acc m, wadi_acc v) {
    const wadi_spec rows[] = {wadi_fix(wadi_extent(m, 0)), wadi_all()};
    return wadi_sum(wadi_zip_with(wadi_mul, m, wadi_replicate(2, rows, v)));
}

static void matrix_times_vector(void **state) {
    (void)state;
    begin();
    wadi_output("x", mvm(matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)), vector(3, I64S(1, 0, -1))));
    run();
    expect_ints("x", 2, I64S(-2, -2));
    end();
}

/* ---- sparse matrix times vector: rows of different lengths ---- */

static wadi_exp times_entry(wadi_exp value, wadi_exp x) {
    return wadi_mul(value, x);
}

typedef struct sparse {
    wadi_acc vector;
} sparse;

static wadi_acc sparse_row(void *env, wadi_acc columns, wadi_acc values) {
    const sparse *s = env;
    return wadi_sum(wadi_zip_with(times_entry, values, wadi_gather(columns, s->vector)));
}

static void sparse_matrix_times_vector(void **state) {
    (void)state;
    begin();
    const wadi_acc shapes = matrix(3, 1, I64S(2, 0, 1));
    const wadi_seq columns = wadi_from_shapes(shapes, vector(3, I64S(0, 2, 1)));
    const wadi_seq values = wadi_from_shapes(shapes, vector(3, I64S(5, 7, 11)));
    sparse s = {vector(3, I64S(1, 10, 100))};
    wadi_output(
        "x", wadi_consume(wadi_tabulate(wadi_zip_with_seq_env(sparse_row, &s, columns, values))));
    run();
    expect_ints("x", 3, I64S(705, 0, 110));
    end();
}

/* ---- histogram ---- */

static wadi_ix bin_of(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_index(*(wadi_acc *)env, ix));
}

static wadi_exp add_env(void *env, wadi_exp a, wadi_exp b) {
    (void)env;
    return wadi_add(a, b);
}

static void histogram(void **state) {
    (void)state;
    begin();
    wadi_acc data = vector(7, I64S(0, 3, 3, 1, 3, 0, 1));
    const wadi_acc zeros = wadi_fill(wadi_ix1(wadi_i64(4)), wadi_i32(0));
    const wadi_acc ones = wadi_fill(wadi_shape_of(data), wadi_i32(1));
    wadi_output("x", wadi_permute_env(add_env, zeros, bin_of, &data, ones));
    run();
    expect_ints("x", 4, I64S(2, 2, 0, 3));
    end();
}

/* ---- mandelbrot ---- */

typedef struct point {
    wadi_exp re, im;
} point;

static wadi_exp inside(void *env, wadi_exp s) {
    (void)env;
    const wadi_exp x = wadi_get(s, "x"), y = wadi_get(s, "y");
    const wadi_exp r = wadi_add(wadi_mul(x, x), wadi_mul(y, y));
    return wadi_land(wadi_le(r, wadi_f64(4)), wadi_lt(wadi_get(s, "n"), wadi_i32(50)));
}

static wadi_exp step(void *env, wadi_exp s) {
    const point *c = env;
    const wadi_exp x = wadi_get(s, "x"), y = wadi_get(s, "y");
    const wadi_exp re = wadi_add(wadi_sub(wadi_mul(x, x), wadi_mul(y, y)), c->re);
    const wadi_exp im = wadi_add(wadi_mul(wadi_mul(wadi_f64(2), x), y), c->im);
    return wadi_rec3("x", re, "y", im, "n", wadi_add(wadi_get(s, "n"), wadi_i32(1)));
}

static wadi_exp escape(wadi_ix ix) {
    point c = {wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[1]), wadi_f64(0.5)), wadi_f64(2)),
               wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[0]), wadi_f64(0.5)), wadi_f64(1))};
    const wadi_exp start = wadi_rec3("x", wadi_f64(0), "y", wadi_f64(0), "n", wadi_i32(0));
    return wadi_get(wadi_while_env(inside, step, &c, start), "n");
}

static int64_t escape_here(double re, double im) {
    double x = 0, y = 0;
    int64_t n = 0;
    while (x * x + y * y <= 4 && n < 50) {
        const double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        n++;
    }
    return n;
}

static void mandelbrot(void **state) {
    (void)state;
    int64_t want[5 * 7];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++) want[i * 7 + j] = escape_here(j * 0.5 - 2, i * 0.5 - 1);
    begin();
    wadi_output("x", wadi_generate(wadi_ix2(wadi_i64(5), wadi_i64(7)), escape));
    run();
    expect_ints("x", 35, want);
    end();
}

/* ---- Newton's square roots, all at once ---- */

static wadi_exp distance(wadi_exp x, wadi_exp y) {
    return wadi_abs(wadi_sub(x, y));
}

static wadi_acc not_close(wadi_acc s) {
    const wadi_acc gap = wadi_zip_with(distance, wadi_tuple_get(s, 0), wadi_tuple_get(s, 1));
    return wadi_unit(wadi_gt(wadi_the(wadi_maximum(gap)), wadi_f64(1e-9)));
}

static wadi_exp improve(wadi_exp x, wadi_exp a) {
    return wadi_mul(wadi_f64(0.5), wadi_add(x, wadi_div(a, x)));
}

static wadi_acc newton(void *env, wadi_acc s) {
    const wadi_acc x = wadi_tuple_get(s, 0);
    return wadi_tuple2(wadi_zip_with(improve, x, *(wadi_acc *)env), x);
}

static wadi_acc not_close_env(void *env, wadi_acc s) {
    (void)env;
    return not_close(s);
}

static void square_roots_by_newton(void **state) {
    (void)state;
    begin();
    wadi_acc a = floats(3, F64S(4, 9, 2));
    const wadi_acc ones = floats(3, F64S(1, 1, 1));
    const wadi_acc s = wadi_awhile_env(not_close_env, newton, &a, wadi_tuple2(a, ones));
    wadi_output("x", s);
    run();
    const double *x = wadi_interp_output_get(results(), "x.0")->column[0];
    assert_true(fabs(x[0] - 2) < 1e-9 && fabs(x[1] - 3) < 1e-9 && fabs(x[2] - sqrt(2)) < 1e-9);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_product),
        cmocka_unit_test(matrix_times_vector),
        cmocka_unit_test(sparse_matrix_times_vector),
        cmocka_unit_test(histogram),
        cmocka_unit_test(mandelbrot),
        cmocka_unit_test(square_roots_by_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
