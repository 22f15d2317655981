/* The exact sum of an image at single pixels, and made-up visibilities. Gridding methods are compared with these. */
#ifndef WADI_TESTS_GRIDDING_DIRECT_H
#define WADI_TESTS_GRIDDING_DIRECT_H

#include "apps/gridding/method.h"

/* A place on the sky: direction cosines, and, of a source, its flux in Jy. */
typedef struct direct_place {
    double l, m, flux;
} direct_place;

/* A batch that owns its columns. */
typedef struct direct_data {
    grid_batch batch;
    double *column; /* u, v, w, weight, vis */
    int32_t *pair;
} direct_data;

/* n visibilities without values: u, v up to most_uv and w up to most_w wavelengths in absolute value, weights 0.5 to 1.5, pairs of
 * `antennas` antennas; the same ones for the same seed. False: out of memory. */
bool direct_data_make(int64_t n, double most_uv, double most_w, int antennas, unsigned seed,
                      direct_data *out);
void direct_data_free(direct_data *d);

/* What an interferometer sees of the sources; without A-terms, which belong to the image's sum. */
void direct_observe(direct_data *d, int sources, const direct_place *source);

/* An antenna's A(l, m): the sum of kernel[v, u] exp(2 pi i (u l + v m) / theta) over its cells, the middle one being 0. */
void direct_aterm(const grid_aterms *a, int64_t antenna, double l, double m, double *re,
                  double *im);

/* out[i] = sum_k weight_k Re[V_k A1 A2 exp(2 pi i (u l + v m + w (n - 1)))] at place i. `a` may be NULL; `flat`: without w. */
void direct_sum(const grid_batch *b, const grid_aterms *a, bool flat, int places,
                const direct_place *place, double *out);

/* Root of the mean square of x - y over that of y. */
double direct_error(int n, const double *x, const double *y);

#endif
