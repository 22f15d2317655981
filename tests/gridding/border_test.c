/* The border of the grid: every method takes the same visibilities, those of up to half a wavelength per pixel. Visibilities near
 * the border are gridded as accurately as any other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/methods.h"
#include "tests/gridding/direct.h"
#include "tests/gridding/gridded.h"

enum { N = 600, LARGEST = 64 };

static const double scale = 2e-4;

/* Half of them near the border or beyond it, in both directions, on it as well; and those inside alone. */
typedef struct sets {
    direct_data all, inside;
} sets;

static bool is_inside(const grid_batch *b, int64_t k) {
    return fabs(b->u[k]) <= 0.5 / scale && fabs(b->v[k]) <= 0.5 / scale;
}

static void make_sets(sets *s, double most_w) {
    static const direct_place source[] = {{0.0031, -0.0012, 1}, {-0.0022, 0.0028, 2}, {0, 0, 0.5}};
    assert_true(direct_data_make(N, 0.65 / scale, most_w, 2, 5, &s->all));
    double *u = (double *)(uintptr_t)s->all.batch.u, *v = (double *)(uintptr_t)s->all.batch.v;
    for (int k = 0; k < N / 2; k++) {
        const double near = (0.5 + (k % 21 - 14) * 0.002) / scale; /* 14 of 21 are inside */
        double *at = k % 4 < 2 ? u : v;
        at[k] = k % 2 ? near : -near;
    }
    u[0] = v[1] = 0.5 / scale;
    u[2] = v[3] = -0.5 / scale;
    direct_observe(&s->all, 3, source);
    assert_true(direct_data_make(N, 1, most_w, 2, 5, &s->inside));
    grid_batch *in = &s->inside.batch;
    in->n = 0;
    for (int64_t k = 0; k < N; k++) {
        const grid_batch *b = &s->all.batch;
        const double *from[] = {b->u, b->v, b->w, b->weight};
        const double *to[] = {in->u, in->v, in->w, in->weight};
        if (!is_inside(b, k)) continue;
        for (int c = 0; c < 4; c++) ((double *)(uintptr_t)to[c])[in->n] = from[c][k];
        memcpy((double *)(uintptr_t)in->vis + 2 * in->n++, b->vis + 2 * k, 2 * sizeof(double));
    }
    assert_true(in->n > N / 4 && in->n < 3 * N / 4);
}

static void free_sets(sets *s) {
    direct_data_free(&s->all);
    direct_data_free(&s->inside);
}

static double weight_of(const grid_batch *b) {
    double sum = 0;
    for (int64_t k = 0; k < b->n; k++) sum += b->weight[k];
    return sum;
}

/* Every pixel against the sum over those inside, in all ways of running; the same bits in all of them. */
static void check(const grid_method *method, const sets *s, int size, double epsilon, bool flat,
                  double most) {
    static double image[LARGEST * LARGEST], other[LARGEST * LARGEST], want[LARGEST * LARGEST];
    static direct_place place[LARGEST * LARGEST];
    const grid_job j = {.size = size,
                        .scale = scale,
                        .epsilon = epsilon,
                        .most_w = flat ? 0 : 200,
                        .oversample = method == &grid_aw ? 32 : 0, /* it takes the nearest kernel */
                        .hoisted = true};
    grid_tally tally;
    for (int i = 0; i < size * size; i++)
        place[i] =
            (direct_place){(i % size - size / 2) * scale, (double)(i / size - size / 2) * scale, 0};
    direct_sum(&s->inside.batch, NULL, flat, size * size, place, want);
    gridded_image(method, &j, 1, &s->all.batch, image, &tally);
    const double error = direct_error(size * size, image, want);
    print_message("%s %g, %d pixels: error %.2g, %lld outside\n", method->name, epsilon, size,
                  error, (long long)tally.outside);
    assert_int_equal(tally.gridded, s->inside.batch.n);
    assert_int_equal(tally.outside, N - s->inside.batch.n);
    assert_true(error < most);
    assert_true(fabs(tally.weight - weight_of(&s->inside.batch)) < 1e-9 * tally.weight);
    if (method == &grid_direct) return;
    for (int i = 0; i < GRIDDED_WAYS; i++) {
        gridded_image_in_way(method, &j, &gridded_ways[i], &s->all.batch, other, &tally);
        if (gridded_ways[i].pieces == 1)
            assert_memory_equal(image, other, (size_t)(size * size) * sizeof *image);
        assert_int_equal(tally.outside, N - s->inside.batch.n);
    }
}

static void every_method_takes_the_same_visibilities(void **state) {
    sets s;
    (void)state;
    make_sets(&s, 200);
    check(&grid_direct, &s, LARGEST, 0, false, 1e-12);
    check(&grid_wproj, &s, LARGEST, 0, false, 3e-4);
    check(&grid_aw, &s, LARGEST, 0, false, 2.2e-2);
    free_sets(&s);
    make_sets(&s, 0);
    check(&grid_simple, &s, LARGEST, 0, true, 1.8e-4);
    free_sets(&s);
}

static void every_accuracy_takes_the_same_visibilities(void **state) {
    sets s;
    (void)state;
    make_sets(&s, 200);
    for (double epsilon = 1e-2; epsilon > 1e-13; epsilon *= 1e-5)
        check(&grid_wstack, &s, LARGEST, epsilon, false, epsilon);
    free_sets(&s);
}

/* Kernels nearly as wide as the grid. */
static void small_images_wrap_as_well(void **state) {
    sets s;
    (void)state;
    make_sets(&s, 200);
    for (int size = 2; size <= 14; size += 6) {
        check(&grid_wstack, &s, size, 1e-3, false, 1e-3);
        check(&grid_wstack, &s, size, 1e-11, false, 1e-11);
    }
    free_sets(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_takes_the_same_visibilities),
        cmocka_unit_test(every_accuracy_takes_the_same_visibilities),
        cmocka_unit_test(small_images_wrap_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
