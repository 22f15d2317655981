/* The method "simple" against direct sums without w, and that no bit depends on how it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/methods.h"
#include "tests/gridding/direct.h"
#include "tests/gridding/gridded.h"

enum { PIXELS = 64, VISIBILITIES = 1500 };
static const double scale = 1e-4;

static int set_up(void **state) {
    static const direct_place source[] = {{0.0031, -0.0012, 1}, {-0.0022, 0.0028, 2}, {0, 0, 0.5}};
    static direct_data data;
    if (!direct_data_make(VISIBILITIES, 4000, 0, 0, 1, &data)) return -1;
    direct_observe(&data, 3, source);
    *state = &data;
    return 0;
}

static int tear_down(void **state) {
    direct_data_free(*state);
    return 0;
}

/* Every pixel, the edges included. */
static void every_pixel_is_the_direct_sum(void **state) {
    static double image[PIXELS * PIXELS], want[PIXELS * PIXELS];
    static direct_place place[PIXELS * PIXELS];
    const direct_data *data = *state;
    const grid_job j = {.size = PIXELS, .scale = scale, .run = {.threads = 2, .forget = true}};
    grid_tally tally;
    double weight = 0;
    gridded_image(&grid_simple, &j, 1, &data->batch, image, &tally);
    for (int i = 0; i < PIXELS * PIXELS; i++) {
        place[i].l = (i % PIXELS - PIXELS / 2) * scale;
        place[i].m = (double)(i / PIXELS - PIXELS / 2) * scale;
    }
    direct_sum(&data->batch, NULL, true, PIXELS * PIXELS, place, want);
    const double error = direct_error(PIXELS * PIXELS, image, want);
    print_message("relative rms error %.2g\n", error);
    assert_true(
        error <
        1.4e-4); /* 1.1e-4 are reached: the kernel's leak, not what tables and interpolation add */
    for (int64_t k = 0; k < data->batch.n; k++) weight += data->batch.weight[k];
    assert_int_equal(tally.gridded, VISIBILITIES);
    assert_int_equal(tally.outside, 0);
    assert_true(fabs(tally.weight - weight) < 1e-9 * weight);
}

static void no_bit_depends_on_how_it_runs(void **state) {
    static double first[PIXELS * PIXELS], other[PIXELS * PIXELS];
    const direct_data *data = *state;
    const grid_job j = {.size = PIXELS, .scale = scale, .run = {.threads = 2, .forget = true}};
    grid_tally tally;
    gridded_image(&grid_simple, &j, 1, &data->batch, first, &tally);
    for (int i = 0; i < GRIDDED_WAYS; i++) {
        gridded_image_in_way(&grid_simple, &j, &gridded_ways[i], &data->batch, other, &tally);
        assert_memory_equal(first, other, sizeof first);
    }
}

/* The grid is 80 cells wide and a kernel 7: cells 3 to 76 take visibilities. */
static void what_lies_beyond_half_a_wavelength_per_pixel_is_told_and_left_out(void **state) {
    static double image[PIXELS * PIXELS], inner[PIXELS * PIXELS];
    const double cell = 1 / (80 * scale);
    const double u[] = {39.9 * cell, 40.1 * cell, -40.1 * cell, -39.9 * cell, 0, 0, 1e300};
    const double v[] = {0, 0, 0, 0, 40.1 * cell, -40.1 * cell, 0}, w[7] = {0};
    const double vis[] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0},
                 weight[] = {1, 1, 1, 1, 1, 1, 1};
    const int32_t pair[14] = {0};
    const grid_batch b = {
        .n = 7, .u = u, .v = v, .w = w, .vis = vis, .weight = weight, .pair = pair};
    const grid_job j = {.size = PIXELS, .scale = scale};
    grid_tally tally;
    (void)state;
    gridded_image(&grid_simple, &j, 1, &b, image, &tally);
    assert_int_equal(tally.grid, 80);
    assert_int_equal(tally.support_most, 7);
    assert_int_equal(tally.gridded, 2);
    assert_int_equal(tally.outside, 5);
    const double only_u[] = {39.9 * cell, -39.9 * cell};
    const grid_batch two = {
        .n = 2, .u = only_u, .v = w, .w = w, .vis = vis, .weight = weight, .pair = pair};
    gridded_image(&grid_simple, &j, 1, &two, inner, &tally);
    assert_memory_equal(image, inner, sizeof image);
}

static void jobs_that_make_no_sense_are_refused(void **state) {
    const grid_job odd = {.size = 63, .scale = scale}, wide = {.size = 64, .scale = 0.05};
    const grid_job huge = {.size = INT64_C(1) << 22, .scale = 1e-8};
    wadi_error err = {0};
    grid_gridder *g = NULL;
    (void)state;
    assert_int_equal(grid_simple.open(&odd, &g, &err), WADI_INVALID);
    assert_int_equal(grid_simple.open(&wide, &g, &err), WADI_INVALID);
    assert_int_equal(grid_simple.open(&huge, &g, &err), WADI_MEMORY);
    assert_non_null(strstr(err.msg, "no room for a grid"));
    assert_null(g);
    const grid_job many = {.size = 64, .scale = scale, .oversample = 65537};
    assert_int_equal(grid_simple.open(&many, &g, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "65537 kernels between two cells, at most 65536"));
    assert_null(g);
    const grid_job fits = {.size = 64, .scale = 0.0174}; /* 80 cells of it are 1.39 */
    assert_int_equal(grid_simple.open(&fits, &g, &err), WADI_OK);
    grid_simple.close(g);
    g = NULL;
    const grid_job too_wide = {.size = 64, .scale = 0.0176};
    assert_int_equal(grid_simple.open(&too_wide, &g, &err), WADI_INVALID);
    assert_null(g);
    grid_simple.close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pixel_is_the_direct_sum),
        cmocka_unit_test(no_bit_depends_on_how_it_runs),
        cmocka_unit_test(what_lies_beyond_half_a_wavelength_per_pixel_is_told_and_left_out),
        cmocka_unit_test(jobs_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
