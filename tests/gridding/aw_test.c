/* The method "aw" against direct sums with A-terms: with six transforms for each visibility and with one, by the library and by the
 * language. Also where the two forms differ, and that nothing else changes a bit. */
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

enum {
    PIXELS = 96,
    CELLS = 120,
    ANTENNAS = 6,
    SIDE = 15,
    SAMPLES = 120,
    VISIBILITIES = 400,
    OVERSAMPLE = 8
};
static const double scale = 2e-4, step = 100, most_w = 900, pi = 3.14159265358979323846;

static double aterm_values[ANTENNAS * SIDE * SIDE * 2];
static grid_aterms aterms = {ANTENNAS, SIDE, CELLS * 2e-4, aterm_values};
static direct_data data;
static direct_place place[SAMPLES];
static int pixel[SAMPLES];

/* ---- what is gridded ---- */

/* A-terms whose kernels reach `reach` cells from the middle: the antenna's own complex numbers, around 1. */
static void make_aterms(int reach, double size) {
    memset(aterm_values, 0, sizeof aterm_values);
    for (int a = 0; a < ANTENNAS; a++) {
        for (int i = -reach; i <= reach; i++) {
            for (int j = -reach; j <= reach; j++) {
                double *z = aterm_values + 2 * ((a * SIDE + i + SIDE / 2) * SIDE + j + SIDE / 2);
                z[0] = size * sin(1 + 7 * a + 3 * i + 5 * j) + (i == 0 && j == 0);
                z[1] = size * cos(2 + 5 * a + 2 * i + 3 * j);
            }
        }
    }
}

/* All visibilities lie where there are kernels: at places between cells, and in the middle of bins of w. */
static void move_to_kernels(direct_data *d) {
    const double places = CELLS * scale * OVERSAMPLE;
    for (int64_t k = 0; k < 2 * d->batch.n; k++)
        d->column[k] = rint(d->column[k] * places) / places;
    for (int64_t k = 0; k < d->batch.n; k++)
        d->column[2 * d->batch.n + k] = rint(d->column[2 * d->batch.n + k] / step) * step;
}

static int set_up(void **state) {
    static const direct_place source[] = {{0.0031, -0.0042, 1}, {-0.0061, 0.0017, 2}, {0, 0, 0.5}};
    (void)state;
    if (!direct_data_make(VISIBILITIES, 1700, most_w, ANTENNAS, 1, &data)) return -1;
    move_to_kernels(&data);
    direct_observe(&data, 3, source);
    for (int i = 0; i < SAMPLES; i++) {
        const int x = i * 37 % PIXELS, y = i * 59 % PIXELS;
        place[i] = (direct_place){(x - PIXELS / 2) * scale, (y - PIXELS / 2) * scale, 0};
        pixel[i] = y * PIXELS + x;
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    direct_data_free(&data);
    return 0;
}

static grid_job job(bool hoisted, bool own) {
    return (grid_job){.size = PIXELS,
                      .scale = scale,
                      .most_w = most_w,
                      .oversample = OVERSAMPLE,
                      .w_step = step,
                      .hoisted = hoisted,
                      .own_fft = own,
                      .aterms = &aterms,
                      .run = {.threads = 2, .forget = true}};
}

static double sinc(double x) {
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

/* The image makes up for visibilities being moved to the nearest kernel; these are not, so it has a little too much. */
static double error_of(const grid_job *j) {
    static double image[PIXELS * PIXELS];
    double got[SAMPLES], want[SAMPLES];
    grid_tally tally = {0};
    gridded_image(&grid_aw, j, 1, &data.batch, image, &tally);
    assert_int_equal(tally.gridded, VISIBILITIES);
    assert_int_equal(tally.outside, 0);
    direct_sum(&data.batch, j->aterms, false, SAMPLES, place, want);
    for (int i = 0; i < SAMPLES; i++) {
        const double far = CELLS * scale * OVERSAMPLE;
        got[i] = image[pixel[i]] * sinc(place[i].l / far) * sinc(place[i].m / far);
    }
    return direct_error(SAMPLES, got, want);
}

/* ---- tests ---- */

static void every_form_agrees_with_the_direct_sum(void **state) {
    (void)state;
    make_aterms(2, 0.02);
    for (int form = 0; form < 4; form++) {
        const grid_job j = job(form & 1, form & 2);
        const double error = error_of(&j);
        print_message("hoisted %d, own %d: %.3g\n", form & 1, form / 2, error);
        assert_true(error < 2.2e-4);
    }
}

/* Kernels of A that fill all of their cells: A1 * A2 has tails beyond them. W's support takes them all. */
static void only_six_transforms_cut_the_tails_of_the_a_kernels_convolution(void **state) {
    (void)state;
    make_aterms(SIDE / 2, 0.01);
    grid_job six = job(false, true), one = job(true, true);
    six.support = one.support = 35;
    const double error_six = error_of(&six), error_one = error_of(&one);
    print_message("six %.3g, one %.3g\n", error_six, error_one);
    assert_true(error_one < 3e-4);
    assert_true(error_six > 5 * error_one && error_six < 0.05);
}

/* Without A-terms, and with such that change nothing, for antennas known and unknown. */
static void no_aterms_are_aterms_of_one(void **state) {
    (void)state;
    make_aterms(0, 0);
    grid_job with = job(true, true), without = job(true, true);
    without.aterms = NULL;
    assert_true(error_of(&with) < 3e-4);
    assert_true(error_of(&without) < 3e-4);
}

/* Chunks, threads and schedules; the language's own transforms, which have the same bits for any batch. */
static void no_bit_depends_on_how_it_runs(void **state) {
    static double first[PIXELS * PIXELS], other[PIXELS * PIXELS];
    static const struct {
        int threads, chunk;
        wadi_schedule_option schedule;
    } way[] = {{1, 7, WADI_SCHEDULE_FORCE_INSIDE},
               {2, 400, WADI_SCHEDULE_FORCE_FLAT},
               {2, 64, WADI_SCHEDULE_FORCE_FLAT},
               {3, 0, WADI_SCHEDULE_AUTO}};
    grid_tally tally, again;
    (void)state;
    make_aterms(SIDE / 2, 0.001);
    for (int hoisted = 0; hoisted < 2; hoisted++) {
        grid_job j = job(hoisted == 1, true);
        gridded_image(&grid_aw, &j, 1, &data.batch, first, &tally);
        for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
            j.run.threads = way[i].threads;
            j.run.chunk = way[i].chunk;
            j.run.schedule = way[i].schedule;
            gridded_image(&grid_aw, &j, 1, &data.batch, other, &again);
            assert_memory_equal(first, other, sizeof first);
            assert_true(tally.weight == again.weight);
        }
    }
}

static void unknown_antennas_and_far_cells_are_told_as_outside(void **state) {
    static double image[PIXELS * PIXELS];
    const double w[] = {0, 0, 0, 2 * most_w}, u[] = {100, 100, 1e7, 100};
    const double v[] = {0, 0, 0, 0}, vis[] = {1, 0, 1, 0, 1, 0, 1, 0}, weight[] = {1, 2, 4, 8};
    const int32_t pair[] = {0, 1, -1, 0, 0, 1, 0, ANTENNAS - 1};
    const grid_batch b = {
        .n = 4, .u = u, .v = v, .w = w, .vis = vis, .weight = weight, .pair = pair};
    const grid_job j = job(true, true);
    grid_tally tally;
    (void)state;
    gridded_image(&grid_aw, &j, 1, &b, image, &tally);
    assert_int_equal(tally.gridded, 1);
    assert_int_equal(tally.outside, 3);
    assert_true(tally.weight == 1);
}

/* A stream tells no largest w: tables grow, and several batches make the image of one. */
static void the_table_of_a_stream_grows(void **state) {
    static double whole[PIXELS * PIXELS], parts[PIXELS * PIXELS];
    grid_tally tally;
    (void)state;
    make_aterms(2, 0.02);
    grid_job j = job(true, true);
    gridded_image(&grid_aw, &j, 1, &data.batch, whole, &tally);
    j.most_w = 0;
    gridded_image(&grid_aw, &j, VISIBILITIES / 100, &data.batch, parts, &tally);
    assert_memory_equal(whole, parts, sizeof whole);
}

static void aterms_of_another_field_are_refused(void **state) {
    wadi_error err = {0};
    grid_gridder *g = NULL;
    grid_aterms other = aterms;
    grid_job j = job(true, true);
    (void)state;
    j.aterms = &other;
    other.theta = aterms.theta * 1.003;
    assert_int_equal(grid_aw.open(&j, &g, &err), WADI_INVALID);
    other.theta = (PIXELS - 2) * scale;
    assert_int_equal(grid_aw.open(&j, &g, &err), WADI_INVALID);
    assert_null(g);
}

static void kernels_have_bounds(void **state) {
    (void)state;
    static const struct {
        int oversample, support;
        wadi_status status;
        const char *says;
    } cases[] = {{64, 15, WADI_OK, ""},
                 {65, 15, WADI_INVALID, "65 kernels between two cells, at most 64"},
                 {8, 4, WADI_INVALID, "kernels of 4 cells, expected an odd number"},
                 {8, 1, WADI_INVALID, "kernels of 1 cells, expected an odd number"},
                 {8, 4095, WADI_UNSUPPORTED, "kernels of 4095 cells"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_error err = {0};
        grid_gridder *g = NULL;
        grid_job j = job(true, true);
        j.oversample = cases[i].oversample;
        j.support = cases[i].support;
        assert_int_equal(grid_aw.open(&j, &g, &err), cases[i].status);
        if (strstr(err.msg, cases[i].says) == NULL) fail_msg("case %zu: %s", i, err.msg);
        grid_aw.close(g);
    }
}

/* Those of w reach w times the slope at the edge of the grid's field, in cells, beyond the taper's three and a half; those of A half of
 * their size beyond that. Fifteen are the least. */
static void kernels_are_as_wide_as_w_and_a_terms_want(void **state) {
    (void)state;
    static const double most[] = {900, 20000};
    for (int i = 0; i < 4; i++) {
        grid_job j = job(true, true);
        grid_gridder *g = NULL;
        grid_tally tally;
        j.most_w = most[i / 2];
        j.w_step = 1000;
        j.oversample = 1;
        if (i % 2) j.aterms = NULL;
        const double theta = CELLS * scale, corner = PIXELS / 2 * scale;
        const double reach = 3.5 + j.most_w * theta / 2 / sqrt(1 - 2 * corner * corner) * theta;
        int want = 2 * (int)ceil(reach) - 1 + (i % 2 ? 0 : SIDE / 2);
        want += want % 2 == 0;
        assert_int_equal(grid_aw.open(&j, &g, NULL), WADI_OK);
        grid_aw.tell(g, &tally);
        assert_int_equal(tally.support_most, want > 15 ? want : 15);
        assert_int_equal(tally.support_least, tally.support_most);
        grid_aw.close(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_agrees_with_the_direct_sum),
        cmocka_unit_test(only_six_transforms_cut_the_tails_of_the_a_kernels_convolution),
        cmocka_unit_test(no_aterms_are_aterms_of_one),
        cmocka_unit_test(no_bit_depends_on_how_it_runs),
        cmocka_unit_test(unknown_antennas_and_far_cells_are_told_as_outside),
        cmocka_unit_test(the_table_of_a_stream_grows),
        cmocka_unit_test(aterms_of_another_field_are_refused),
        cmocka_unit_test(kernels_have_bounds),
        cmocka_unit_test(kernels_are_as_wide_as_w_and_a_terms_want),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
