/* Weights by the formulas they stand for, geometry by its rule, statistics by definition. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/geometry.h"
#include "apps/gridding/room.h"
#include "apps/gridding/statistics.h"
#include "apps/gridding/weighting.h"

enum { N = 500, SIZE = 64 };
static const double scale = 1e-3;

static double noise(int i, int k) {
    return sin(i * 1.7 + k * 12.9898);
}

/* Visibilities crowded near the middle; number 0 far outside of the plane. */
static grid_store make(void) {
    grid_store s;
    grid_store_init(&s, N);
    for (int i = 0; i < N; i++) {
        double u = 480 * pow(noise(i, 1), 3), v = 480 * pow(noise(i, 2), 3), w = noise(i, 3) * 10,
               vis[2] = {1, 0}, weight = 1.5 + noise(i, 4), time = 50000 + i, f = 1e8 + i;
        int32_t a = i, b = i + 1;
        if (i == 0) u = 501;
        if (i == 1) u = v = 0;
        void *const columns[GRID_FIELDS] = {&u, &v, &w, vis, &weight, &a, &b, &time, &f};
        assert_int_equal(grid_store_append(&s, columns, 0, 1, NULL), WADI_OK);
    }
    return s;
}

static bool same_cell(const grid_store *s, int i, int j) {
    const double *u = s->column[GRID_U], *v = s->column[GRID_V], theta = SIZE * scale;
    const double x = rint(u[i] * theta), y = rint(v[i] * theta), p = rint(u[j] * theta),
                 q = rint(v[j] * theta);
    return (x == p && y == q) || (x == -p && y == -q);
}

/* Sum of the weights in the cell of i, in the order they were counted. */
static double cell_of(const grid_store *s, int i) {
    const double *weight = s->column[GRID_WEIGHT];
    double sum = 0;
    for (int j = 1; j < N; j++)
        if (same_cell(s, i, j)) sum += weight[j];
    return sum;
}

static double f2_of(const grid_store *s, double robust) {
    const double *weight = s->column[GRID_WEIGHT];
    double squares = 0, sum = 0;
    for (int i = 1; i < N; i++) { /* a cell counts S^2 once: S for each visibility in it */
        squares += weight[i] * cell_of(s, i);
        sum += weight[i];
    }
    return pow(5 * pow(10, -robust), 2) / (squares / sum);
}

static void check(grid_weights how) {
    grid_store before = make(), after = make();
    grid_density *d = NULL;
    double variance = 0, want_variance = 0;
    const double *w = before.column[GRID_WEIGHT], f2 = f2_of(&before, how.robust);
    assert_int_equal(grid_density_create(SIZE, scale, 0, &d, NULL), WADI_OK);
    grid_density_add(d, &after);
    assert_int_equal(grid_density_apply(d, how, &after, &variance), 1); /* number 0 */
    assert_int_equal(after.n, N - 1);
    const double *got = after.column[GRID_WEIGHT];
    const int32_t *a = after.column[GRID_FIRST];
    for (int i = 1; i < N; i++) {
        const double s = cell_of(&before, i),
                     want = how.kind == GRID_UNIFORM ? w[i] / s : w[i] / (1 + f2 * s);
        assert_int_equal(a[i - 1], i);
        if (!(fabs(got[i - 1] - want) < 1e-12 * want)) fail_msg("%g is not %g", got[i - 1], want);
        want_variance += want * want / w[i];
    }
    assert_true(fabs(variance - want_variance) < 1e-12 * want_variance);
    grid_density_destroy(d);
    grid_store_fini(&before);
    grid_store_fini(&after);
}

static void uniform_weights_make_cells_equal(void **state) {
    (void)state;
    check((grid_weights){GRID_UNIFORM, 0});
}

static void briggs_weights_follow_the_formula(void **state) {
    (void)state;
    for (double r = -2; r <= 2; r += 1) check((grid_weights){GRID_BRIGGS, r});
}

static void geometry_follows_the_baselines(void **state) {
    (void)state;
    grid_store s = make();
    grid_limits l = {0};
    grid_geometry g;
    double longest = 0, shortest = (double)INFINITY;
    for (int i = 0; i < N; i++) {
        const double u = ((double *)s.column[GRID_U])[i], v = ((double *)s.column[GRID_V])[i],
                     w = ((double *)s.column[GRID_W])[i];
        longest = fmax(longest, hypot(u, v));
        shortest = fmin(shortest, sqrt(u * u + v * v + w * w));
    }
    grid_limits_add(&l, &s);
    assert_int_equal(l.n, N);
    assert_true(fabs(l.longest - longest) < 1e-9 && fabs(l.shortest - shortest) < 1e-9);
    assert_true(l.first_time == 50000 && l.last_time == 50000 + N - 1);
    assert_true(l.lowest_frequency == 1e8 && l.highest_frequency == 1e8 + N - 1);
    assert_int_equal(grid_geometry_choose(&l, 0, 0, 0, &g, NULL), WADI_OK);
    assert_true(g.scale <= 1 / (4 * longest) && g.scale > 0.9 / (4 * longest));
    assert_true(g.size % 2 == 0 && g.size >= 256 && (double)g.size * g.scale <= 1.2);
    assert_int_equal(grid_geometry_choose(&l, 100, 0, 0.05, &g, NULL), WADI_OK);
    assert_true(g.size == 100 && fabs(g.scale - 0.0005) < 1e-15);
    assert_int_equal(grid_geometry_choose(NULL, 0, 1e-4, 0.0301, &g, NULL), WADI_OK);
    assert_int_equal(g.size, 320); /* 301, made even and smooth */
    assert_int_equal(grid_geometry_choose(NULL, 100, 0, 0, &g, NULL), WADI_INVALID);
    assert_int_equal(grid_geometry_choose(NULL, 0, 1e-4, 0, &g, NULL), WADI_INVALID);
    assert_int_equal(grid_geometry_choose(&l, 2000, 1e-3, 0, &g, NULL), WADI_INVALID);
    assert_int_equal(grid_geometry_choose(NULL, 0, 1e-12, 1, &g, NULL), WADI_INVALID);
    grid_store_fini(&s);
}

static void statistics_are_what_they_are_called(void **state) {
    (void)state;
    enum { SIDE = 101 };
    double *image = malloc(SIDE * SIDE * sizeof *image);
    grid_statistics s;
    double squares = 0;
    assert_non_null(image);
    for (int i = 0; i < SIDE * SIDE; i++) image[i] = (i * 7919 % (SIDE * SIDE)) - 5100;
    image[3 * SIDE + 17] = -9000;
    for (int i = 0; i < SIDE * SIDE; i++) squares += image[i] * image[i];
    assert_int_equal(grid_statistics_of(image, SIDE, &s, NULL), WADI_OK);
    assert_true(s.peak == -9000 && s.peak_x == 17 && s.peak_y == 3);
    assert_true(fabs(s.rms - sqrt(squares / (SIDE * SIDE))) < 1e-9);
    assert_true(fabs(s.spread - 1.4826 * 2550) < 4); /* a uniform distribution 10201 wide */
    free(image);
}

static void what_does_not_fit_is_told_in_bytes(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    grid_density *d = NULL;
    assert_int_equal(grid_room(100, 100, "it", &err), WADI_OK);
    assert_int_equal(grid_room(101, 100, "it", &err), WADI_MEMORY);
    assert_string_equal(err.msg, "no room for it: it takes 101 bytes, --memory allows 100");
    assert_int_equal(grid_room(INT64_MAX, 0, "it", &err), WADI_MEMORY);
    assert_int_equal(grid_density_create(1 << 20, 1e-6, 0, &d, &err), WADI_MEMORY);
    assert_null(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_weights_make_cells_equal),
        cmocka_unit_test(briggs_weights_follow_the_formula),
        cmocka_unit_test(geometry_follows_the_baselines),
        cmocka_unit_test(statistics_are_what_they_are_called),
        cmocka_unit_test(what_does_not_fit_is_told_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
