/* Weights against their formulas, limits against a plain count, geometry against its rule, statistics against their definitions. */
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

enum { N = 500, MANY = 20000, SIZE = 64 };
static const double scale = 1e-3, theta = SIZE * 1e-3;
static const wadi_run_options one_thread = {.threads = 1};

/* ---- visibilities ---- */

static double noise(int i, int k) {
    return sin(i * 1.7 + k * 12.9898);
}

static void put(grid_store *s, int i, double u, double v, double weight) {
    double w = noise(i, 3) * 10, vis[2] = {1, 0}, time = i % 7 == 3 ? 0 : 50000 + i, f = 1e8 + i;
    int32_t a = i, b = i + 1;
    void *const columns[GRID_FIELDS] = {&u, &v, &w, vis, &weight, &a, &b, &time, &f};
    assert_int_equal(grid_store_append(s, columns, 0, 1, NULL), WADI_OK);
}

/* Visibilities crowded near the middle; number 0 far outside of the plane. */
static grid_store make(int n) {
    grid_store s;
    grid_store_init(&s, n);
    put(&s, 0, 510, 0, 1.5);
    put(&s, 1, 0, 0, 1.25);
    for (int i = 2; i < n; i++)
        put(&s, i, 480 * pow(noise(i, 1), 3), 480 * pow(noise(i, 2), 3), 1.5 + noise(i, 4));
    return s;
}

/* Visibilities [from, to). */
static grid_store part(const grid_store *s, int64_t from, int64_t to) {
    grid_store p;
    grid_store_init(&p, to - from);
    assert_int_equal(grid_store_append(&p, s->column, from, to - from, NULL), WADI_OK);
    return p;
}

static const double *weights(const grid_store *s) {
    return s->column[GRID_WEIGHT];
}

/* ---- judges ---- */

/* The cell as an integer that is one for mirror images; -1: outside. */
static int64_t cell_of(const grid_store *s, int64_t i) {
    const double *u = s->column[GRID_U], *v = s->column[GRID_V];
    const double x = round(u[i] * theta), y = round(v[i] * theta);
    if (!(fabs(u[i]) <= 0.5 / scale) || !(fabs(v[i]) <= 0.5 / scale)) return -1;
    return llabs((int64_t)y * (SIZE + 1) + (int64_t)x);
}

/* Sums of the weights in the cells, by cell. */
static double *count_cells(const grid_store *s) {
    double *sum = calloc((SIZE + 1) * (SIZE + 1), sizeof *sum);
    assert_non_null(sum);
    for (int64_t i = 0; i < s->n; i++)
        if (cell_of(s, i) >= 0) sum[cell_of(s, i)] += weights(s)[i];
    return sum;
}

static double f2_of(const double *cells, double robust) {
    double squares = 0, sum = 0;
    for (int i = 0; i < (SIZE + 1) * (SIZE + 1); i++) {
        squares += cells[i] * cells[i];
        sum += cells[i];
    }
    return pow(5 * pow(10, -robust), 2) / (squares / sum);
}

/* What should become of the visibilities: weights, 0 outside. */
static double *count_weights(const grid_store *s, grid_weights how, grid_weighed *out) {
    double *cells = count_cells(s), *want = calloc((size_t)s->n, sizeof *want);
    const double f2 = f2_of(cells, how.robust);
    assert_non_null(want);
    *out = (grid_weighed){0};
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t at = cell_of(s, i);
        const double w = weights(s)[i];
        if (at >= 0) want[i] = w / (how.kind == GRID_UNIFORM ? cells[at] : 1 + f2 * cells[at]);
        out->outside += at < 0 ? 1 : 0;
        out->weight += want[i];
        out->variance += want[i] * want[i] / w;
    }
    free(cells);
    return want;
}

/* ---- the programs ---- */

/* `s` in batches of `most`, and again as one store of what is left. */
static grid_store weigh(const grid_store *s, grid_weights how, const wadi_run_options *run,
                        int64_t most, grid_weighed *out) {
    grid_weigher *by = NULL;
    grid_density *d = NULL;
    grid_store all;
    *out = (grid_weighed){0};
    grid_store_init(&all, s->n);
    assert_int_equal(grid_weigher_create(how, run, &by, NULL), WADI_OK);
    assert_int_equal(grid_density_create(by, SIZE, scale, 0, &d, NULL), WADI_OK);
    for (int64_t from = 0; from < s->n; from += most) {
        grid_store p = part(s, from, from + most < s->n ? from + most : s->n);
        assert_int_equal(grid_density_add(d, &p, NULL), WADI_OK);
        grid_store_fini(&p);
    }
    for (int64_t from = 0; from < s->n; from += most) {
        grid_store p = part(s, from, from + most < s->n ? from + most : s->n);
        assert_int_equal(grid_density_apply(d, &p, out, NULL), WADI_OK);
        assert_int_equal(grid_store_append(&all, p.column, 0, p.n, NULL), WADI_OK);
        grid_store_fini(&p);
    }
    grid_density_destroy(d);
    grid_weigher_destroy(by);
    return all;
}

static void assert_near(double got, double want) {
    if (!(fabs(got - want) <= 1e-12 * fabs(want))) fail_msg("%.17g is not %.17g", got, want);
}

static void check(const grid_store *s, grid_weights how) {
    grid_weighed got, want;
    double *weight = count_weights(s, how, &want);
    grid_store after = weigh(s, how, &one_thread, s->n, &got);
    const int32_t *number = after.column[GRID_FIRST];
    int64_t left = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (weight[i] == 0) continue;
        assert_true(left < after.n);
        assert_int_equal(number[left], ((const int32_t *)s->column[GRID_FIRST])[i]);
        for (int f = 0; f < GRID_FIELDS; f++) { /* all else stays with it */
            const int64_t bytes = wadi_type_size(grid_field_type[f]);
            if (f != GRID_WEIGHT)
                assert_memory_equal((const char *)after.column[f] + left * bytes,
                                    (const char *)s->column[f] + i * bytes, (size_t)bytes);
        }
        assert_near(weights(&after)[left++], weight[i]);
    }
    assert_int_equal(after.n, left);
    assert_int_equal(got.outside, want.outside);
    assert_int_equal(got.outside, s->n - left);
    assert_near(got.weight, want.weight);
    assert_near(got.variance, want.variance);
    grid_store_fini(&after);
    free(weight);
}

/* ---- weights ---- */

static void uniform_weights_make_cells_equal(void **state) {
    (void)state;
    grid_store s = make(N);
    check(&s, (grid_weights){GRID_UNIFORM, 0});
    grid_store_fini(&s);
}

static void briggs_weights_follow_the_formula(void **state) {
    (void)state;
    grid_store s = make(N);
    for (double r = -2; r <= 2; r += 1) check(&s, (grid_weights){GRID_BRIGGS, r});
    grid_store_fini(&s);
}

/* Places in cells; with each its mirror image. */
static grid_store at_edges(void) {
    static const double half = SIZE / 2,
                        place[][2] = {
                            {0, 0},        {0.3, 0.2},       {-0.3, 0.2},     {0.3, -0.0},
                            {0.5, 0},      {0, 0.5},         {0.5, 0.5},      {-0.5, 0.5},
                            {3, 0.1},      {-3, 0.1},        {2.5, 0},        {-2.5, 0.5},
                            {half, 3},     {-half, 3},       {half + 0.4, 3}, {half + 0.6, 3},
                            {3, half},     {-3, half + 0.4}, {3, half + 0.6}, {half, half},
                            {-half, half}, {half, 0},        {1e300, 1},      {1, -1e300}};
    enum { PLACES = sizeof place / sizeof place[0] };
    grid_store s;
    grid_store_init(&s, 2 * PLACES);
    for (int i = 0; i < 2 * PLACES; i++) {
        const double sign = i % 2 ? -1 : 1, *p = place[i / 2];
        put(&s, i, sign * p[0] / theta, sign * p[1] / theta, 1 + i / 8.0);
    }
    return s;
}

static void a_place_and_its_mirror_image_are_one_cell_up_to_the_edges(void **state) {
    (void)state;
    grid_store s = at_edges();
    check(&s, (grid_weights){GRID_UNIFORM, 0});
    check(&s, (grid_weights){GRID_BRIGGS, 0.5});
    grid_store_fini(&s);
}

static void what_is_not_finite_lies_outside(void **state) {
    (void)state;
    const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    grid_store s = make(20);
    s.most = 32;
    for (int i = 0; i < 9; i++) put(&s, 20 + i, odd[i % 3], i < 3 ? 1 : odd[i / 3], 2);
    for (int i = 0; i < 3; i++) put(&s, 29 + i, -1, odd[i], 2);
    check(&s, (grid_weights){GRID_UNIFORM, 0});
    check(&s, (grid_weights){GRID_BRIGGS, -1});
    grid_store_fini(&s);
}

static void a_plane_in_which_nothing_lies_leaves_nothing(void **state) {
    (void)state;
    for (int n = 0; n < 3; n++) {
        grid_store s;
        grid_weighed w;
        grid_store_init(&s, 3);
        for (int i = 0; i < n; i++) put(&s, i, 1e6, i, 1);
        for (int kind = GRID_UNIFORM; kind <= GRID_BRIGGS; kind++) {
            grid_store after =
                weigh(&s, (grid_weights){(grid_weighting)kind, 0}, &one_thread, 3, &w);
            assert_int_equal(after.n, 0);
            assert_true(w.outside == n && w.weight == 0 && w.variance == 0);
            grid_store_fini(&after);
        }
        grid_store_fini(&s);
    }
}

/* ---- the same bits ---- */

static const wadi_run_options ways[] = {
    {.threads = 1},
    {.threads = 2},
    {.threads = 4},
    {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE},
    {.threads = 4, .schedule = WADI_SCHEDULE_FORCE_FLAT},
    {.threads = 2, .chunk = 100, .policy = "fixed"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void weights_have_one_set_of_bits(void **state) {
    (void)state;
    grid_store s = make(MANY);
    for (int kind = GRID_UNIFORM; kind <= GRID_BRIGGS; kind++) {
        const grid_weights how = {(grid_weighting)kind, 0.5};
        grid_weighed a, b;
        grid_store want = weigh(&s, how, &ways[0], MANY, &a);
        for (int i = 1; i < WAYS; i++) {
            grid_store got = weigh(&s, how, &ways[i], MANY, &b);
            assert_int_equal(got.n, want.n);
            assert_memory_equal(weights(&got), weights(&want), (size_t)want.n * sizeof(double));
            assert_memory_equal(&a, &b, sizeof a);
            grid_store_fini(&got);
        }
        grid_store_fini(&want);
    }
    grid_store_fini(&s);
}

/* Their sums are those of other trees. */
static void weights_do_not_depend_on_how_batches_are_cut(void **state) {
    (void)state;
    grid_store s = make(MANY);
    for (int kind = GRID_UNIFORM; kind <= GRID_BRIGGS; kind++) {
        const grid_weights how = {(grid_weighting)kind, 0.5};
        grid_weighed a, b;
        grid_store want = weigh(&s, how, &ways[0], MANY, &a);
        for (int64_t most = 999; most <= MANY / 2; most *= 5) {
            grid_store got = weigh(&s, how, &ways[1], most, &b);
            assert_int_equal(got.n, want.n);
            assert_memory_equal(weights(&got), weights(&want), (size_t)want.n * sizeof(double));
            assert_int_equal(a.outside, b.outside);
            assert_near(a.weight, b.weight);
            assert_near(a.variance, b.variance);
            grid_store_fini(&got);
        }
        grid_store_fini(&want);
    }
    grid_store_fini(&s);
}

/* ---- limits ---- */

static grid_limits look_over(const grid_store *s, const wadi_run_options *run, int64_t most) {
    grid_limits l = {0};
    grid_look *look = NULL;
    assert_int_equal(grid_look_create(run, &look, NULL), WADI_OK);
    for (int64_t from = 0; from < s->n; from += most) {
        grid_store p = part(s, from, from + most < s->n ? from + most : s->n);
        assert_int_equal(grid_limits_add(&l, look, &p, NULL), WADI_OK);
        grid_store_fini(&p);
    }
    grid_look_destroy(look);
    return l;
}

static grid_limits count_limits(const grid_store *s) {
    const double *u = s->column[GRID_U], *v = s->column[GRID_V], *w = s->column[GRID_W],
                 *t = s->column[GRID_TIME], *f = s->column[GRID_FREQUENCY], most = (double)INFINITY;
    grid_limits l = {.n = s->n,
                     .least_w = most,
                     .greatest_w = -most,
                     .shortest = most,
                     .first_time = most,
                     .lowest_frequency = most};
    for (int64_t i = 0; i < s->n; i++) {
        const double length = sqrt(u[i] * u[i] + v[i] * v[i] + w[i] * w[i]);
        l.most_u = fmax(l.most_u, fabs(u[i]));
        l.most_v = fmax(l.most_v, fabs(v[i]));
        l.most_w = fmax(l.most_w, fabs(w[i]));
        l.least_w = fmin(l.least_w, w[i]);
        l.greatest_w = fmax(l.greatest_w, w[i]);
        l.longest = fmax(l.longest, sqrt(u[i] * u[i] + v[i] * v[i]));
        if (length > 0) l.shortest = fmin(l.shortest, length);
        l.weight += weights(s)[i];
        if (t[i] > 0) l.first_time = fmin(l.first_time, t[i]);
        l.last_time = fmax(l.last_time, t[i]);
        l.lowest_frequency = fmin(l.lowest_frequency, f[i]);
        l.highest_frequency = fmax(l.highest_frequency, f[i]);
    }
    return l;
}

/* All but the sum, whose last bits are those of a tree. */
static void assert_same_limits(grid_limits got, grid_limits want) {
    assert_near(got.weight, want.weight);
    got.weight = want.weight;
    assert_memory_equal(&got, &want, sizeof want);
}

static void limits_are_those_of_a_plain_count(void **state) {
    (void)state;
    grid_store s = make(MANY);
    const grid_limits want = count_limits(&s);
    for (int64_t most = 7; most <= MANY; most *= 27)
        assert_same_limits(look_over(&s, &ways[1], most), want);
    const grid_limits one = look_over(&s, &ways[0], MANY);
    for (int i = 1; i < WAYS; i++) {
        const grid_limits got = look_over(&s, &ways[i], MANY);
        assert_memory_equal(&got, &one, sizeof one);
    }
    grid_store_fini(&s);
}

/* Batches without baselines, or without times, before and after those that have some. */
static void what_a_batch_does_not_tell_is_no_limit(void **state) {
    (void)state;
    enum { FEW = 6 };
    grid_look *look = NULL;
    assert_int_equal(grid_look_create(&one_thread, &look, NULL), WADI_OK);
    for (int turn = 0; turn < 60; turn++) {
        grid_limits got = {0};
        grid_store s;
        grid_store_init(&s, FEW);
        for (int i = 0; i < FEW; i++) {
            const int kind = turn * 31 + i * i * 7, side = kind % 5 - 2;
            put(&s, kind, side * (1 + i), kind % 3 == 0 ? side * 4.0 : 0, 1);
            ((double *)s.column[GRID_W])[i] = kind % 4 < 2 ? 0 : side * (3.0 + turn);
            if (kind % 3 == 1) ((double *)s.column[GRID_TIME])[i] = 0;
        }
        grid_limits want = count_limits(&s);
        if (isinf(want.shortest)) want.shortest = 0;
        if (isinf(want.first_time)) want.first_time = 0;
        const int64_t most = 1 + turn / 20;
        for (int64_t from = 0; from < FEW; from += most) {
            grid_store p = part(&s, from, from + most < FEW ? from + most : FEW);
            assert_int_equal(grid_limits_add(&got, look, &p, NULL), WADI_OK);
            grid_store_fini(&p);
        }
        assert_same_limits(got, want);
        grid_store_fini(&s);
    }
    grid_look_destroy(look);
}

static void limits_of_nothing_are_zero(void **state) {
    (void)state;
    const grid_limits zero = {0};
    grid_store s;
    grid_store_init(&s, 4);
    grid_limits l = look_over(&s, &one_thread, 4);
    assert_memory_equal(&l, &zero, sizeof l);
    put(&s, 3, 0, 0, 2); /* no time */
    ((double *)s.column[GRID_W])[0] = 0;
    l = look_over(&s, &one_thread, 4);
    assert_true(l.n == 1 && l.shortest == 0 && l.longest == 0 && l.weight == 2);
    assert_true(l.first_time == 0 && l.last_time == 0 && l.lowest_frequency == 1e8 + 3);
    grid_store_fini(&s);
}

/* ---- geometry ---- */

static void geometry_follows_the_baselines(void **state) {
    (void)state;
    grid_store s = make(N);
    grid_geometry g;
    const grid_limits l = look_over(&s, &one_thread, N);
    assert_int_equal(grid_geometry_choose(&l, 0, 0, 0, &g, NULL), WADI_OK);
    assert_true(g.scale <= 1 / (4 * l.longest) && g.scale > 0.9 / (4 * l.longest));
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
    assert_true(s.greatest == 5100 && fabs(s.median) <= 1);
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
    assert_non_null(strstr(err.msg, "it takes 9223372036854775807 bytes, the machine has "));
    assert_int_equal(grid_room(1, 0, "it", &err), WADI_OK);
    assert_int_equal(grid_room(0, 1, "it", &err), WADI_OK);
    assert_int_equal(grid_room(-1, 100, "it", &err), WADI_MEMORY);
    assert_string_equal(err.msg, "no room for it: its bytes cannot be counted");
    assert_int_equal(grid_density_create(NULL, 1 << 20, 1e-6, 0, &d, &err), WADI_MEMORY);
    assert_null(d);
    const int64_t twice =
        INT64_C(2) * (SIZE / 2 + 1) * (SIZE + 1) * 8; /* before and after a batch */
    assert_int_equal(grid_density_create(NULL, SIZE, scale, twice - 1, &d, &err), WADI_MEMORY);
    assert_int_equal(grid_density_create(NULL, SIZE, scale, twice, &d, &err), WADI_OK);
    grid_density_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_weights_make_cells_equal),
        cmocka_unit_test(briggs_weights_follow_the_formula),
        cmocka_unit_test(a_place_and_its_mirror_image_are_one_cell_up_to_the_edges),
        cmocka_unit_test(what_is_not_finite_lies_outside),
        cmocka_unit_test(a_plane_in_which_nothing_lies_leaves_nothing),
        cmocka_unit_test(weights_have_one_set_of_bits),
        cmocka_unit_test(weights_do_not_depend_on_how_batches_are_cut),
        cmocka_unit_test(limits_are_those_of_a_plain_count),
        cmocka_unit_test(what_a_batch_does_not_tell_is_no_limit),
        cmocka_unit_test(limits_of_nothing_are_zero),
        cmocka_unit_test(geometry_follows_the_baselines),
        cmocka_unit_test(statistics_are_what_they_are_called),
        cmocka_unit_test(what_does_not_fit_is_told_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
