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
