/* See direct.h. */
#include "tests/gridding/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- data ---- */

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

bool direct_data_make(int64_t n, double most_uv, double most_w, int antennas, unsigned seed,
                      direct_data *out) {
    uint64_t state = seed * UINT64_C(2654435769) + 1;
    const size_t count = (size_t)n;
    double *c = calloc(count * 8 + 1, sizeof *c);
    int32_t *pair = calloc(count * 2 + 1, sizeof *pair);
    *out = (direct_data){.column = c, .pair = pair};
    if (!c || !pair) return false;
    out->batch = (grid_batch){.n = n,
                              .u = c,
                              .v = c + n,
                              .w = c + 2 * n,
                              .weight = c + 3 * n,
                              .vis = c + 4 * n,
                              .time = c + 6 * n,
                              .frequency = c + 7 * n,
                              .pair = pair};
    for (int64_t k = 0; k < n; k++) {
        c[k] = most_uv * (2 * uniform(&state) - 1);
        c[n + k] = most_uv * (2 * uniform(&state) - 1);
        c[2 * n + k] = most_w * (2 * uniform(&state) - 1);
        c[3 * n + k] = 0.5 + uniform(&state);
        pair[2 * k] = antennas > 0 ? (int32_t)(uniform(&state) * antennas) : -1;
        pair[2 * k + 1] = antennas > 0 ? (int32_t)(uniform(&state) * antennas) : -1;
    }
    return true;
}

void direct_data_free(direct_data *d) {
    free(d->column);
    free(d->pair);
    *d = (direct_data){0};
}

static double turns(const grid_batch *b, int64_t k, const direct_place *p, bool flat) {
    const double r2 = p->l * p->l + p->m * p->m;
    const double n1 = flat ? 0 : -r2 / (1 + sqrt(1 - r2)); /* n - 1 */
    return b->u[k] * p->l + b->v[k] * p->m + b->w[k] * n1;
}

/* Of a turn; exact. */
static double part(double turns) {
    return turns - rint(turns);
}

void direct_observe(direct_data *d, int sources, const direct_place *source) {
    const grid_batch *b = &d->batch;
    double *vis = d->column + 4 * b->n;
    memset(vis, 0, (size_t)b->n * 2 * sizeof *vis);
    for (int64_t k = 0; k < b->n; k++) {
        for (int i = 0; i < sources; i++) {
            const double angle = -2 * pi * part(turns(b, k, &source[i], false));
            vis[2 * k] += source[i].flux * cos(angle);
            vis[2 * k + 1] += source[i].flux * sin(angle);
        }
    }
}

/* ---- sums ---- */

void direct_aterm(const grid_aterms *a, int64_t antenna, double l, double m, double *re,
                  double *im) {
    const double *kernel = a->kernel + antenna * a->size * a->size * 2;
    *re = *im = 0;
    for (int64_t i = 0; i < a->size * a->size; i++) {
        const double u = (double)(i % a->size - a->size / 2),
                     v = (double)(i / a->size - a->size / 2);
        const double angle = 2 * pi * (u * l + v * m) / a->theta;
        *re += kernel[2 * i] * cos(angle) - kernel[2 * i + 1] * sin(angle);
        *im += kernel[2 * i] * sin(angle) + kernel[2 * i + 1] * cos(angle);
    }
}

static void times(double *re, double *im, double re2, double im2) {
    const double r = *re * re2 - *im * im2;
    *im = *re * im2 + *im * re2;
    *re = r;
}

static double sum_at(const grid_batch *b, const double *aterm, bool flat, const direct_place *p) {
    double sum = 0;
    for (int64_t k = 0; k < b->n; k++) {
        const double angle = 2 * pi * part(turns(b, k, p, flat));
        double re = b->vis[2 * k], im = b->vis[2 * k + 1];
        for (int i = 0; aterm && i < 2; i++) {
            const double *z = aterm + 2 * (int64_t)b->pair[2 * k + i];
            times(&re, &im, z[0], z[1]);
        }
        sum += b->weight[k] * (re * cos(angle) - im * sin(angle));
    }
    return sum;
}

void direct_sum(const grid_batch *b, const grid_aterms *a, bool flat, int places,
                const direct_place *place, double *out) {
    double *aterm = a ? malloc((size_t)a->antennas * 2 * sizeof *aterm) : NULL;
    for (int i = 0; i < places; i++) {
        for (int64_t j = 0; aterm && j < a->antennas; j++)
            direct_aterm(a, j, place[i].l, place[i].m, aterm + 2 * j, aterm + 2 * j + 1);
        out[i] = sum_at(b, aterm, flat, &place[i]);
    }
    free(aterm);
}

double direct_error(int n, const double *x, const double *y) {
    double difference = 0, size = 0;
    for (int i = 0; i < n; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        size += y[i] * y[i];
    }
    return sqrt(difference / size);
}
