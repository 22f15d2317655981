/* wstack against direct Fourier sums: the error is below the accuracy asked for, whatever the accuracy, the sources and the batches.
 * Only the data and the job decide the bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/methods.h"
#include "tests/gridding/direct.h"

enum { SIZE = 128, VISIBILITIES = 2000, PLACES = 300, FEW_PLACES = 80 };

static const double field = 0.1; /* radians */

static grid_job job_of(double epsilon) {
    return (grid_job){.size = SIZE, .scale = field / SIZE, .epsilon = epsilon};
}

static double *new_image(const grid_job *job) {
    double *image = calloc((size_t)(job->size * job->size), sizeof *image);
    assert_non_null(image);
    return image;
}

static void check(wadi_status status, const wadi_error *err) {
    if (status != WADI_OK) fail_msg("%s", err->msg);
}

/* All batches into one image. */
static grid_tally grid(const grid_job *job, int batches, const grid_batch *batch, double *image) {
    wadi_error err = {0};
    grid_gridder *g = NULL;
    grid_tally tally = {0};
    check(grid_wstack.open(job, &g, &err), &err);
    for (int i = 0; i < batches; i++) check(grid_wstack.add(g, &batch[i], &err), &err);
    check(grid_wstack.image(g, image, &err), &err);
    grid_wstack.tell(g, &tally);
    grid_wstack.close(g);
    return tally;
}

/* Visibilities of sources anywhere in the field, as far out as the kernels allow. */
static direct_data observation(unsigned seed, double most_w) {
    static const direct_place source[] = {{0.031, -0.022, 1},  {-0.0495, 0.0495, 0.7},
                                          {0, 0, 0.3},         {0.012, 0.047, 2},
                                          {-0.04, -0.01, 0.5}, {0.0493, -0.0491, 1.5}};
    direct_data d;
    assert_true(direct_data_make(VISIBILITIES, 0.4 * SIZE / field, most_w, 0, seed, &d));
    direct_observe(&d, (int)(sizeof source / sizeof *source), source);
    return d;
}

/* At some pixels, of which the suite at full length takes more. */
static double error_of(const grid_job *job, const grid_batch *batch, const double *image) {
    const int places = getenv("WADI_TEST_ALL") != NULL ? PLACES : FEW_PLACES;
    double got[PLACES], want[PLACES];
    direct_place place[PLACES];
    unsigned state = 1;
    for (int i = 0; i < places; i++) {
        int64_t at[2];
        for (int d = 0; d < 2; d++) {
            state = state * 1103515245u + 12345u;
            at[d] = (int64_t)(state >> 8) % job->size;
            if (i < 4) at[d] = (i >> d & 1) * (job->size - 1); /* the corners */
        }
        const double middle = (double)(job->size / 2);
        place[i] = (direct_place){((double)at[0] - middle) * job->scale,
                                  ((double)at[1] - middle) * job->scale, 1};
        got[i] = image[at[1] * job->size + at[0]];
    }
    direct_sum(batch, NULL, false, places, place, want);
    return direct_error(places, got, want);
}

static void assert_accurate(double epsilon, double most_w, direct_data *d) {
    grid_job job = job_of(epsilon);
    job.most_w = most_w;
    double *image = new_image(&job);
    const grid_tally tally = grid(&job, 1, &d->batch, image);
    const double error = error_of(&job, &d->batch, image);
    assert_int_equal(tally.gridded, VISIBILITIES);
    assert_int_equal(tally.outside, 0);
    if (!(error <= epsilon)) fail_msg("%g asked for, %g got", epsilon, error);
    free(image);
}

/* ---- accuracy ---- */

static void accuracy_is_kept_from_two_digits_to_twelve(void **state) {
    (void)state;
    direct_data d = observation(1, 3000);
    for (int digits = 2; digits <= 12; digits++) assert_accurate(pow(10, -digits), 0, &d);
    direct_data_free(&d);
}

/* Nothing cancels in the field and nothing adds up: errors show in full. */
static void noise_is_gridded_as_accurately_as_sources(void **state) {
    (void)state;
    direct_data d = observation(2, 3000);
    double *vis = d.column + 4 * VISIBILITIES;
    unsigned seed = 3;
    for (int i = 0; i < 2 * VISIBILITIES; i++) {
        seed = seed * 1103515245u + 12345u;
        vis[i] = (double)(seed >> 8) / (1 << 23) - 1;
    }
    for (int digits = 3; digits <= 9; digits += 2) assert_accurate(pow(10, -digits), 0, &d);
    direct_data_free(&d);
}

static void few_planes_and_none_are_as_accurate_as_many(void **state) {
    (void)state;
    static const double most_w[] = {0, 1e-9, 1, 50};
    for (int i = 0; i < 4; i++) {
        direct_data d = observation(4, most_w[i]);
        for (int known = 0; known < 2; known++) {
            assert_accurate(1e-5, known ? most_w[i] : 0, &d);
            assert_accurate(1e-9, known ? most_w[i] : 0, &d);
        }
        direct_data_free(&d);
    }
}

/* |w| so small that one plane without a kernel in w does, and a little more. The field's n - 1 is 0.0025 deep. */
static void one_plane_is_taken_only_where_it_is_accurate(void **state) {
    (void)state;
    static const double times[] = {0.5, 0.99, 1.01, 20, 90};
    const double reach = 0.1 / (4 * acos(-1) * 0.00125);
    for (int i = 0; i < (int)(sizeof times / sizeof *times); i++) {
        for (int digits = 3; digits <= 6; digits += 3) {
            const double epsilon = pow(10, -digits), most_w = times[i] * reach * epsilon;
            direct_data d = observation(7, most_w);
            assert_accurate(epsilon, most_w, &d);
            direct_data_free(&d);
        }
    }
}

/* Low frequencies, short baselines, all of the sky but its rim: every pixel, with more than half of epsilon to spare for skies that are
 * worse. Kernels that each leak 0.35 of epsilon reach 0.5 here. */
static void a_wide_field_leaves_a_margin(void **state) {
    (void)state;
    enum { PIXELS = 64, N = 400 };
    static double want[PIXELS * PIXELS];
    static direct_place place[PIXELS * PIXELS];
    static const direct_place edges[] = {
        {0.58, 0.58, 1}, {-0.59, 0.57, 1}, {0.59, -0.1, 1}, {-0.3, -0.59, 1}};
    for (unsigned seed = 1; seed <= 3; seed++) {
        direct_data d;
        assert_true(direct_data_make(N, 20, 25, 0, seed, &d));
        direct_observe(&d, 4, edges);
        for (int digits = 2; digits <= 8; digits++) {
            grid_job job = {.size = PIXELS, .scale = 1.2 / PIXELS, .epsilon = pow(10, -digits)};
            double *image = new_image(&job);
            (void)grid(&job, 1, &d.batch, image);
            for (int i = 0; i < PIXELS * PIXELS; i++)
                place[i] = (direct_place){(i % PIXELS - PIXELS / 2) * job.scale,
                                          (double)(i / PIXELS - PIXELS / 2) * job.scale, 0};
            direct_sum(&d.batch, NULL, false, PIXELS * PIXELS, place, want);
            const double error = direct_error(PIXELS * PIXELS, image, want);
            print_message("seed %u: %.2f of %g\n", seed, error / job.epsilon, job.epsilon);
            assert_true(error < 0.45 * job.epsilon);
            free(image);
        }
        direct_data_free(&d);
    }
}

static void a_field_up_to_the_horizon_is_imaged(void **state) {
    (void)state;
    direct_data d;
    assert_true(direct_data_make(500, 20, 20, 0, 5, &d));
    direct_observe(&d, 1, &(direct_place){0.6, -0.5, 1});
    const grid_job job = {.size = 100, .scale = 0.014, .epsilon = 1e-6};
    double *image = new_image(&job);
    (void)grid(&job, 1, &d.batch, image);
    assert_true(error_of(&job, &d.batch, image) <= 1e-6);
    free(image);
    direct_data_free(&d);
}

/* ---- the same image ---- */

static void assert_same_bits(const double *a, const double *b, const grid_job *job) {
    assert_memory_equal(a, b, (size_t)(job->size * job->size) * sizeof *a);
}

static void threads_chunks_schedules_and_memory_do_not_change_a_bit(void **state) {
    (void)state;
    static const wadi_run_options options[] = {
        {.threads = 2},
        {.threads = 2, .chunk = 1},
        {.threads = 1, .chunk = 3},
        {.threads = 3, .schedule = WADI_SCHEDULE_FORCE_FLAT},
        {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE, .chunk = 5},
        {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_ACROSS},
        {.threads = 2, .memory = 12 << 20},
    };
    direct_data d = observation(6, 3000);
    for (int digits = 4; digits <= 8; digits += 4) {
        grid_job job = job_of(pow(10, -digits));
        double *want = new_image(&job), *got = new_image(&job);
        job.run.threads = 1;
        (void)grid(&job, 1, &d.batch, want);
        for (int i = 0; i < (int)(sizeof options / sizeof *options); i++) {
            job.run = options[i];
            (void)grid(&job, 1, &d.batch, got);
            assert_same_bits(got, want, &job);
        }
        free(want);
        free(got);
    }
    direct_data_free(&d);
}

static grid_batch part_of(const grid_batch *b, int64_t from, int64_t below) {
    grid_batch part = *b;
    part.n = below - from;
    part.u += from, part.v += from, part.w += from, part.weight += from;
    part.vis += 2 * from, part.pair += 2 * from, part.time += from, part.frequency += from;
    return part;
}

static void several_batches_make_the_image_of_one(void **state) {
    (void)state;
    direct_data d = observation(7, 3000);
    const grid_job job = job_of(1e-10);
    const grid_batch parts[] = {part_of(&d.batch, 0, 1), part_of(&d.batch, 1, 1),
                                part_of(&d.batch, 1, 1200), part_of(&d.batch, 1200, VISIBILITIES)};
    double *one = new_image(&job), *several = new_image(&job);
    (void)grid(&job, 1, &d.batch, one);
    const grid_tally tally = grid(&job, 4, parts, several);
    assert_int_equal(tally.gridded, VISIBILITIES);
    assert_true(direct_error(SIZE * SIZE, several, one) <= 1e-10);
    free(one);
    free(several);
    direct_data_free(&d);
}

/* What comes first tells little of what follows when the largest |w| is not known. */
static void a_batch_without_w_may_come_first(void **state) {
    (void)state;
    const grid_job job = job_of(1e-5);
    direct_data d = observation(8, 3000), flat = observation(8, 3000);
    double *image = new_image(&job), *other = new_image(&job);
    for (int turn = 0; turn < 2; turn++) {
        const int64_t half = VISIBILITIES / 2;
        double *w = flat.column + 2 * VISIBILITIES;
        memcpy(w, d.batch.w, VISIBILITIES * sizeof *w);
        memset(w + turn * half, 0, (size_t)half * sizeof *w);
        assert_ptr_equal(w, flat.batch.w);
        const grid_batch parts[] = {part_of(&flat.batch, 0, half),
                                    part_of(&flat.batch, half, VISIBILITIES)};
        const grid_tally tally = grid(&job, 2, parts, image);
        const grid_tally deep = grid(&job, 1, &parts[1 - turn], other);
        assert_int_equal(tally.gridded, VISIBILITIES);
        assert_true(turn == 0 || tally.planes == deep.planes);
        assert_true(tally.planes > 1);
        assert_true(error_of(&job, &flat.batch, image) <= 1e-5);
    }
    free(image);
    free(other);
    direct_data_free(&flat);
    direct_data_free(&d);
}

static void looking_at_the_image_does_not_change_it(void **state) {
    (void)state;
    wadi_error err = {0};
    grid_gridder *g = NULL;
    direct_data d = observation(8, 1000);
    const grid_job job = job_of(1e-6);
    const grid_batch parts[] = {part_of(&d.batch, 0, 700), part_of(&d.batch, 700, VISIBILITIES)};
    double *want = new_image(&job), *got = new_image(&job);
    (void)grid(&job, 2, parts, want);
    check(grid_wstack.open(&job, &g, &err), &err);
    check(grid_wstack.image(g, got, &err), &err);
    for (int i = 0; i < SIZE * SIZE; i++) assert_true(got[i] == 0);
    for (int i = 0; i < 2; i++) {
        check(grid_wstack.add(g, &parts[i], &err), &err);
        check(grid_wstack.image(g, got, &err), &err);
    }
    grid_wstack.close(g);
    assert_same_bits(got, want, &job);
    free(want);
    free(got);
    direct_data_free(&d);
}

/* ---- what is left out, what is refused ---- */

static void visibilities_off_the_grid_are_counted_and_left_out(void **state) {
    (void)state;
    direct_data d = observation(9, 1000);
    const grid_job job = job_of(1e-5);
    double *want = new_image(&job), *got = new_image(&job);
    const grid_batch all = d.batch, rest = part_of(&d.batch, 3, VISIBILITIES);
    d.column[0] = 0.6 * SIZE / field;                  /* u */
    d.column[VISIBILITIES + 1] = -0.51 * SIZE / field; /* v */
    d.column[2 * VISIBILITIES + 2] = 1e300;            /* w */
    const grid_tally tally = grid(&job, 1, &all, got);
    assert_int_equal(tally.outside, 3);
    assert_int_equal(tally.gridded, VISIBILITIES - 3);
    (void)grid(&job, 1, &rest, want);
    assert_true(direct_error(SIZE * SIZE, got, want) <= 1e-5);
    free(want);
    free(got);
    direct_data_free(&d);
}

static void assert_refused(grid_job job, wadi_status want) {
    wadi_error err = {0};
    grid_gridder *g = NULL;
    assert_int_equal(grid_wstack.open(&job, &g, &err), want);
    assert_null(g);
    assert_true(err.msg[0] != '\0');
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    grid_job job = job_of(1e-20);
    assert_refused(job, WADI_UNSUPPORTED);
    job = job_of(0);
    assert_refused(job, WADI_INVALID);
    job = job_of(1e-3);
    job.size = 101;
    assert_refused(job, WADI_INVALID);
    job = job_of(1e-3);
    job.size = 1 << 16;
    job.run.memory = 64 << 20;
    assert_refused(job, WADI_MEMORY);
}

/* ---- real data ---- */

/* u, v, w, re, im per line; the file's sign is the other one. */
static int64_t read_golden(const char *path, direct_data *d) {
    char command[1024], line[256];
    double *c = d->column;
    int64_t n = 0;
    (void)snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (n < d->batch.n && fgets(line, sizeof line, f)) {
        double x[5];
        char *at = line;
        for (int i = 0; i < 5; i++) x[i] = strtod(i ? at + 1 : at, &at);
        for (int i = 0; i < 3; i++) c[i * d->batch.n + n] = x[i];
        c[3 * d->batch.n + n] = 1;
        c[4 * d->batch.n + 2 * n] = x[3];
        c[4 * d->batch.n + 2 * n + 1] = -x[4];
        n++;
    }
    (void)pclose(f);
    return n;
}

static void the_golden_set_is_imaged_as_accurately_as_asked(void **state) {
    (void)state;
    static const double asked[] = {1e-3, 1e-7};
    const char *data = getenv("WADI_TEST_DATA");
    char path[900];
    (void)snprintf(path, sizeof path, "%s/vis/vla_grid_6h/test_vla.txt.gz", data ? data : "");
    FILE *there = data ? fopen(path, "rb") : NULL;
    if (!there) {
        print_message("skipped: no golden visibilities (WADI_TEST_DATA)\n");
        skip();
    }
    (void)fclose(there);
    direct_data d;
    assert_true(direct_data_make(35100, 1, 1, 0, 1, &d));
    assert_int_equal(read_golden(path, &d), d.batch.n);
    for (int i = 0; i < 2; i++) {
        const grid_job job = {.size = 1600, .scale = 0.08 / 1600, .epsilon = asked[i]};
        double *image = new_image(&job);
        const grid_tally tally = grid(&job, 1, &d.batch, image);
        assert_int_equal(tally.outside, 0);
        assert_true(error_of(&job, &d.batch, image) <= asked[i]);
        free(image);
    }
    direct_data_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_is_kept_from_two_digits_to_twelve),
        cmocka_unit_test(noise_is_gridded_as_accurately_as_sources),
        cmocka_unit_test(few_planes_and_none_are_as_accurate_as_many),
        cmocka_unit_test(one_plane_is_taken_only_where_it_is_accurate),
        cmocka_unit_test(a_wide_field_leaves_a_margin),
        cmocka_unit_test(a_field_up_to_the_horizon_is_imaged),
        cmocka_unit_test(threads_chunks_schedules_and_memory_do_not_change_a_bit),
        cmocka_unit_test(several_batches_make_the_image_of_one),
        cmocka_unit_test(a_batch_without_w_may_come_first),
        cmocka_unit_test(looking_at_the_image_does_not_change_it),
        cmocka_unit_test(visibilities_off_the_grid_are_counted_and_left_out),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_golden_set_is_imaged_as_accurately_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
