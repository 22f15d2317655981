#include "tests/connectors/vis_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/stream.h"

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

/* Reads up to k rows of a source, which are those from `first` on; how many there were. */
static int64_t same_of_source(wadi_source *s, const vis_rows *all, int64_t first, int64_t k) {
    const int64_t cells = all->cells;
    wadi_buffers *buffers = NULL;
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, buffers, s->parts, s->part, INT64_MAX, NULL), WADI_OK);
    if (s->ops->next(s, k, &b, &err) != WADI_OK) fail_msg("%s", err.msg);
    const int64_t n = b.count;
    assert_true(n <= k && first + n <= all->n);
    assert_int_equal(wadi_chunk_create(buffers, s->parts, &c, NULL), WADI_OK);
    c->count = n;
    wadi_builder_finish(&b, c, 0, n);
    if (n > 0) {
        const size_t rows = (size_t)n, values = (size_t)(n * cells);
        assert_memory_equal(c->component[WADI_VIS_UVW].column[0], all->row.uvw + 3 * first,
                            rows * 24);
        assert_memory_equal(c->component[WADI_VIS_PAIR].column[0], all->row.pair + 2 * first,
                            rows * 8);
        assert_memory_equal(c->component[WADI_VIS_TIME].column[0], all->row.time + first, rows * 8);
        assert_memory_equal(c->component[WADI_VIS_DATA].column[0],
                            all->row.data + 2 * cells * first, values * 16);
        assert_memory_equal(c->component[WADI_VIS_WEIGHT].column[0],
                            all->row.weight + cells * first, values * 4);
    }
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    wadi_buffers_release(buffers);
    return n;
}

static wadi_source *source_of(wadi_vis *v) {
    wadi_source *s = NULL;
    assert_int_equal(wadi_vis_source(v, &s, NULL), WADI_OK);
    return s;
}

/* `first` rows are read, then the source is another, which goes on from the position. */
static void same_from_position(wadi_vis *v, const vis_rows *all, int64_t first) {
    const wadi_position no[] = {{-1, 0}, {all->n + 1, 0}, {first, 1}, {INT64_MAX, 0}, {0, -1}};
    wadi_position at, now;
    wadi_source *s = source_of(v);
    int64_t n = 0;
    while (n < first) n += same_of_source(s, all, n, first - n);
    assert_int_equal(wadi_source_tell(s, &at, NULL), WADI_OK);
    assert_int_equal(at.element, first);
    wadi_source_destroy(s);
    s = source_of(v);
    n = same_of_source(s, all, 0, 2);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        wadi_error err = {0};
        assert_int_equal(wadi_source_seek(s, no[i], &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "visibilities source: no position ("));
    }
    n += same_of_source(s, all, n, 3); /* the position is unchanged */
    assert_int_equal(wadi_source_seek(s, at, NULL), WADI_OK);
    assert_int_equal(wadi_source_tell(s, &now, NULL), WADI_OK);
    assert_int_equal(now.element, first);
    for (n = 1; n > 0; first += n) n = same_of_source(s, all, first, 7);
    assert_int_equal(first, all->n);
    wadi_source_destroy(s);
}

void vis_rows_in_any_order(wadi_vis *v, const vis_rows *all) {
    uint32_t chance = 5;
    const int64_t cuts[] = {0, 1, all->n / 2, all->n - 1, all->n};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) same_from_position(v, all, cuts[i]);
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
