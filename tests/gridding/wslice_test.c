/* exp(2 pi i w (n - 1)) as a sum of products, against the function itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/wslice.h"

static const double pi = 3.14159265358979323846;

static double complex turned(double w, double path) {
    const double turns = w * path, angle = 2 * pi * (turns - rint(turns));
    const double parts[] = {cos(angle), sin(angle)};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* a_r(l), as its definition has it. */
static double complex factor(double edge, int n, double w, const double complex *mix, int r,
                             double l) {
    double complex sum = 0;
    for (int j = 0; j < n; j++) {
        const grid_wslice s = grid_wslice_at(edge, n, j);
        const double r2 = l * l + s.m * s.m;
        sum += mix[r * n + j] * turned(w, s.drop - r2 / (1 + sqrt(1 - r2)));
    }
    return sum;
}

/* Over the whole square, both signs of the coordinates. */
static double error_of(double edge, int n, double w) {
    enum { PLACES = 17 };
    double complex mix[GRID_SLICES_MOST * GRID_SLICES_MOST];
    double sum = 0;
    grid_wslice_mix(edge, n, w, mix);
    for (int i = 0; i < PLACES * PLACES; i++) {
        const double l = edge * (2.0 * (i % PLACES) / (PLACES - 1) - 1);
        const double m = edge * (2 * floor((double)i / PLACES) / (PLACES - 1) - 1);
        const double r2 = l * l + m * m;
        double complex x = -turned(w, -r2 / (1 + sqrt(1 - r2)));
        for (int r = 0; r < n; r++)
            x += factor(edge, n, w, mix, r, l) * factor(edge, n, w, mix, r, m);
        sum += creal(x) * creal(x) + cimag(x) * cimag(x);
    }
    return sqrt(sum) / PLACES;
}

static void as_many_slices_as_are_counted_are_enough(void **state) {
    static const double edge[] = {0.001, 0.02, 0.04, 0.1, 0.4}, w[] = {0, 3, 200, 3000, 50000};
    (void)state;
    for (int i = 0; i < 25; i++) {
        const int n = grid_wslice_count(edge[i / 5], w[i % 5], 1e-4);
        if (n > GRID_SLICES_MOST) continue;
        const double error = error_of(edge[i / 5], n, w[i % 5]);
        assert_true(error < 3e-4); /* the edges weigh more here */
        if (n > 1) assert_true(error_of(edge[i / 5], n - 1, w[i % 5]) > 5e-5);
    }
}

/* The root of the mean square over the middles of many small squares of a quarter of the field. */
static double mean_error(double edge, int n, double w) {
    enum { PLACES = 24 };
    double complex mix[GRID_SLICES_MOST * GRID_SLICES_MOST], at[PLACES][GRID_SLICES_MOST];
    double sum = 0;
    grid_wslice_mix(edge, n, w, mix);
    for (int i = 0; i < PLACES; i++)
        for (int r = 0; r < n; r++)
            at[i][r] = factor(edge, n, w, mix, r, edge * (i + 0.5) / PLACES);
    for (int i = 0; i < PLACES * PLACES; i++) {
        const double l = edge * (i % PLACES + 0.5) / PLACES,
                     m = edge * (floor((double)i / PLACES) + 0.5) / PLACES, r2 = l * l + m * m;
        double complex x = -turned(w, -r2 / (1 + sqrt(1 - r2)));
        for (int r = 0; r < n; r++) x += at[i / PLACES][r] * at[i % PLACES][r];
        sum += creal(x) * creal(x) + cimag(x) * cimag(x);
    }
    return sqrt(sum) / PLACES;
}

static void the_count_is_the_least_that_is_enough(void **state) {
    (void)state;
    for (double edge = 0.005; edge < 0.5; edge *= 2.1)
        for (double w = 2; w < 1e5; w *= 1.7) {
            const int n = grid_wslice_count(edge, w, 1e-4);
            if (n > GRID_SLICES_MOST) continue;
            assert_true(mean_error(edge, n, w) < 1.08e-4);
            if (n > 1) assert_true(mean_error(edge, n - 1, w) > 0.94e-4);
        }
}

/* From the middle of the field to its edge, nearly: Chebyshev points in how far the sphere has dropped there. */
static void slices_are_where_the_sphere_has_dropped_so_far(void **state) {
    (void)state;
    static const double edges[] = {0.01, 0.3, 0.7};
    for (int e = 0; e < 3; e++)
        for (int n = 1; n <= GRID_SLICES_MOST; n++)
            for (int j = 0; j < n; j++) {
                const grid_wslice s = grid_wslice_at(edges[e], n, j);
                const double whole = 1 - sqrt(1 - edges[e] * edges[e]);
                const double want = whole * pow(sin(pi * (j + 0.5) / (2 * n)), 2);
                assert_true(fabs(s.drop - want) < 1e-13 && s.m > 0 && s.m < edges[e]);
                assert_true(fabs(1 - sqrt(1 - s.m * s.m) - s.drop) < 1e-13);
            }
}

static void fields_of_a_few_degrees_take_one_or_two(void **state) {
    (void)state;
    assert_int_equal(grid_wslice_count(0.004, 300000, 1e-4), 1);
    assert_int_equal(grid_wslice_count(0.04, 20, 1e-4), 1);
    assert_int_equal(grid_wslice_count(0.04, 7600, 1e-4), 2);
    assert_true(grid_wslice_count(0.5, 1e5, 1e-4) > GRID_SLICES_MOST);
}

static void more_slices_than_can_be_told_apart_do_no_harm(void **state) {
    (void)state;
    for (int n = 1; n <= GRID_SLICES_MOST; n++) {
        assert_true(error_of(0.02, n, 0) < 1e-12);
        assert_true(error_of(0.02, n, 10) < 2e-6);
        assert_true(error_of(0.04, n, 7600) < 5e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_slices_as_are_counted_are_enough),
        cmocka_unit_test(the_count_is_the_least_that_is_enough),
        cmocka_unit_test(slices_are_where_the_sphere_has_dropped_so_far),
        cmocka_unit_test(fields_of_a_few_degrees_take_one_or_two),
        cmocka_unit_test(more_slices_than_can_be_told_apart_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
