/* Kernels of w: their sizes, their supports, the distances of their bins and their grids, against the geometry that decides these. */
#include "apps/gridding/wkernel.h"

#include "apps/gridding/wfactor.h"
#include "apps/gridding/wslice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* Half a bin turns the image's corner by so much. */
static void bins_are_as_far_apart_as_they_may_turn(void **state) {
    (void)state;
    static const double scales[] = {1e-5, 1e-3, 0.01};
    for (int i = 0; i < 3; i++) {
        const double edge = 50 * scales[i], drop = 1 - sqrt(1 - 2 * edge * edge);
        const double step = grid_wkernel_step(100, scales[i], 0.1);
        assert_true(fabs(2 * pi * (step / 2) * drop / 0.1 - 1) < 1e-5);
    }
    /* corners beyond the horizon drop as far as it does */
    assert_true(fabs(grid_wkernel_step(100, 0.0142, 0.3) * pi / 0.3 - 1) < 1e-12);
}

/* A source at l turns with w l / n cycles per unit of l: in cells of 1 / theta, at the edge of the grid's field. */
static void kernels_reach_as_far_as_their_field_turns(void **state) {
    (void)state;
    const es_kernel taper = {.support = 7};
    for (double scale = 1e-4; scale < 0.01; scale *= 3)
        for (double w = 0; w < 3000; w = 3 * w + 10) {
            const int64_t pixels = 80, cells = 100;
            const double theta = (double)cells * scale, corner = (double)pixels / 2 * scale,
                         n = sqrt(1 - 2 * corner * corner), want = 3.5 + w * theta / 2 / n * theta;
            const double reach = grid_wkernel_reach(&taper, pixels, cells, scale, w);
            assert_true(fabs(reach / want - 1) < 1e-9);
            const int support = grid_wkernel_support(&taper, pixels, cells, scale, w);
            /* odd, and all cells closer to the middle than it reaches, no more */
            assert_true(support % 2 == 1);
            assert_true(support / 2 < want && support / 2 + 1 >= want - 1e-9);
        }
    assert_int_equal(grid_wkernel_support(&taper, 80, 100, 1e-3, 1e9), 2000001);
}

/* Sums of cosines repeat beyond what a kernel reaches on either side, and as wide as it is. */
static void periods_keep_kernels_apart(void **state) {
    (void)state;
    for (double w = 0; w < 3000; w = 2 * w + 7) {
        const grid_canvas c = {.pixels = 80, .cells = 100, .theta = 0.4, .taper = {.support = 7}};
        const double n = sqrt(1 - 2 * 0.2 * 0.2), reach = w * 0.2 / n * 0.4 + 7;
        for (int64_t support = 9; support < 100; support += 30) {
            const int64_t period = grid_wkernel_period(&c, w, support);
            assert_true(period % 2 == support % 2);
            assert_true((double)(period - support - 16) >= 2 * reach);
            assert_true((double)(period - support - 18) < 2 * reach);
        }
    }
}

static void tables_take_what_their_kernels_take(void **state) {
    (void)state;
    for (int q = 1; q < 9; q += 3)
        for (int side = 3; side < 20; side += 8)
            for (double w = 0; w < 500; w = 2 * w + 3.3) {
                const grid_wplan plan = {.step = 2, .oversample = q, .fixed = side};
                const int64_t bytes = grid_wtable_bytes(&plan, w), each = 16 * q * q * side * side;
                assert_int_equal(bytes % each, 0);
                /* w lies in a bin of it, and at most one is to spare */
                const int64_t needed = (int64_t)floor(w / 2 + 0.5) + 1;
                assert_true(bytes / each >= needed && bytes / each <= needed + 1);
            }
    assert_int_equal(grid_wtable_bytes(&(grid_wplan){1e-9, 8, 15}, 1), -1);
    assert_int_equal(grid_wtable_bytes(&(grid_wplan){1, 4096, 4095}, 1e5), -1);
}

static void a_support_is_reached_by_its_largest_w(void **state) {
    (void)state;
    const grid_canvas c = {
        .pixels = 80, .cells = 100, .scale = 0.004, .theta = 0.4, .taper = {.support = 7}};
    for (int64_t support = 9; support < 100; support += 14) {
        const double w = grid_wfactor_most(&c, support);
        const double reach = grid_wkernel_reach(&c.taper, c.pixels, c.cells, c.scale, w);
        assert_true(w > 0 && fabs(reach - 0.5 * (double)support) < 1e-9);
    }
    for (double w = 1; w < 1e6; w *= 3) {
        const int n = grid_wslice_count(0.16, w, 1e-4);
        assert_int_equal(grid_wfactor_products(&c, w), n < GRID_SLICES_MOST ? n : GRID_SLICES_MOST);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_as_far_apart_as_they_may_turn),
        cmocka_unit_test(kernels_reach_as_far_as_their_field_turns),
        cmocka_unit_test(periods_keep_kernels_apart),
        cmocka_unit_test(tables_take_what_their_kernels_take),
        cmocka_unit_test(a_support_is_reached_by_its_largest_w),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
