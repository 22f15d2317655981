/* The longest baselines of a file: made-up rows against a plain loop. Autocorrelations, flagged rows and coordinates that are not
 * finite do not count. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "apps/gridding/reach.h"
#include "connectors/visibility.h"

enum { MOST = 8, PRODUCTS = 2 };

typedef struct made_up {
    wadi_vis vis;
    int64_t n;
    double uvw[MOST][3];
    float weight[MOST][PRODUCTS];
} made_up;

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *to,
                             int64_t *out_n, wadi_error *err) {
    const made_up *m = (const made_up *)self;
    int64_t n = 0;
    (void)err;
    for (; n < k && first + n < m->n; n++) {
        for (int d = 0; d < 3; d++) to->uvw[3 * n + d] = m->uvw[first + n][d];
        to->pair[2 * n] = to->pair[2 * n + 1] = 1;
        to->time[n] = 0;
        for (int p = 0; p < PRODUCTS; p++) {
            to->data[2 * (n * PRODUCTS + p)] = to->data[2 * (n * PRODUCTS + p) + 1] = 1;
            to->weight[n * PRODUCTS + p] = m->weight[first + n][p];
        }
    }
    *out_n = n;
    return WADI_OK;
}

static void close_rows(wadi_vis *self) {
    (void)self;
}

static made_up empty(void) {
    static const wadi_vis_ops ops = {read_rows, close_rows};
    static const double frequency[] = {1e8};
    static const int stokes[PRODUCTS] = {WADI_STOKES_XX, WADI_STOKES_YY};
    return (made_up){.vis = {.ops = &ops,
                             .info = {.rows = -1,
                                      .channels = 1,
                                      .pols = PRODUCTS,
                                      .frequency = frequency,
                                      .stokes = stokes,
                                      .object = "",
                                      .telescope = "",
                                      .format = "made up"}}};
}

static void put(made_up *m, double u, double v, double w, float x, float y) {
    m->uvw[m->n][0] = u;
    m->uvw[m->n][1] = v;
    m->uvw[m->n][2] = w;
    m->weight[m->n][0] = x;
    m->weight[m->n++][1] = y;
}

static void widen(made_up *m, grid_reach *io) {
    wadi_error err = {.status = WADI_OK};
    if (grid_reach_of(&m->vis, io, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* Lengths are 5 in the sky and 13 in all, and the like. */
static void only_baselines_count(void **state) {
    (void)state;
    made_up m = empty();
    grid_reach r = {0};
    put(&m, 0, 0, 0, 1, 1);
    put(&m, 30, 40, 0, 0, -1);
    put(&m, 0, 0.1, 0, -1, 0);
    widen(&m, &r);
    assert_true(r.longest == 0 && r.shortest == 0);
    put(&m, 3, -4, 12, 0, 1);
    widen(&m, &r);
    assert_true(r.longest == 5 && r.shortest == 13);
    put(&m, (double)INFINITY, 1, 1, 1, 1);
    put(&m, 1, 1, (double)NAN, 1, 1);
    put(&m, -8, 0, 6, 1, -1);
    put(&m, 0, 0, -2, 1, 1);
    widen(&m, &r);
    assert_true(r.longest == 8 && r.shortest == 2);
}

static void a_further_file_widens_only(void **state) {
    (void)state;
    static const double reach[][2] = {{5, 5}, {5, 3}, {9, 3}, {9, 3}, {9, 2}};
    static const double file[] = {5, 3, 9, 4, 2};
    grid_reach r = {0};
    for (int i = 0; i < 5; i++) {
        made_up m = empty(), nothing = empty();
        put(&m, 0, file[i], 0, 1, 1);
        widen(&m, &r);
        widen(&nothing, &r);
        put(&nothing, 0, 0, 0, 1, 1);
        widen(&nothing, &r);
        if (r.longest != reach[i][0] || r.shortest != reach[i][1])
            fail_msg("after %d: %g, %g", i, r.longest, r.shortest);
    }
}

static void rows_are_counted_in_any_order(void **state) {
    (void)state;
    for (int turn = 0; turn < 12; turn++) {
        made_up m = empty();
        grid_reach r = {0}, want = {0, (double)INFINITY};
        for (int i = 0; i < MOST; i++) {
            const int k = turn * 37 + i * i * 11;
            put(&m, k % 7 - 3, k % 5 - 2, k % 3 - 1, (float)(k % 4 - 1), (float)(k % 6 - 3));
            const double *at = m.uvw[i], across = hypot(at[0], at[1]),
                         length = hypot(across, at[2]);
            if (!(m.weight[i][0] > 0 || m.weight[i][1] > 0) || length == 0) continue;
            want.longest = fmax(want.longest, across);
            want.shortest = fmin(want.shortest, length);
        }
        widen(&m, &r);
        assert_true(fabs(r.longest - want.longest) < 1e-12);
        assert_true(fabs(r.shortest - want.shortest) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_baselines_count),
        cmocka_unit_test(a_further_file_widens_only),
        cmocka_unit_test(rows_are_counted_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
