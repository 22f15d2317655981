/* The method "wproj" against direct sums: the golden set with kernels of at most 31 cells and 8 places between cells, kernels of the
 * supports they need, and that no bit depends on how it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/methods.h"
#include "tests/gridding/direct.h"
#include "tests/gridding/gridded.h"

enum { PIXELS = 128, VISIBILITIES = 300, OVERSAMPLE = 8 };
static const double scale = 3e-4, step = 400, most_w = 20000, pi = 3.14159265358979323846;

static grid_job job(void) {
    return (grid_job){.size = PIXELS,
                      .scale = scale,
                      .most_w = most_w,
                      .oversample = OVERSAMPLE,
                      .w_step = step,
                      .run = {.threads = 2, .forget = true}};
}

static int set_up(void **state) {
    static const direct_place source[] = {{0.012, -0.015, 1}, {-0.0061, 0.017, 2}, {0, 0, 0.5}};
    static direct_data data;
    if (!direct_data_make(VISIBILITIES, 900, most_w, 0, 1, &data)) return -1;
    direct_observe(&data, 3, source);
    *state = &data;
    return 0;
}

static int tear_down(void **state) {
    direct_data_free(*state);
    return 0;
}

/* ---- visibilities that lie where there are kernels ---- */

static double sinc(double x) {
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

/* With nothing lost by the step between kernels what is left is what the taper leaks and supports cut off. */
static void kernels_of_their_own_supports_lose_nothing(void **state) {
    static double image[PIXELS * PIXELS], want[PIXELS * PIXELS];
    static direct_place place[PIXELS * PIXELS];
    direct_data *data = *state;
    const grid_job j = job();
    grid_tally tally;
    const double far = 160 * scale * OVERSAMPLE; /* 160 cells */
    for (int64_t k = 0; k < 2 * VISIBILITIES; k++)
        data->column[k] = rint(data->column[k] * far) / far;
    for (int64_t k = 2 * VISIBILITIES; k < 3 * VISIBILITIES; k++)
        data->column[k] = rint(data->column[k] / step) * step;
    gridded_image(&grid_wproj, &j, 1, &data->batch, image, &tally);
    assert_int_equal(tally.grid, 160);
    assert_int_equal(tally.gridded, VISIBILITIES);
    assert_int_equal(tally.support_least, 7);
    assert_true(tally.support_most > 40);
    for (int i = 0; i < PIXELS * PIXELS; i++) {
        place[i].l = (i % PIXELS - PIXELS / 2) * scale;
        place[i].m = (double)(i / PIXELS - PIXELS / 2) * scale;
        image[i] *= sinc(place[i].l / far) * sinc(place[i].m / far);
    }
    direct_sum(&data->batch, NULL, false, PIXELS * PIXELS, place, want);
    const double error = direct_error(PIXELS * PIXELS, image, want);
    print_message("relative rms error %.2g, supports to %d\n", error, tally.support_most);
    assert_true(error < 2e-3);
}

static void no_bit_depends_on_how_it_runs(void **state) {
    static double first[PIXELS * PIXELS], other[PIXELS * PIXELS];
    static const struct {
        int threads, chunk, pieces;
        wadi_schedule_option schedule;
    } way[] = {{1, 7, 1, WADI_SCHEDULE_FORCE_INSIDE},
               {2, 100, 1, WADI_SCHEDULE_FORCE_FLAT},
               {3, 0, 5, WADI_SCHEDULE_AUTO}};
    const direct_data *data = *state;
    grid_job j = job();
    grid_tally tally;
    gridded_image(&grid_wproj, &j, 1, &data->batch, first, &tally);
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        j.run.threads = way[i].threads;
        j.run.chunk = way[i].chunk;
        j.run.schedule = way[i].schedule;
        j.most_w = i == 2 ? 0 : most_w; /* the table grows */
        gridded_image(&grid_wproj, &j, way[i].pieces, &data->batch, other, &tally);
        assert_memory_equal(first, other, sizeof first);
    }
}

static void w_beyond_the_table_and_cells_beyond_the_grid_are_told(void **state) {
    static double image[PIXELS * PIXELS];
    const double u[] = {0, 0, 1500, 1500, 0}, v[5] = {0}, w[] = {0, 22000, 0, 16000, -22000};
    const double vis[10] = {1}, weight[] = {1, 2, 4, 8, 16};
    const int32_t pair[10] = {0};
    const grid_batch b = {
        .n = 5, .u = u, .v = v, .w = w, .vis = vis, .weight = weight, .pair = pair};
    const grid_job j =
        job(); /* u of 1500 is cell 72 of 80: kernels of small w fit, that of 16000 does not */
    grid_tally tally;
    (void)state;
    gridded_image(&grid_wproj, &j, 1, &b, image, &tally);
    assert_int_equal(tally.gridded, 2);
    assert_int_equal(tally.outside, 3);
    assert_true(tally.weight == 5);
}

/* ---- the golden set ---- */

/* u, v, w, re, im per line; the file's sign is the other one. */
static int64_t read_golden(const char *path, direct_data *d) {
    char command[1024], line[256];
    const int64_t all = d->batch.n;
    double *c = d->column;
    int64_t n = 0;
    (void)snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    for (; n < all && fgets(line, sizeof line, f); n++) {
        double x[5];
        char *at = line;
        for (int i = 0; i < 5; i++) x[i] = strtod(i ? at + 1 : at, &at);
        for (int i = 0; i < 3; i++) c[i * all + n] = x[i];
        c[3 * all + n] = 1;
        c[4 * all + 2 * n] = x[3];
        c[4 * all + 2 * n + 1] = -x[4];
    }
    (void)pclose(f);
    return n;
}

/* At the pixels nearest to the 121 sources; `size` pixels a side, 0.08 rad. */
static double golden_error(const direct_data *d, int support, int size) {
    enum { SOURCES = 121 };
    const double pixel = 0.08 / size, apart = sin(1.5 * pi / 180) / 5;
    const grid_job j = {.size = size,
                        .scale = pixel,
                        .most_w = 7600,
                        .support = support,
                        .oversample = 8,
                        .run = {.threads = 2}};
    direct_place place[SOURCES];
    double got[SOURCES], want[SOURCES];
    double *image = malloc((size_t)size * (size_t)size * sizeof *image);
    grid_tally tally;
    assert_non_null(image);
    gridded_image(&grid_wproj, &j, 1, &d->batch, image, &tally);
    assert_int_equal(tally.outside, 0);
    for (int i = 0; i < SOURCES; i++) {
        const double x = rint((i % 11 - 5) * apart / pixel), y = rint((i / 11 - 5) * apart / pixel);
        place[i] = (direct_place){x * pixel, y * pixel, 0};
        got[i] = image[(size / 2 + (int)y) * size + size / 2 + (int)x];
    }
    direct_sum(&d->batch, NULL, false, SOURCES, place, want);
    free(image);
    return direct_error(SOURCES, got, want);
}

static void the_golden_set_is_within_half_a_percent(void **state) {
    const char *data = getenv("WADI_TEST_DATA");
    char path[900];
    direct_data d;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/vis/vla_grid_6h/test_vla.txt.gz", data ? data : "");
    FILE *there = data ? fopen(path, "rb") : NULL;
    if (!there) {
        print_message("skipped: no golden visibilities (WADI_TEST_DATA)\n");
        skip();
    }
    (void)fclose(there);
    assert_true(direct_data_make(35100, 1, 1, 0, 1, &d));
    assert_int_equal(read_golden(path, &d), d.batch.n);
    const double cut = golden_error(&d, 31, 1600), whole = golden_error(&d, 0, 1600);
    print_message("31 cells: %.3f %%, as many as needed: %.3f %%\n", 100 * cut, 100 * whole);
    assert_true(cut < 0.005);
    assert_true(whole < cut);
    direct_data_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_their_own_supports_lose_nothing),
        cmocka_unit_test(no_bit_depends_on_how_it_runs),
        cmocka_unit_test(w_beyond_the_table_and_cells_beyond_the_grid_are_told),
        cmocka_unit_test(the_golden_set_is_within_half_a_percent),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
