#include "tests/connectors/vis_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

wadi_status vis_rows_read(wadi_vis *v, int64_t k, vis_rows *out, wadi_error *err) {
    const wadi_vis_info *info = wadi_vis_about(v);
    const int64_t cells = info->channels * info->pols;
    const size_t n = (size_t)info->rows + 1;
    wadi_status status = WADI_OK;
    int64_t got = 1;
    *out = (vis_rows){.info = info, .cells = cells};
    out->row.uvw = calloc(3 * n, sizeof(double));
    out->row.pair = calloc(2 * n, sizeof(int32_t));
    out->row.time = calloc(n, sizeof(double));
    out->row.data = calloc(2 * n * (size_t)cells, sizeof(double));
    out->row.weight = calloc(n * (size_t)cells, sizeof(float));
    while (status == WADI_OK && got > 0) {
        const int64_t left = info->rows + 1 - out->n;
        const int64_t at = out->n;
        const wadi_vis_rows to = {out->row.uvw + 3 * at, out->row.pair + 2 * at, out->row.time + at,
                                  out->row.data + 2 * cells * at, out->row.weight + cells * at};
        got = 0;
        status = v->ops->read(v, at, k < left ? k : left, &to, &got, err);
        out->n += got;
        assert_true(out->n <= info->rows);
    }
    return status;
}

void vis_rows_fini(vis_rows *r) {
    free(r->row.uvw);
    free(r->row.pair);
    free(r->row.time);
    free(r->row.data);
    free(r->row.weight);
}

void vis_rows_of(const char *path, const wadi_vis_options *options, wadi_vis **out_vis,
                 vis_rows *out) {
    wadi_error err = {0};
    if (wadi_vis_open(path, options, out_vis, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (vis_rows_read(*out_vis, 1000, out, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(out->n, out->info->rows);
}

/* Reads up to k rows from `first` on, into memory of its own, and compares. */
static void same_from(wadi_vis *v, const vis_rows *all, int64_t first, int64_t k) {
    const int64_t left = all->n - first, want = k < left ? k : left, cells = all->cells;
    const size_t room = (size_t)(k + 1);
    const wadi_vis_rows to = {calloc(room, 3 * sizeof(double)), calloc(room, 2 * sizeof(int32_t)),
                              calloc(room, sizeof(double)),
                              calloc(room * (size_t)cells, 2 * sizeof(double)),
                              calloc(room * (size_t)cells, sizeof(float))};
    int64_t n = 0, got = 1;
    for (; n < k && got > 0; n += got) { /* fewer at once may come */
        const wadi_vis_rows rest = {to.uvw + 3 * n, to.pair + 2 * n, to.time + n,
                                    to.data + 2 * cells * n, to.weight + cells * n};
        assert_int_equal(v->ops->read(v, first + n, k - n, &rest, &got, NULL), WADI_OK);
        assert_true(got >= 0 && got <= k - n);
    }
    if (n != want)
        fail_msg("%lld rows from %lld on, expected %lld", (long long)n, (long long)first,
                 (long long)want);
    const size_t rows = (size_t)n, values = (size_t)(n * cells);
    assert_memory_equal(to.uvw, all->row.uvw + 3 * first, rows * 24);
    assert_memory_equal(to.pair, all->row.pair + 2 * first, rows * 8);
    assert_memory_equal(to.time, all->row.time + first, rows * 8);
    assert_memory_equal(to.data, all->row.data + 2 * cells * first, values * 16);
    assert_memory_equal(to.weight, all->row.weight + cells * first, values * 4);
    vis_rows r = {.row = to};
    vis_rows_fini(&r);
}

void vis_rows_in_any_order(wadi_vis *v, const vis_rows *all) {
    uint32_t chance = 5;
    for (int i = 0; i < 60; i++) {
        chance = chance * 1664525u + 1013904223u;
        const int64_t first = (chance >> 8) % (all->n + 1);
        same_from(v, all, first, 1 + (chance >> 5) % (i % 3 == 0 ? all->n + 3 : 4));
    }
    same_from(v, all, all->n, 3); /* nothing is left there */
    same_from(v, all, 0, all->n);
}

double vis_rows_image(const vis_rows *r, int p, int q, double l, double m, int64_t *out_n) {
    const double two_pi = 6.283185307179586;
    const int64_t pols = r->info->pols;
    double sum = 0;
    double weights = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < r->n * r->info->channels; i++) {
        const double *uvw = r->row.uvw + 3 * (i / r->info->channels);
        const double per_metre = r->info->frequency[i % r->info->channels] / 299792458;
        const double turn = two_pi * per_metre * (uvw[0] * l + uvw[1] * m);
        const int pol[2] = {p, q};
        const float *w = r->row.weight + i * pols;
        if (!(w[p] > 0) || (q >= 0 && !(w[q] > 0))) continue;
        for (int k = 0; k < (q < 0 ? 1 : 2); k++) {
            const double *v = r->row.data + 2 * (i * pols + pol[k]);
            sum += (double)w[pol[k]] * (v[0] * cos(turn) - v[1] * sin(turn));
            weights += (double)w[pol[k]];
        }
        n++;
    }
    if (out_n != NULL) *out_n = n;
    return sum / weights;
}
