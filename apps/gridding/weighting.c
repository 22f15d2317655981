/* See the header. The plane is stored by half: what lies below it is counted at its mirror image. */
#include "apps/gridding/weighting.h"

#include <math.h>
#include <stdlib.h>

#include "apps/gridding/room.h"
#include "base/error.h"

struct grid_density {
    int64_t size;  /* cells along u, and twice those along v */
    double theta;  /* field of view, radians: a cell is 1 / theta */
    double *sum;   /* [size / 2 + 1, size]: v from 0, u from -size / 2 */
    double f2;     /* of Briggs, once known */
    double weight; /* of all */
    bool known;
};

wadi_status grid_density_create(int64_t size, double scale, int64_t memory, grid_density **out,
                                wadi_error *err) {
    const int64_t cells = (size / 2 + 1) * size;
    WADI_TRY(grid_room(cells * (int64_t)sizeof(double), memory, "the plane of weights", err));
    grid_density *d = calloc(1, sizeof *d);
    if (d != NULL) d->sum = calloc((size_t)cells, sizeof *d->sum);
    if (d == NULL || d->sum == NULL) {
        free(d);
        return wadi_fail(err, WADI_MEMORY, "no room for the plane of weights: %lld bytes",
                         (long long)(cells * (int64_t)sizeof(double)));
    }
    d->size = size;
    d->theta = (double)size * scale;
    *out = d;
    return WADI_OK;
}

void grid_density_destroy(grid_density *d) {
    if (d == NULL) return;
    free(d->sum);
    free(d);
}

/* The cell of (u, v) or of its mirror image; NULL outside the plane. */
static double *cell(const grid_density *d, double u, double v) {
    double x = rint(u * d->theta), y = rint(v * d->theta);
    const double half = (double)(d->size / 2);
    if (y < 0 || (y == 0 && x < 0)) {
        x = -x;
        y = -y;
    }
    if (!(x >= -half && x < half && y <= half)) return NULL;
    return &d->sum[(int64_t)y * d->size + (int64_t)x + d->size / 2];
}

void grid_density_add(grid_density *d, const grid_store *s) {
    const double *u = s->column[GRID_U], *v = s->column[GRID_V], *weight = s->column[GRID_WEIGHT];
    for (int64_t i = 0; i < s->n; i++) {
        double *at = cell(d, u[i], v[i]);
        if (at == NULL) continue;
        *at += weight[i];
        d->weight += weight[i];
    }
}

static void find_f2(grid_density *d, double robust) {
    double squares = 0;
    for (int64_t i = 0; i < (d->size / 2 + 1) * d->size; i++) squares += d->sum[i] * d->sum[i];
    const double wish = 5 * pow(10, -robust);
    d->f2 = squares > 0 ? wish * wish / (squares / d->weight) : 0;
    d->known = true;
}

int64_t grid_density_apply(grid_density *d, grid_weights how, grid_store *s, double *variance) {
    const double *u = s->column[GRID_U], *v = s->column[GRID_V];
    double *weight = s->column[GRID_WEIGHT];
    if (!d->known) find_f2(d, how.robust);
    for (int64_t i = 0; i < s->n; i++) {
        const double *at = cell(d, u[i], v[i]), w = weight[i];
        weight[i] = at == NULL ? 0 : w / (how.kind == GRID_BRIGGS ? 1 + d->f2 * *at : *at);
        *variance += weight[i] * weight[i] / w;
    }
    return grid_store_compact(s);
}
