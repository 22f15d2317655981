/* The split-radix transform as a program of the language's own pieces (slices, maps, concatenations): one half and two quarters at a
 * time, which the recursion lays out when the program is built. In a stream of equal rows all of its values are regular (van den Haak
 * 2019, section 6), and it gives what the library's transform gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/structure/stage.h"
#include "wadi/wadi.h"

enum { N = 64 };

typedef struct step {
    int64_t first, stride;
} step;

static wadi_ix strided(void *env, wadi_ix ix) {
    const step *s = env;
    return wadi_ix1(wadi_add(wadi_mul(ix.at[0], wadi_i64(s->stride)), wadi_i64(s->first)));
}

static wadi_acc every(wadi_acc x, int64_t first, int64_t stride, int64_t n) {
    step s = {first, stride};
    return wadi_backpermute_env(wadi_ix1(wadi_i64(n / stride)), strided, &s, x);
}

/* x[k] exp(-2 pi i angle k) */
static wadi_exp turned(void *env, wadi_ix ix, wadi_exp x) {
    const double angle = *(const double *)env;
    const wadi_exp a = wadi_mul(wadi_f64(angle), wadi_convert(WADI_F64, ix.at[0]));
    return wadi_mul(x, wadi_complex(wadi_cos(a), wadi_sin(a)));
}

static wadi_exp minus_i(wadi_exp x) {
    return wadi_mul(x, wadi_c128(0, -1));
}

static wadi_acc part(wadi_acc x, int64_t from, int64_t n) {
    return wadi_take(wadi_i64(n), wadi_drop(wadi_i64(from), x));
}

static wadi_acc split_radix(wadi_acc x, int64_t n) {
    if (n == 1) return x;
    if (n == 2) {
        const wadi_acc a = part(x, 0, 1), b = part(x, 1, 1);
        return wadi_concat(wadi_zip_with(wadi_add, a, b), wadi_zip_with(wadi_sub, a, b));
    }
    const double circle = 6.283185307179586;
    double once = -circle / (double)n, thrice = 3 * once;
    const wadi_acc u = wadi_compute(split_radix(every(x, 0, 2, n), n / 2));
    const wadi_acc z =
        wadi_compute(wadi_imap_env(turned, &once, split_radix(every(x, 1, 4, n), n / 4)));
    const wadi_acc y =
        wadi_compute(wadi_imap_env(turned, &thrice, split_radix(every(x, 3, 4, n), n / 4)));
    const wadi_acc sum = wadi_zip_with(wadi_add, z, y);
    const wadi_acc side = wadi_map(minus_i, wadi_zip_with(wadi_sub, z, y));
    const wadi_acc low = part(u, 0, n / 4), high = part(u, n / 4, n / 4);
    const wadi_acc quarters[] = {
        wadi_zip_with(wadi_add, low, sum), wadi_zip_with(wadi_add, high, side),
        wadi_zip_with(wadi_sub, low, sum), wadi_zip_with(wadi_sub, high, side)};
    return wadi_concat_n(0, 4, quarters);
}

static wadi_acc body(wadi_acc x) {
    return split_radix(x, N);
}

static void all_values_are_regular(void **state) {
    (void)state;
    static const char *const extents[] = {"64"};
    wadi_program *p = stage_stream(body, 1, extents);
    stage s = stage_of(p);
    int values = 0;
    assert_int_equal(stage_count_irregular(&s, &values), 0);
    assert_true(values > 100);
    stage_fini(&s);
    wadi_program_destroy(p);
}

static void it_is_the_transform(void **state) {
    (void)state;
    enum { ROWS = 3 };
    double x[ROWS * N * 2];
    for (int i = 0; i < ROWS * N * 2; i++) x[i] = sin(0.37 * i) + 0.01 * (i % 17);
    wadi_program *p = wadi_program_create("split_radix");
    const wadi_acc in = wadi_input("x", WADI_C128, 2, NULL);
    wadi_output("own", wadi_consume(wadi_tabulate(wadi_map_seq(body, wadi_to_seq(in)))));
    wadi_output("library", wadi_fft(in));
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_error err = {0};
    wadi_array own, library;
    const wadi_array a = {2, 1, {WADI_C128}, {ROWS, N}, {x}};
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK ||
        wadi_run_create(exe, NULL, &run, &err) != WADI_OK ||
        wadi_run_input(run, "x", &a, &err) != WADI_OK || wadi_run_go(run, &err) != WADI_OK ||
        wadi_run_result(run, "own", &own, &err) != WADI_OK ||
        wadi_run_result(run, "library", &library, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(own.shape[0], ROWS);
    assert_int_equal(own.shape[1], N);
    for (int i = 0; i < ROWS * N * 2; i++)
        assert_true(fabs(((double *)own.column[0])[i] - ((double *)library.column[0])[i]) < 1e-11);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_values_are_regular),
                                       cmocka_unit_test(it_is_the_transform)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
