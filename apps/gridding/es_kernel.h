/* The exponential-of-semicircle kernel (Barnett, Magland, af Klinteberg, SIAM J. Sci. Comput. 41, 2019): what spreads a sample
 * over the W grid points around it, in each of the directions u, v, w.
 *
 *     phi(x) = exp(beta (sqrt(1 - x^2) - 1)),  |x| <= 1,  x = distance / (W / 2)
 *
 * The grid is sigma times as fine as the wanted range in the other domain needs. The result is divided by phi's Fourier integral. It then
 * differs from the exact sum by the leak: what the integral lets in from the neighbouring periods of the grid. This file computes
 * the leak, and chooses the smallest W, and the beta for it, whose leak is small enough. */
#ifndef WADI_APPS_GRIDDING_ES_KERNEL_H
#define WADI_APPS_GRIDDING_ES_KERNEL_H

#include <stdbool.h>

enum { ES_SUPPORT_MOST = 20, ES_DEGREE_MOST = 24 };

typedef struct es_kernel {
    int support; /* W, grid points */
    double beta;
    double leak; /* rms over the range, relative */
    double gain; /* by how much dividing by the integral raises even noise, rms over the range */
} es_kernel;

/* The least support up to `most` whose leak is at most `epsilon` on a grid finer by sigma > 1. False: none. */
bool es_kernel_choose(double sigma, double epsilon, int most, es_kernel *out);

/* phi's Fourier integral at `t` cycles per grid step, |t| <= 1/2 / sigma in use:  sum over a line of the grid of phi(i - x) exp(2 pi
 * i t (i - x))  is this up to the leak. */
double es_kernel_integral(const es_kernel *k, double t);

/* The integral for many places: a Chebyshev series in t^2 over |t| <= most_t. */
typedef struct es_series {
    int n;
    double most_t, c[40];
} es_series;

void es_series_fit(const es_kernel *k, double most_t, es_series *out);
double es_series_at(const es_series *s, double t);

/* phi as polynomials: the weight of grid point j, 0 <= j < W, for a sample that lies W/2 - f grid steps behind the first point, 0
 * <= f < 1, is  sum_d c[d * W + j] (2 f - 1)^d . The degree is the least whose error is below `error`. */
typedef struct es_pieces {
    int support, degree;
    double c[(ES_DEGREE_MOST + 1) * ES_SUPPORT_MOST];
} es_pieces;

void es_pieces_fit(const es_kernel *k, double error, es_pieces *out);

#endif
