/* The method "wproj" against direct sums at pixels anywhere in the image, for sources anywhere in the field: with kernels of at most 31
 * cells and 8 places between cells, and with the supports and bins it chooses; made-up visibilities and the golden set. And that no
 * bit depends on how it runs. */
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
#include "tests/open_files.h"

enum { PIXELS = 128, VISIBILITIES = 300, OVERSAMPLE = 8 };
enum { SOURCES = 12 };
static const double scale = 3e-4, most_w = 20000, pi = 3.14159265358979323846;
static const double half_percent = 0.005, own_choice = 0.0015;
static const double room =
    1.2; /* of bounds above what is reached: coefficients that are wrong show earlier than a promise breaks */

static grid_job job(void) {
    return (grid_job){.size = PIXELS,
                      .scale = scale,
                      .most_w = most_w,
                      .oversample = OVERSAMPLE,
                      .run = {.threads = 2, .forget = true}};
}

/* The same numbers in every run, 0 to below n. */
static int64_t some(uint64_t *state, int64_t n) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*state >> 33) % (uint64_t)n);
}

static double place_of(int64_t pixel, int64_t size, double of_pixel) {
    return (double)(pixel - size / 2) * of_pixel;
}

/* Sources at pixels anywhere, the edges included. */
static int set_up(void **state) {
    static direct_place source[SOURCES];
    static direct_data data;
    uint64_t random = 7;
    for (int i = 0; i < SOURCES; i++) {
        source[i].l = place_of(some(&random, PIXELS), PIXELS, scale);
        source[i].m = place_of(some(&random, PIXELS), PIXELS, scale);
        source[i].flux = 0.5 + 0.1 * i;
    }
    if (!direct_data_make(VISIBILITIES, 900, most_w, 0, 1, &data)) return -1;
    direct_observe(&data, SOURCES, source);
    *state = &data;
    return 0;
}

static int tear_down(void **state) {
    direct_data_free(*state);
    return 0;
}

/* ---- every pixel ---- */

static double error_of(const direct_data *data, const grid_job *j, grid_tally *tally) {
    static double image[PIXELS * PIXELS], want[PIXELS * PIXELS];
    static direct_place place[PIXELS * PIXELS];
    gridded_image(&grid_wproj, j, 1, &data->batch, image, tally);
    assert_int_equal(tally->grid, 160);
    assert_int_equal(tally->gridded, VISIBILITIES);
    for (int64_t i = 0; i < PIXELS * PIXELS; i++) {
        place[i].l = place_of(i % PIXELS, PIXELS, scale);
        place[i].m = place_of(i / PIXELS, PIXELS, scale);
    }
    direct_sum(&data->batch, NULL, false, PIXELS * PIXELS, place, want);
    const double error = direct_error(PIXELS * PIXELS, image, want);
    print_message("relative rms error %.3f %%, %d to %d cells, %d planes\n", 100 * error,
                  tally->support_least, tally->support_most, (int)tally->planes);
    return error;
}

static void kernels_of_their_own_supports_are_right_at_every_pixel(void **state) {
    const grid_job j = job();
    grid_tally tally;
    assert_true(error_of(*state, &j, &tally) < room * 0.00104);
    assert_int_equal(tally.support_least, 9);
    assert_true(tally.support_most > 40);
    assert_int_equal(tally.planes, 0);
}

static void a_bound_on_supports_costs_planes_and_no_accuracy(void **state) {
    static const int bound[] = {31, 15, 9}, planes[] = {2, 4, 13};
    static const double reached[] = {0.00061, 0.00038, 0.00026};
    grid_job j = job();
    grid_tally tally;
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        j.support = bound[i];
        assert_true(error_of(*state, &j, &tally) < room * reached[i]);
        assert_true(tally.support_most <= bound[i]);
        assert_int_equal(tally.planes, planes[i]);
    }
}

/* Fewer places and wider bins: the errors that wfactor.h says. */
static void places_and_bins_can_be_coarse(void **state) {
    grid_job j = job();
    grid_tally tally;
    j.oversample = 5;
    assert_true(error_of(*state, &j, &tally) < room * 0.00106);
    j.oversample = 2;
    assert_true(error_of(*state, &j, &tally) < room * 0.0086);
    j.oversample = 8;
    j.w_step = 400;
    assert_true(error_of(*state, &j, &tally) < room * 0.00424);
}

/* ---- how it runs ---- */

static void no_bit_depends_on_how_it_runs(void **state) {
    static double first[PIXELS * PIXELS], other[PIXELS * PIXELS];
    const direct_data *data = *state;
    grid_tally tally;
    for (int support = 0; support <= 31; support += 31) {
        grid_job j = job();
        j.support = support;
        gridded_image(&grid_wproj, &j, 1, &data->batch, first, &tally);
        for (int i = 0; i < GRIDDED_WAYS; i++) {
            j.most_w = i == 2 && support == 0 ? 0 : most_w; /* the table grows */
            gridded_image_in_way(&grid_wproj, &j, &gridded_ways[i], &data->batch, other, &tally);
            assert_memory_equal(first, other, sizeof first);
        }
    }
}

static void w_beyond_the_table_and_places_beyond_the_grid_are_told(void **state) {
    static double image[PIXELS * PIXELS];
    const double u[] = {0, 0, 0.49 / scale, 0.51 / scale, 0}, v[5] = {0},
                 w[] = {0, 22000, 0, 16000, -22000};
    const double vis[10] = {1}, weight[] = {1, 2, 4, 8, 16};
    const int32_t pair[10] = {0};
    const grid_batch b = {
        .n = 5, .u = u, .v = v, .w = w, .vis = vis, .weight = weight, .pair = pair};
    const grid_job j = job();
    grid_tally tally;
    (void)state;
    gridded_image(&grid_wproj, &j, 1, &b, image, &tally);
    assert_int_equal(tally.gridded, 2);
    assert_int_equal(tally.outside, 3);
    assert_true(tally.weight == 5);
}

static void kernels_that_cannot_be_are_refused(void **state) {
    static const struct {
        int support, oversample;
        wadi_status status;
        const char *says;
    } bad[] = {{7, 0, WADI_INVALID, "odd number from 9 on"},
               {30, 0, WADI_INVALID, "odd number from 9 on"},
               {0, 257, WADI_INVALID, "at most 256"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        grid_job j = job();
        grid_gridder *g = NULL;
        wadi_error err = {0};
        j.support = bad[i].support;
        j.oversample = bad[i].oversample;
        assert_int_equal(grid_wproj.open(&j, &g, &err), bad[i].status);
        assert_non_null(strstr(err.msg, bad[i].says));
        assert_null(g);
    }
    grid_job wide = {.size = 1000, .scale = 1e-3, .most_w = 700};
    wadi_error err = {0};
    grid_gridder *g = NULL;
    assert_int_equal(grid_wproj.open(&wide, &g, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "products"));
    assert_null(g);
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

/* Of two sets of pixels: those nearest to the 121 sources, and some anywhere in the image. */
typedef struct errors {
    double sources, anywhere;
} errors;

static double error_at(const direct_data *d, const double *image, int size, int n,
                       direct_place *place, const int64_t *pixel) {
    double got[200], want[200];
    for (int i = 0; i < n; i++) got[i] = image[pixel[i]];
    for (int i = 0; i < n; i++) {
        place[i].l = place_of(pixel[i] % size, size, 0.08 / size);
        place[i].m = place_of(pixel[i] / size, size, 0.08 / size);
    }
    direct_sum(&d->batch, NULL, false, n, place, want);
    return direct_error(n, got, want);
}

/* `size` pixels a side, 0.08 rad. */
static errors golden_errors(const direct_data *d, int support, int size) {
    enum { GOLDEN = 121, ANYWHERE = 200 };
    const double pixel = 0.08 / size, apart = sin(1.5 * pi / 180) / 5;
    const grid_job j = {.size = size,
                        .scale = pixel,
                        .most_w = 7600,
                        .support = support,
                        .oversample = support ? OVERSAMPLE : 0,
                        .run = {.threads = 2}};
    direct_place place[ANYWHERE];
    int64_t at[ANYWHERE];
    double *image = malloc((size_t)size * (size_t)size * sizeof *image);
    grid_tally tally;
    uint64_t random = 3;
    errors e;
    assert_non_null(image);
    gridded_image(&grid_wproj, &j, 1, &d->batch, image, &tally);
    assert_int_equal(tally.outside, 0);
    for (int i = 0; i < GOLDEN; i++) {
        const int64_t x = llrint((i % 11 - 5) * apart / pixel) + size / 2;
        at[i] = (llrint((i / 11 - 5) * apart / pixel) + size / 2) * size + x;
    }
    e.sources = error_at(d, image, size, GOLDEN, place, at);
    for (int i = 0; i < ANYWHERE; i++) at[i] = some(&random, (int64_t)size * size);
    e.anywhere = error_at(d, image, size, ANYWHERE, place, at);
    print_message("%s: %.4f %% at sources, %.4f %% anywhere\n",
                  support ? "31 cells, 8 places" : "own choice", 100 * e.sources, 100 * e.anywhere);
    free(image);
    return e;
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
    const errors bound = golden_errors(&d, 31, 1600), own = golden_errors(&d, 0, 1600);
    assert_true(bound.sources < half_percent);
    assert_true(bound.anywhere < half_percent);
    assert_true(own.sources < 2e-4);
    assert_true(own.anywhere < own_choice);
    direct_data_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(kernels_of_their_own_supports_are_right_at_every_pixel),
        cmocka_unit_test(a_bound_on_supports_costs_planes_and_no_accuracy),
        cmocka_unit_test(places_and_bins_can_be_coarse),
        cmocka_unit_test(no_bit_depends_on_how_it_runs),
        cmocka_unit_test(w_beyond_the_table_and_places_beyond_the_grid_are_told),
        cmocka_unit_test(kernels_that_cannot_be_are_refused),
        cmocka_unit_test(the_golden_set_is_within_half_a_percent),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
