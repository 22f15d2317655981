/* wstack by parts, as workers elsewhere compute them: the bits are those of gridding here, with several batches, with borders, without w, in
 * either precision; and a sum that was saved goes on with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/gridding/methods.h"
#include "sched/traits.h"
#include "tests/gridding/direct.h"

enum { SIZE = 64, VISIBILITIES = 900, BATCHES = 4 };

static const double field = 0.1; /* radians */
static const wadi_via_asked nobody = {.address = NULL};

static void check(wadi_status status, const wadi_error *err) {
    if (status != WADI_OK) fail_msg("%s", err->msg);
}

static grid_job job_of(double epsilon) {
    return (grid_job){.size = SIZE, .scale = field / SIZE, .epsilon = epsilon};
}

/* Up to the borders of the grid, so that kernels reach over them. */
static direct_data observation(double most_w) {
    static const direct_place source[] = {{0.031, -0.022, 1}, {-0.0495, 0.0495, 0.7}};
    direct_data d;
    assert_true(direct_data_make(VISIBILITIES, 0.5 * SIZE / field, most_w, 0, 5, &d));
    direct_observe(&d, 2, source);
    return d;
}

static grid_batch part_of(const grid_batch *b, int i) {
    const int64_t from = b->n * i * i / (BATCHES * BATCHES),
                  to = b->n * (i + 1) * (i + 1) / (BATCHES * BATCHES);
    return (grid_batch){.n = to - from,
                        .u = b->u + from,
                        .v = b->v + from,
                        .w = b->w + from,
                        .vis = b->vis + 2 * from,
                        .weight = b->weight + from};
}

static grid_tally grid_parts(const grid_job *job, const grid_batch *all, int from, int to,
                             double *image) {
    wadi_error err = {0};
    grid_gridder *g = NULL;
    grid_tally tally = {0};
    check(grid_wstack.open(job, &g, &err), &err);
    for (int i = from; i < to; i++) {
        const grid_batch part = part_of(all, i);
        check(grid_wstack.add(g, &part, &err), &err);
    }
    check(grid_wstack.image(g, image, &err), &err);
    grid_wstack.tell(g, &tally);
    grid_wstack.close(g);
    return tally;
}

static void assert_same(const double *a, const double *b) {
    assert_memory_equal(a, b, SIZE * SIZE * sizeof *a);
}

/* epsilon 1e-4 is single precision, 1e-9 double; without w there is one plane. */
static void parts_have_the_bits_of_batches(void **state) {
    (void)state;
    static const double epsilon[] = {1e-4, 1e-9}, most_w[] = {1500, 1e-9};
    static double here[SIZE * SIZE], there[SIZE * SIZE];
    for (int c = 0; c < 4; c++) {
        direct_data d = observation(most_w[c / 2]);
        grid_job job = job_of(epsilon[c % 2]);
        job.most_w = most_w[c / 2];
        const grid_tally one = grid_parts(&job, &d.batch, 0, BATCHES, here);
        for (int schedule = WADI_SCHEDULE_AUTO; schedule <= WADI_SCHEDULE_FORCE_FLAT; schedule++) {
            for (int threads = 1; threads <= 2; threads++) {
                job.via = &nobody;
                job.run.threads = threads;
                job.run.schedule = (wadi_schedule_option)schedule;
                const grid_tally two = grid_parts(&job, &d.batch, 0, BATCHES, there);
                assert_same(here, there);
                assert_int_equal(one.gridded, two.gridded);
                assert_int_equal(one.planes, two.planes);
                assert_true(one.weight == two.weight);
            }
        }
        direct_data_free(&d);
    }
}

/* ---- a sum that is saved ---- */

static void open_saved(const char *dir, const char *fact, int64_t pixels, grid_saved **out,
                       wadi_status want) {
    wadi_error err = {0};
    wadi_text facts = {0};
    wadi_traits_put(&facts, "another fact", "", fact);
    wadi_traits_end(&facts);
    check(grid_saved_open(dir, 0, out, &err), &err);
    assert_int_equal(grid_saved_begin(*out, &facts, pixels, &err), want);
    wadi_text_fini(&facts);
}

static void parts_that_are_saved_are_not_added_again(void **state) {
    (void)state;
    static double want[SIZE * SIZE], got[SIZE * SIZE];
    char dir[] = "/tmp/wadi-saved-XXXXXX";
    direct_data d = observation(1500);
    grid_job job = job_of(1e-4);
    job.most_w = 1500;
    (void)grid_parts(&job, &d.batch, 0, BATCHES, want);
    assert_non_null(mkdtemp(dir));
    for (int via = 0; via < 2; via++) {
        grid_saved *saved = NULL;
        job.via = via ? &nobody : NULL;
        open_saved(dir, "this", SIZE * SIZE, &saved, WADI_OK);
        assert_int_equal(grid_saved_parts(saved), 0);
        job.saved = saved;
        (void)grid_parts(&job, &d.batch, 0, 2, got);
        grid_saved_close(saved, false);
        open_saved(dir, "other", SIZE * SIZE, &saved, WADI_INVALID);
        grid_saved_close(saved, false);
        open_saved(dir, "this", SIZE * SIZE + 1, &saved, WADI_IO);
        grid_saved_close(saved, false);
        open_saved(dir, "this", SIZE * SIZE, &saved, WADI_OK);
        assert_int_equal(grid_saved_parts(saved), 2);
        job.saved = saved;
        (void)grid_parts(&job, &d.batch, 0, 3, got); /* one more */
        grid_saved_close(saved, false);
        open_saved(dir, "this", SIZE * SIZE, &saved, WADI_OK);
        assert_int_equal(grid_saved_parts(saved), 3);
        job.saved = saved;
        const grid_tally tally = grid_parts(&job, &d.batch, 0, BATCHES, got);
        assert_int_equal(tally.gridded, VISIBILITIES);
        assert_same(want, got);
        grid_saved_close(saved, true);
        assert_int_equal(access(dir, F_OK), -1); /* nothing else was in it */
        assert_int_equal(mkdir(dir, 0700), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    direct_data_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_bits_of_batches),
        cmocka_unit_test(parts_that_are_saved_are_not_added_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
