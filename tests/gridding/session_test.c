/* Images while visibilities arrive, if neither size nor scale is given. The test makes the rows and sends the next ones when it has
 * seen an image of those before. The last image must be that of a session that has all rows from the start. */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/session.h"
#include "base/clock.h"
#include "base/error.h"
#include "connectors/visibility.h"
#include "tests/open_files.h"

enum { ROWS = 600, FIRST = 200 }; /* rows before the first image; longer baselines follow */

enum { CHANNELS = 3 };                 /* at most */
static const double light = 299792458; /* a metre is a wavelength */
static const double frequency[CHANNELS] = {299792458, 149896229, 599584916};
static const int stokes[1] = {WADI_STOKES_I};
static const double patience_s = 60;

/* What a session is made of, and what it showed. */
typedef struct stage {
    wadi_vis vis;
    grid_options options;
    grid_take take;
    int64_t taken;   /* channels */
    int64_t wait_at; /* rows before it must have been shown; 0: none */
    double growth;   /* of the baselines from wait_at on */
    double depth;    /* of w */
    int grows;       /* along 0 or 1 alone; -1: along all */
    bool stares;     /* whether what has been shown is shown again */
    atomic_int shown, images;
    grid_session *session;
    grid_account first, last; /* of what was shown */
    double *first_image;
    bool keeps;         /* the image of all rows as well, */
    double *last_image; /* here */
    bool late;          /* nothing was shown in time */
    bool again;         /* something was shown twice */
} stage;

static double uvw(const stage *t, int64_t row, int d) {
    const double angle = 0.7 * (double)row, length = 30 + (double)(row % 97);
    const double on_sky[3] = {cos(angle), sin(angle), t->depth * sin(0.31 * (double)row)};
    const bool grows = row >= FIRST && (t->grows < 0 || t->grows == d);
    return on_sky[d] * length * (grows ? t->growth : 1);
}

static void wait_for_image(stage *t) {
    const int64_t end = wadi_clock_ns() + (int64_t)(patience_s * 1e9);
    while (t->shown == 0 && wadi_clock_ns() < end) (void)poll(NULL, 0, 1);
    t->late = t->late || t->shown == 0;
    const int images = t->images;
    if (t->stares) (void)poll(NULL, 0, 100); /* many periods, if there is time for one */
    t->again = t->again || t->images != images;
}

/* A second image after the longer baselines. */
static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *to,
                             int64_t *out_n, wadi_error *err) {
    stage *t = (stage *)self;
    int64_t end = first + k < ROWS ? first + k : ROWS, n = 0;
    WADI_UNUSED(err);
    if (first < t->wait_at && end > t->wait_at) end = t->wait_at;
    if (t->wait_at > 0 && (first == t->wait_at || first == ROWS)) wait_for_image(t);
    if (t->wait_at > 0 && first == t->wait_at) t->shown = 0;
    for (int64_t row = first; row < end; row++, n++) {
        for (int d = 0; d < 3; d++) to->uvw[3 * n + d] = uvw(t, row, d);
        to->pair[2 * n] = (int32_t)(row % 7);
        to->pair[2 * n + 1] = 7;
        to->time[n] = 50000;
        for (int64_t c = 0, at = n * self->info.channels; c < self->info.channels; c++, at++) {
            to->data[2 * at] = cos(0.01 * (double)row + (double)c);
            to->data[2 * at + 1] = sin(0.02 * (double)row);
            to->weight[at] = (float)(1 + row % 3);
        }
    }
    *out_n = n;
    return WADI_OK;
}

static void close_rows(wadi_vis *self) {
    WADI_UNUSED(self);
}

static const wadi_vis_ops ops = {read_rows, close_rows};

static stage plain(void) {
    stage t = {.options = {.epsilon = 1e-6, .method = "direct", .size = 32, .last_channel = -1},
               .take = {.last_channel = -1},
               .taken = 1,
               .growth = 1,
               .depth = 0.1,
               .grows = -1};
    t.vis = (wadi_vis){.ops = &ops,
                       .info = {.rows = ROWS,
                                .channels = 1,
                                .pols = 1,
                                .frequency = frequency,
                                .stokes = stokes,
                                .ra = (double)NAN,
                                .dec = (double)NAN,
                                .object = "",
                                .telescope = "",
                                .format = "made up"}};
    return t;
}

/* ---- going through it ---- */

static double *image_of(grid_session *s, grid_account *out) {
    wadi_error err = {.status = WADI_OK};
    grid_session_account(s, out);
    double *image = malloc((size_t)(out->geometry.size * out->geometry.size) * sizeof *image);
    if (image == NULL || grid_session_image(s, image, &err) != WADI_OK) fail_msg("%s", err.msg);
    grid_session_account(s, out);
    return image;
}

static wadi_status show(void *env, wadi_error *err) {
    stage *t = env;
    grid_account a;
    WADI_UNUSED(err);
    double *image = image_of(t->session, &a);
    t->last = a;
    const int64_t rows = a.limits.n / t->taken;
    if (t->first_image == NULL && rows == t->wait_at) {
        t->first = a;
        t->first_image = image;
    } else if (t->keeps && rows == ROWS) {
        free(t->last_image);
        t->last_image = image;
    } else {
        free(image);
    }
    t->images++;
    if (rows == t->wait_at || rows == ROWS) t->shown = 1; /* not something between */
    return WADI_OK;
}

/* The image at the end; NULL: it failed, as *err says. */
static double *run(stage *t, bool once, double live_s, grid_account *out, wadi_error *err) {
    char name[] = "made up";
    grid_file file = {.name = name, .vis = &t->vis};
    grid_files files = {.list = {&file, 1, 1},
                        .once = once,
                        .rows = ROWS,
                        .ra = (double)NAN,
                        .dec = (double)NAN,
                        .stokes = WADI_STOKES_I};
    const grid_watch watch = {.live = show, .live_s = live_s, .env = t};
    double *image = NULL;
    assert_int_equal(grid_session_create(&t->options, &files, &t->take, &watch, &t->session, err),
                     WADI_OK);
    if (grid_session_go(t->session, err) == WADI_OK) image = image_of(t->session, out);
    grid_session_destroy(t->session);
    if (t->late) fail_msg("no image within %g s", patience_s);
    return image;
}

static bool same_geometry(const grid_account *a, const grid_account *b) {
    return a->geometry.size == b->geometry.size && a->geometry.scale == b->geometry.scale;
}

static void assert_same(const double *a, const double *b, const grid_account *size) {
    const int64_t n = size->geometry.size * size->geometry.size;
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

/* ---- tests ---- */

static void the_last_image_is_that_of_a_file(void **state) {
    static const grid_weights weights[] = {{GRID_NATURAL, 0}, {GRID_UNIFORM, 0}, {GRID_BRIGGS, 0}};
    (void)state;
    for (int w = 0; w < 3; w++) {
        stage file = plain(), live = plain();
        wadi_error err = {.status = WADI_OK};
        grid_account a, b;
        file.growth = live.growth = 5;
        file.options.weights = live.options.weights = weights[w];
        live.wait_at = FIRST;
        double *want = run(&file, false, 0, &a, &err), *got = run(&live, true, 0.01, &b, &err);
        assert_non_null(want);
        if (got == NULL) fail_msg("%s", err.msg);
        assert_true(same_geometry(&a, &b));
        assert_same(want, got, &a);
        /* what was shown became finer when longer baselines came: four pixels to the finest fringe, or still two if an image between
         * has room for all that came after it */
        assert_true(live.first.geometry.scale > 2 * live.last.geometry.scale);
        assert_true(live.last.geometry.scale <= 2 * b.geometry.scale);
        assert_int_equal(live.first.limits.n, FIRST);
        assert_int_equal(live.last.limits.n, ROWS);
        assert_int_equal(live.first.outside + live.last.outside + b.outside, 0);
        free(live.first_image);
        free(want);
        free(got);
    }
}

/* Along u or along v, the other staying as it is. */
static void what_is_shown_has_room_for_what_has_come(void **state) {
    (void)state;
    for (int d = 0; d < 2; d++) {
        stage live = plain();
        wadi_error err = {.status = WADI_OK};
        grid_account a;
        live.growth = 5;
        live.grows = d;
        live.wait_at = FIRST;
        live.options.method = "simple"; /* which has a grid to be outside of */
        double *got = run(&live, true, 0.01, &a, &err);
        if (got == NULL) fail_msg("%s", err.msg);
        assert_true(live.first.geometry.scale > 2 * live.last.geometry.scale);
        assert_int_equal(live.first.outside + live.last.outside + a.outside, 0);
        free(live.first_image);
        free(got);
    }
}

static void an_image_is_shown_once(void **state) {
    (void)state;
    stage live = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a;
    live.wait_at = FIRST;
    live.stares = true;
    double *got = run(&live, true, 0.01, &a, &err);
    if (got == NULL) fail_msg("%s", err.msg);
    assert_false(live.again);
    free(live.first_image);
    free(got);
}

/* Where the geometry is given, what is shown is the image of what has come. */
static void every_image_has_the_weights_of_what_has_come(void **state) {
    (void)state;
    stage live = plain(), part = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a, b;
    live.options.scale = part.options.scale = 1e-3;
    live.options.weights = part.options.weights = (grid_weights){GRID_UNIFORM, 0};
    live.wait_at = FIRST;
    double *last = run(&live, true, 0.01, &a, &err);
    if (last == NULL) fail_msg("%s", err.msg);
    part.options.weights = live.options.weights;
    part.vis.info.rows = FIRST;
    part.wait_at = 0;
    part.growth = (double)NAN; /* rows from FIRST on do not count */
    double *want = run(&part, false, 0, &b, &err);
    if (want == NULL) fail_msg("%s", err.msg);
    assert_int_equal(b.counts.kept, FIRST);
    assert_non_null(live.first_image);
    assert_same(want, live.first_image, &b);
    free(live.first_image);
    free(last);
    free(want);
}

/* In a given geometry rows are added to what has been shown before; some lie outside of it. */
static void what_is_shown_of_all_rows_is_the_image(void **state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        stage live = plain();
        wadi_error err = {.status = WADI_OK};
        grid_account a;
        double most = 0;
        live.options.scale = 1e-3;
        live.options.weights = (grid_weights){w ? GRID_UNIFORM : GRID_NATURAL, 0};
        live.growth = 5;
        live.depth = 3;
        live.wait_at = FIRST;
        live.keeps = true;
        double *image = run(&live, true, 0.01, &a, &err);
        if (image == NULL) fail_msg("%s", err.msg);
        assert_non_null(live.last_image);
        for (int i = 0; i < 32 * 32; i++) most = fmax(most, fabs(image[i]));
        for (int i = 0; i < 32 * 32; i++)
            assert_true(fabs(image[i] - live.last_image[i]) < 1e-12 * most);
        const grid_account *b = &live.last;
        assert_true(a.outside > 0 && b->outside == a.outside && live.first.outside == 0);
        assert_true(b->tally.gridded == a.tally.gridded && b->limits.n == a.limits.n);
        assert_true(fabs(b->noise / a.noise - 1) < 1e-12 && fabs(b->weight / a.weight - 1) < 1e-12);
        assert_true(live.first.noise > a.noise);
        free(live.first_image);
        free(live.last_image);
        free(image);
    }
}

static void the_header_tells_the_geometry_of_every_image(void **state) {
    (void)state;
    stage file = plain(), live = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a, b;
    file.growth = live.growth = 5;
    live.wait_at = FIRST;
    double *want = run(&file, false, 0, &a, &err);
    live.vis.info.longest = a.limits.longest;
    live.vis.info.shortest = a.limits.shortest;
    double *got = run(&live, true, 0.01, &b, &err);
    if (got == NULL) fail_msg("%s", err.msg);
    assert_true(same_geometry(&a, &b) && same_geometry(&a, &live.first) &&
                same_geometry(&a, &live.last));
    assert_same(want, got, &a);
    free(live.first_image);
    free(want);
    free(got);
}

/* Of the channels that are taken the highest and the lowest frequency make lengths of metres. */
static void the_header_and_the_channels_tell_the_geometry(void **state) {
    (void)state;
    static const struct {
        int64_t first, last, taken;
        double lowest, highest; /* of `frequency` */
    } cases[] = {{0, -1, 3, 0.5, 2}, {0, 1, 2, 0.5, 1}, {2, 2, 1, 2, 2}};
    for (int i = 0; i < 3; i++) {
        stage file = plain(), live = plain();
        stage *const both[] = {&file, &live};
        wadi_error err = {.status = WADI_OK};
        grid_account a, b;
        for (int k = 0; k < 2; k++) {
            both[k]->vis.info.channels = CHANNELS;
            both[k]->take.first_channel = cases[i].first;
            both[k]->take.last_channel = cases[i].last;
            both[k]->taken = cases[i].taken;
            both[k]->growth = 5;
            both[k]->options.size = 0;
            both[k]->options.method = "simple";
        }
        double *want = run(&file, false, 0, &a, &err);
        if (want == NULL) fail_msg("%s", err.msg);
        assert_true(cases[i].taken == 1 || a.geometry.size > 256); /* not the least there is */
        assert_true(a.limits.highest_frequency == cases[i].highest * light);
        assert_true(a.limits.lowest_frequency == cases[i].lowest * light);
        live.wait_at = FIRST;
        live.vis.info.longest = a.limits.longest / cases[i].highest;
        live.vis.info.shortest = a.limits.shortest / cases[i].lowest;
        double *got = run(&live, true, 0.01, &b, &err);
        if (got == NULL) fail_msg("%s", err.msg);
        assert_int_equal(b.limits.n, ROWS * cases[i].taken);
        assert_true(same_geometry(&a, &b) && same_geometry(&a, &live.first) &&
                    same_geometry(&a, &live.last));
        free(live.first_image);
        free(want);
        free(got);
    }
}

/* A sixth of the memory is for visibilities: what fills it is more than is kept. */
static void a_link_is_kept_where_a_sixth_of_the_memory_holds_it(void **state) {
    (void)state;
    for (int more = 0; more < 2; more++) {
        stage link = plain();
        wadi_error err = {.status = WADI_OK};
        grid_account a;
        link.options.memory = 6 * GRID_STORE_BYTES * (ROWS + more);
        link.options.weights.kind = GRID_UNIFORM;
        double *image = run(&link, true, 0, &a, &err);
        assert_int_equal(image != NULL, more);
        assert_int_equal(err.status, more ? WADI_OK : WADI_INVALID);
        free(image);
    }
}

/* Batches of 136 visibilities. */
static void a_long_stream_follows_its_first_batch_or_its_header(void **state) {
    (void)state;
    stage file = plain(), link = plain(), live = plain(), told = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a, b, c, d;
    stage *const all[] = {&file, &link, &live, &told};
    for (int i = 0; i < 4; i++) {
        all[i]->options.memory = 65536;
        all[i]->options.method = "simple"; /* which has a grid to be outside of */
        all[i]->growth = 5;
    }
    live.wait_at = FIRST;
    double *of_file = run(&file, false, 0, &a, &err), *of_link = run(&link, true, 0, &b, &err);
    if (of_file == NULL || of_link == NULL) fail_msg("%s", err.msg);
    double *of_live = run(&live, true, 0.01, &c, &err);
    if (of_live == NULL) fail_msg("%s", err.msg);
    assert_int_equal(a.outside, 0);
    assert_true(b.outside > 0 && b.geometry.scale > 2 * a.geometry.scale);
    assert_true(same_geometry(&b, &c) && b.outside == c.outside);
    assert_same(of_link, of_live, &b); /* whenever it was looked at */
    told.vis.info.longest = a.limits.longest;
    told.vis.info.shortest = a.limits.shortest;
    double *of_told = run(&told, true, 0, &d, &err);
    assert_true(same_geometry(&a, &d) && d.outside == 0);
    assert_same(of_file, of_told, &a);
    free(live.first_image);
    free(of_file);
    free(of_link);
    free(of_live);
    free(of_told);
}

/* The size, and the width of a pixel, if it is not given. */
static void an_image_waits_until_something_tells_its_geometry(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        stage file = plain(), live = plain();
        wadi_error err = {.status = WADI_OK};
        grid_account a, b;
        file.options.size = live.options.size = 0;
        file.options.scale = live.options.scale = given ? 1e-3 : 0;
        file.options.method = live.options.method = "simple";
        live.wait_at = FIRST;
        double *want = run(&file, false, 0, &a, &err), *got = run(&live, true, 0.01, &b, &err);
        if (want == NULL || got == NULL) fail_msg("%s", err.msg);
        assert_true(same_geometry(&a, &b) && b.geometry.size > 0);
        assert_same(want, got, &a);
        free(live.first_image);
        free(want);
        free(got);
    }
}

/* What is w now is u or v a few hours later. */
static void without_a_header_baselines_may_turn_into_the_sky(void **state) {
    (void)state;
    stage link = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a;
    double longest = 0, most_w = 0;
    link.depth = 5;
    link.options.memory = 65536;
    link.options.method = "simple";
    double *image = run(&link, true, 0, &a, &err);
    if (image == NULL) fail_msg("%s", err.msg);
    for (int64_t row = 0; row < 65536 / 6 / GRID_STORE_BYTES; row++) { /* the first batch */
        longest = fmax(longest, hypot(uvw(&link, row, 0), uvw(&link, row, 1)));
        most_w = fmax(most_w, fabs(uvw(&link, row, 2)));
    }
    const double fine = 1 / (4 * hypot(longest, most_w)); /* to two digits, rounded down */
    assert_true(most_w > longest);
    assert_true(a.geometry.scale <= fine && a.geometry.scale > 0.9 * fine);
    free(image);
}

static void a_header_that_tells_too_little_is_not_believed(void **state) {
    (void)state;
    stage live = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a;
    live.growth = 5;
    live.wait_at = FIRST;
    live.vis.info.longest = live.vis.info.shortest = 1;
    double *got = run(&live, true, 0.01, &a, &err);
    if (got == NULL) fail_msg("%s", err.msg);
    assert_int_equal(live.first.outside + live.last.outside + a.outside, 0);
    free(live.first_image);
    free(got);
}

static void a_long_stream_has_natural_weights(void **state) {
    (void)state;
    stage live = plain();
    wadi_error err = {.status = WADI_OK};
    grid_account a;
    live.options.memory = 65536;
    live.options.weights.kind = GRID_UNIFORM;
    assert_null(run(&live, true, 0.01, &a, &err));
    assert_int_equal(err.status, WADI_INVALID);
    assert_non_null(strstr(err.msg, "more than --memory holds"));
    free(live.first_image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(the_last_image_is_that_of_a_file),
        cmocka_unit_test(what_is_shown_has_room_for_what_has_come),
        cmocka_unit_test(an_image_is_shown_once),
        cmocka_unit_test(every_image_has_the_weights_of_what_has_come),
        cmocka_unit_test(what_is_shown_of_all_rows_is_the_image),
        cmocka_unit_test(the_header_tells_the_geometry_of_every_image),
        cmocka_unit_test(the_header_and_the_channels_tell_the_geometry),
        cmocka_unit_test(a_link_is_kept_where_a_sixth_of_the_memory_holds_it),
        cmocka_unit_test(a_long_stream_follows_its_first_batch_or_its_header),
        cmocka_unit_test(an_image_waits_until_something_tells_its_geometry),
        cmocka_unit_test(without_a_header_baselines_may_turn_into_the_sky),
        cmocka_unit_test(a_header_that_tells_too_little_is_not_believed),
        cmocka_unit_test(a_long_stream_has_natural_weights),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
