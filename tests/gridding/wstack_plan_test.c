/* The layout of a w-stack: what must hold for every plan, which w its planes cover, how memory limits it, and the plans of some
 * jobs. */
#include "apps/gridding/wstack_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;

static wstack_plan plan_of(int64_t size, double field, double epsilon, int64_t n, double most_w,
                           bool known, int64_t memory) {
    const grid_job job = {.size = size,
                          .scale = field / (double)size,
                          .epsilon = epsilon,
                          .most_w = known ? most_w : 0,
                          .run = {.memory = memory}};
    wstack_plan p;
    wadi_error err = {.status = WADI_OK};
    if (wstack_plan_make(&job, n, most_w, &p, &err) != WADI_OK) fail_msg("%s", err.msg);
    return p;
}

static bool is_smooth(int64_t n) {
    for (int p = 2; p <= 5; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

/* Planes from 0 on that the kernels of w, up to `most` of them, write to: a plane p does if it is less than half a kernel away from where
 * w lies, w / step - 1/2. */
static int64_t count_planes(const wstack_plan *p, double w) {
    int64_t planes = 1;
    while ((double)planes - (w / p->step - 0.5) <= 0.5 * p->w.support) planes++;
    return planes;
}

static void assert_sound(const wstack_plan *p, double most_w, bool known) {
    const double corner = 0.5 * (double)p->size * p->scale, square = 2 * corner * corner,
                 least = square >= 1 ? -1 : sqrt(1 - square) - 1;
    assert_true(p->grid >= 32 && p->grid % 16 == 0 && is_smooth(p->grid));
    assert_true((double)p->grid >= 1.2 * (double)p->size);
    assert_true(p->tile * p->tiles == p->grid && p->columns % p->block == 0);
    assert_true(p->columns >= p->size && p->columns < p->size + p->block);
    assert_true(fabs(p->middle - least / 2) < 1e-12 && fabs(p->half + least / 2) < 1e-12);
    assert_true(p->uv.leak <= 0.25 * p->epsilon && (p->flat || p->w.leak <= 0.25 * p->epsilon));
    /* in one plane phases turn by a tenth of epsilon at most, and no more w may come */
    const double turn = 2 * pi * most_w * p->half;
    assert_int_equal(p->flat, known && most_w > 0 && 2 * turn <= 0.1 * p->epsilon);
    if (p->flat) {
        assert_true(p->planes == 1 && p->reach >= most_w);
    } else {
        assert_true(1 / (2 * p->half * p->step) > 1.19); /* finer than the field's depth asks for */
        assert_int_equal(p->planes, count_planes(p, most_w));
        assert_true(p->reach == p->step * (1 << 20));
    }
    assert_true(p->group >= 1 && p->group <= p->planes);
    if (p->single) assert_true(p->epsilon > 4e-7); /* half of it is more than a few roundings */
}

static void every_plan_is_sound(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 98};
    static const double fields[] = {0.001, 0.1, 1.3}, w[] = {0, 1e-6, 0.3, 40, 5000};
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 3; f++)
            for (double epsilon = 1e-2; epsilon > 1e-10; epsilon *= 1e-3)
                for (int i = 0; i < 5; i++) {
                    const bool known = (s + i) % 2;
                    const wstack_plan p =
                        plan_of(sizes[s], fields[f], epsilon, 1000, w[i], known, 0);
                    assert_sound(&p, w[i], known);
                }
}

/* Phases turn by 2 pi w times half of the field's depth, either way. */
static void one_plane_is_enough_up_to_a_turn_of_a_twentieth_of_the_accuracy(void **state) {
    (void)state;
    for (double epsilon = 1e-2; epsilon > 1e-7; epsilon *= 1e-2) {
        const double depth = 1 - sqrt(1 - 2 * 0.15 * 0.15),
                     most = 0.05 * epsilon / (2 * pi * depth / 2);
        for (int known = 0; known < 2; known++) {
            assert_int_equal(plan_of(60, 0.3, epsilon, 100, 0.99 * most, known, 0).flat, known);
            assert_false(plan_of(60, 0.3, epsilon, 100, 1.01 * most, known, 0).flat);
        }
        const wstack_plan p = plan_of(60, 0.3, epsilon, 100, 0.5 * most, true, 0);
        assert_true(fabs(p.reach / most - 1) < 1e-9);
    }
}

/* The drop of the sphere at a pixel. */
static void heights_are_those_of_the_sphere(void **state) {
    (void)state;
    const wstack_plan p = {.scale = 0.01};
    for (int64_t x = 0; x <= 80; x += 8)
        for (int64_t y = 0; y <= 80; y += 16) {
            const double square = 1e-4 * (double)(x * x + y * y);
            const double want = square >= 1 ? -1 : sqrt(1 - square) - 1;
            assert_true(fabs(wstack_height(&p, x, y) - want) < 1e-15);
        }
    assert_true(wstack_height(&p, 100, 0) == -1 && wstack_height(&p, 99, 0) > -1);
}

/* Fewer planes at once where there is less memory, and none where there is too little. */
static void memory_bounds_the_planes_at_once(void **state) {
    (void)state;
    const wstack_plan all = plan_of(256, 0.5, 1e-5, 100000, 2000, true, INT64_C(1) << 40);
    int64_t least = 1 << 20, before = 0;
    assert_true(all.group == all.planes && all.planes > 10);
    for (int64_t memory = 64 << 20; memory > 4 << 20; memory = memory * 3 / 4) {
        const grid_job job = {.size = 256,
                              .scale = 0.5 / 256,
                              .epsilon = 1e-5,
                              .most_w = 2000,
                              .run = {.memory = memory}};
        wstack_plan p;
        wadi_error err = {.status = WADI_OK};
        const wadi_status status = wstack_plan_make(&job, 100000, 2000, &p, &err);
        if (status != WADI_OK) {
            long long bytes = 0, allowed = 0;
            assert_int_equal(status, WADI_MEMORY);
            const char *numbers = strstr(err.msg, "takes ");
            assert_non_null(strstr(err.msg, "wstack: an image of 256 x 256 takes "));
            assert_int_equal(
                sscanf(numbers, "takes %lld bytes, but --memory allows %lld", &bytes, &allowed), 2);
            assert_true(allowed == memory && bytes > memory);
            before = 1;
            continue;
        }
        assert_false(before); /* what is refused is refused with less, too */
        assert_true(p.bytes <= memory && p.group <= least);
        /* lines of these planes take an eighth of it, one plane more would take more */
        const int64_t each = p.grid * p.columns * (p.single ? 8 : 16);
        assert_true(p.group == 1 || p.group * each <= memory / 8);
        assert_true(p.group == p.planes || (p.group + 1) * each > memory / 8);
        least = p.group;
    }
    assert_true(before);
    const wstack_plan usual = plan_of(256, 0.5, 1e-5, 100000, 2000, true, 0);
    const wstack_plan giga = plan_of(256, 0.5, 1e-5, 100000, 2000, true, 1 << 30);
    assert_int_equal(usual.group, giga.group);
}

static void jobs_that_cannot_be_are_told(void **state) {
    (void)state;
    static const struct {
        int64_t size;
        double scale, epsilon;
        const char *says; /* NULL: it can */
    } cases[] = {
        {2, 1e-3, 0.99, NULL},
        {0, 1e-3, 1e-3, "wstack: an image of 0 pixels along each side, expected an even number"},
        {3, 1e-3, 1e-3, "wstack: an image of 3 pixels along each side, expected an even number"},
        {(1 << 20) + 2, 1e-9, 1e-3,
         "wstack: an image of 1048578 pixels along each side, expected an even number"},
        {1 << 20, 1e-9, 1e-3, NULL},
        {8, 0, 1e-3, "wstack: pixels of 0 radians"},
        {8, -1, 1e-3, "wstack: pixels of -1 radians"},
        {8, 1e-3, 0, "wstack: an accuracy of 0, expected one between 0 and 1"},
        {8, 1e-3, 1, "wstack: an accuracy of 1, expected one between 0 and 1"},
        {8, 1e-3, 1e-13, NULL},
        {8, 1e-3, 1e-17, "wstack: an accuracy of 1e-17 is out of reach"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const grid_job job = {
            .size = cases[i].size, .scale = cases[i].scale, .epsilon = cases[i].epsilon};
        wstack_plan p;
        wadi_error err = {.status = WADI_OK};
        const wadi_status status = wstack_plan_make(&job, 10, 1, &p, &err);
        if ((status == WADI_OK) != (cases[i].says == NULL) ||
            (cases[i].says != NULL && strcmp(err.msg, cases[i].says) != 0))
            fail_msg("case %zu: %s", i, err.msg);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_is_sound),
        cmocka_unit_test(one_plane_is_enough_up_to_a_turn_of_a_twentieth_of_the_accuracy),
        cmocka_unit_test(heights_are_those_of_the_sphere),
        cmocka_unit_test(memory_bounds_the_planes_at_once),
        cmocka_unit_test(jobs_that_cannot_be_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
