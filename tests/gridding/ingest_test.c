/* Rows become visibilities: wavelengths, polarisations and weights are right, and what is left out is counted. The test makes the
 * rows and repeats the arithmetic in C. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/ingest.h"
#include "connectors/visibility.h"
#include "tests/open_files.h"

enum { ROWS = 257, CHANNELS = 5, POLS = 4, EACH = CHANNELS * POLS };

static const double light = 299792458;
static const double frequency[CHANNELS] = {100e6, 101e6, 102.5e6, 103e6, 110e6};
static const int linear[POLS] = {WADI_STOKES_XX, WADI_STOKES_YY, WADI_STOKES_XY, WADI_STOKES_YX};
static const int circular[POLS] = {WADI_STOKES_RR, WADI_STOKES_LL, WADI_STOKES_RL, WADI_STOKES_LR};

/* CMPLX, which not every compiler has. */
static double complex number(double re, double im) {
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* ---- rows that are made up ---- */

static double noise(int64_t i, int k) {
    return sin((double)i * 1.7 + k * 12.9898) * 3;
}

static double complex value(int64_t row, int64_t at) {
    if (row == 10 && at == 3 * POLS) return number((double)NAN, 1);
    if (row == 11 && at == POLS + 1) return number(1, (double)INFINITY);
    if (row == 40 && at == 1) return number((double)NAN, 1); /* flagged as well */
    return number(noise(row, (int)at), noise(row, (int)at + 100));
}

static float weight(int64_t row, int64_t at) {
    if (row == 12) return -2;
    if (row == 13 && at == 2 * POLS) return (float)NAN;
    if (row == 14 && at == 2 * POLS) return (float)INFINITY;
    if (row % 20 == 0 && at == 1) return 0;
    return 1 + (float)(row % 3) + 0.25f * (float)at;
}

static int32_t first_of(int64_t row) {
    return row % 50 == 49 ? -1 : (int32_t)(row % 7);
}

static int32_t second_of(int64_t row) {
    return row % 50 == 49 ? -1 : (int32_t)(row % 5);
}

static double uvw(int64_t row, int d) {
    if (row == 17 && d == 0) return (double)NAN;
    if (row == 18 && d == 2) return -(double)INFINITY;
    if (row == 19 && d == 1) return (double)INFINITY;
    if (row == 36 && d == 1) return (double)NAN; /* of an antenna with itself */
    if (row == 149 + 50 * d) return 0;           /* without antennas, and two ways of no length */
    return row == 99 || row == 60 ? 0 : /* without antennas; of two that stand in one place */
               noise(row, d + 200) * 100;
}

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *to,
                             int64_t *out_n, wadi_error *err) {
    (void)self;
    (void)err;
    int64_t n = 0;
    for (; n < k && first + n < ROWS; n++) {
        const int64_t row = first + n;
        for (int d = 0; d < 3; d++) to->uvw[3 * n + d] = uvw(row, d);
        to->pair[2 * n] = first_of(row);
        to->pair[2 * n + 1] = second_of(row);
        to->time[n] = 50000 + (double)row;
        for (int64_t at = 0; at < EACH; at++) {
            to->data[(n * EACH + at) * 2] = creal(value(row, at));
            to->data[(n * EACH + at) * 2 + 1] = cimag(value(row, at));
            to->weight[n * EACH + at] = weight(row, at);
        }
    }
    *out_n = n;
    return WADI_OK;
}

static void close_rows(wadi_vis *self) {
    (void)self;
}

static const wadi_vis_ops ops = {read_rows, close_rows};

static wadi_vis make(const int *stokes) {
    return (wadi_vis){.ops = &ops,
                      .info = {.rows = ROWS,
                               .channels = CHANNELS,
                               .pols = POLS,
                               .frequency = frequency,
                               .stokes = stokes,
                               .object = "",
                               .telescope = "",
                               .format = "made up"}};
}

/* ---- the same in C ---- */

typedef struct expected {
    grid_counts counts;
    grid_store store;
} expected;

static bool is_auto(int64_t row) {
    if (first_of(row) >= 0) return first_of(row) == second_of(row);
    return uvw(row, 0) == 0 && uvw(row, 1) == 0 && uvw(row, 2) == 0;
}

/* One product (b < 0), the mean by weight (ca 0), or ca a + cb b. */
typedef struct recipe {
    int a, b;
    double ca, cb; /* times i, if they are imaginary */
    bool imaginary;
} recipe;

static void expect_one(expected *e, const grid_take *t, const recipe *r, int64_t row, int c) {
    const int64_t at = c * POLS;
    double wa = (double)weight(row, at + r->a),
           wb = r->b >= 0 ? (double)weight(row, at + r->b) : wa;
    const double complex va = value(row, at + r->a), vb = r->b >= 0 ? value(row, at + r->b) : va;
    e->counts.read++;
    if (t->force_flagged) {
        wa = fabs(wa);
        wb = fabs(wb);
    }
    if (!t->autocorrelations && is_auto(row)) {
        e->counts.autocorrelations++;
        return;
    }
    if (!(wa > 0 && wb > 0)) {
        e->counts.flagged++;
        return;
    }
    const bool somewhere = isfinite(uvw(row, 0) + uvw(row, 1) + uvw(row, 2));
    if (!somewhere || !isfinite(creal(va + vb)) || !isfinite(cimag(va + vb)) || isinf(wa + wb)) {
        e->counts.broken++;
        return;
    }
    e->counts.kept++;
    double w = wa;
    double complex v = va;
    if (r->b >= 0) {
        const bool mean = r->ca == 0;
        const double complex unit = r->imaginary ? number(0, 1) : number(1, 0);
        v = mean ? (va * wa + vb * wb) / (wa + wb) : (r->ca * va + r->cb * vb) * unit;
        w = mean ? wa + wb : 4 * (wa * wb) / (wa + wb);
    }
    if (t->psf) v = 1;
    const double f = frequency[c] / light;
    double u = -(uvw(row, 0) * f), vv = uvw(row, 1) * f, ww = uvw(row, 2) * f,
           time = 50000 + (double)row, hz = frequency[c];
    int32_t first = first_of(row), second = second_of(row);
    void *const columns[GRID_FIELDS] = {&u, &vv, &ww, &v, &w, &first, &second, &time, &hz};
    assert_int_equal(grid_store_append(&e->store, columns, 0, 1, NULL), WADI_OK);
}

static expected expect(const grid_take *t, const recipe *r) {
    expected e = {.counts = {.rows = ROWS}};
    const int last = t->last_channel < 0 ? CHANNELS - 1 : (int)t->last_channel;
    grid_store_init(&e.store, ROWS * CHANNELS);
    for (int64_t row = 0; row < ROWS; row++)
        for (int c = (int)t->first_channel; c <= last; c++) expect_one(&e, t, r, row, c);
    return e;
}

static void assert_columns(const grid_store *got, const grid_store *want) {
    assert_int_equal(got->n, want->n);
    for (int f = 0; f < GRID_FIELDS; f++) {
        if (grid_field_type[f] == WADI_I32) {
            assert_memory_equal(got->column[f], want->column[f], (size_t)got->n * 4);
            continue;
        }
        const int parts = grid_field_type[f] == WADI_C128 ? 2 : 1;
        const double *x = got->column[f], *y = want->column[f];
        for (int64_t i = 0; i < got->n * parts; i++)
            if (!(fabs(x[i] - y[i]) <= 1e-14 * (1 + fabs(y[i]))))
                fail_msg("%s of %lld: %.17g is not %.17g", grid_field_name[f],
                         (long long)(i / parts), x[i], y[i]);
    }
}

static void check(const int *stokes, const grid_take *t, const recipe *r, int64_t chunk) {
    wadi_vis vis = make(stokes);
    expected e = expect(t, r);
    grid_store store;
    wadi_error err = {.status = WADI_OK};
    grid_store_init(&store, ROWS * CHANNELS);
    grid_ingest g = {.take = *t,
                     .run = {.threads = 2, .chunk = chunk, .policy = "fixed", .forget = true},
                     .store = &store};
    if (grid_ingest_rows(&g, &vis, "rows", &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(g.counts.rows, ROWS);
    assert_int_equal(g.counts.read, e.counts.read);
    assert_int_equal(g.counts.flagged, e.counts.flagged);
    assert_int_equal(g.counts.broken, e.counts.broken);
    assert_int_equal(g.counts.autocorrelations, e.counts.autocorrelations);
    assert_int_equal(g.counts.kept, e.counts.kept);
    assert_int_equal(g.counts.kept, store.n);
    assert_columns(&store, &e.store);
    grid_store_fini(&store);
    grid_store_fini(&e.store);
}

/* ---- tests ---- */

static void products_are_taken_as_they_are(void **state) {
    (void)state;
    for (int p = 0; p < POLS; p++) {
        const grid_take t = {.stokes = linear[p], .last_channel = -1};
        const recipe r = {.a = p, .b = -1};
        check(linear, &t, &r, 100);
    }
}

static void stokes_parameters_are_made_of_products(void **state) {
    (void)state;
    static const struct {
        int stokes;
        const int *of;
        recipe recipe;
    } cases[] = {{WADI_STOKES_I, linear, {0, 1, 0, 0}},
                 {WADI_STOKES_I, circular, {0, 1, 0, 0}},
                 {WADI_STOKES_Q, linear, {0, 1, 0.5, -0.5}},
                 {WADI_STOKES_U, linear, {2, 3, 0.5, 0.5}},
                 {WADI_STOKES_V, linear, {2, 3, -0.5, 0.5, true}},
                 {WADI_STOKES_Q, circular, {2, 3, 0.5, 0.5}},
                 {WADI_STOKES_U, circular, {2, 3, -0.5, 0.5, true}},
                 {WADI_STOKES_V, circular, {0, 1, 0.5, -0.5}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const grid_take t = {.stokes = cases[i].stokes, .last_channel = -1};
        check(cases[i].of, &t, &cases[i].recipe, 64);
    }
}

static void what_is_asked_for_is_taken(void **state) {
    (void)state;
    const recipe intensity = {0, 1, 0, 0};
    const grid_take some = {.first_channel = 1, .last_channel = 3};
    const grid_take one = {.first_channel = 4, .last_channel = 4};
    const grid_take beam = {.last_channel = -1, .psf = true};
    const grid_take flagged = {.last_channel = -1, .force_flagged = true};
    const grid_take autos = {.last_channel = -1, .autocorrelations = true};
    check(linear, &some, &intensity, 10);
    check(linear, &one, &intensity, 1);
    check(linear, &beam, &intensity, ROWS);
    check(linear, &flagged, &intensity, 1000);
    check(circular, &autos, &intensity, 3);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    wadi_vis vis = make(linear);
    grid_mix mix;
    wadi_error err = {.status = WADI_OK};
    int64_t first, n;
    assert_int_equal(grid_mix_choose(&vis.info, WADI_STOKES_RR, "rows", &mix, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "it has XX, YY, XY, YX"));
    const grid_take beyond = {.first_channel = 2, .last_channel = CHANNELS};
    assert_int_equal(grid_take_channels(&beyond, &vis.info, "rows", &first, &n, &err),
                     WADI_INVALID);
    vis.info.pols = 1;
    assert_int_equal(grid_mix_choose(&vis.info, WADI_STOKES_I, "rows", &mix, &err), WADI_INVALID);
    assert_int_equal(grid_mix_choose(&vis.info, 0, "rows", &mix, &err), WADI_OK);
    assert_int_equal(mix.stokes, WADI_STOKES_XX); /* what there is */
}

typedef struct batches {
    grid_store *store;
    int64_t n, visibilities;
} batches;

static wadi_status take_batch(void *env, wadi_error *err) {
    batches *b = env;
    (void)err;
    assert_int_equal(b->store->n, b->store->most);
    b->n++;
    b->visibilities += b->store->n;
    b->store->n = 0;
    return WADI_OK;
}

static void batches_are_as_large_as_the_store(void **state) {
    (void)state;
    for (int64_t most = 1; most < 400; most += 131) {
        wadi_vis vis = make(linear);
        grid_store store;
        grid_store_init(&store, most);
        batches b = {.store = &store};
        grid_ingest g = {.take = {.last_channel = -1},
                         .run = {.threads = 1, .forget = true},
                         .store = &store,
                         .full = take_batch,
                         .env = &b};
        assert_int_equal(grid_ingest_rows(&g, &vis, "rows", NULL), WADI_OK);
        assert_int_equal(grid_ingest_rows(&g, &vis, "again", NULL), WADI_OK);
        assert_int_equal(b.visibilities + store.n, g.counts.kept);
        assert_int_equal(b.n, g.counts.kept / most);
        grid_store_fini(&store);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(products_are_taken_as_they_are),
        cmocka_unit_test(stokes_parameters_are_made_of_products),
        cmocka_unit_test(what_is_asked_for_is_taken),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(batches_are_as_large_as_the_store),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
