/* exp(2 pi i w (n - 1)), n = sqrt(1 - l^2 - m^2), over a square field as a sum of few products  sum_r a_r(l) a_r(m).
 *
 * Its slices along l at a few places m_j say all there is: with X[i, j] its value at (m_i, m_j),  g(l, m) = sum_ij g(l, m_i)
 * X^-1[i, j] g(m_j, m)  up to an error that falls geometrically with their number, as that of interpolation between Chebyshev
 * points does (a skeleton approximation: Goreinov, Tyrtyshnikov, Zamarashkin, Linear Algebra Appl. 261, 1997). X is symmetric, X = L L',
 * so a = L^-1 g. What l and m have to do with one another is small - of fourth order in the field - so one or two products
 * suffice for fields of a few degrees. */
#ifndef WADI_APPS_GRIDDING_WSLICE_H
#define WADI_APPS_GRIDDING_WSLICE_H

#include <complex.h>

enum { GRID_SLICES_MOST = 16 };

/* The number of slices that makes the root of the mean square of the error over |l|, |m| <= edge at most `error`; one more than the
 * most where these do not. */
int grid_wslice_count(double edge, double w, double error);

/* Slice j of n: m_j, and 1 - sqrt(1 - m_j^2). */
typedef struct grid_wslice {
    double m, drop;
} grid_wslice;

grid_wslice grid_wslice_at(double edge, int n, int j);

/* mix[r, j]:  a_r(l) = sum_j mix[r, j] exp(2 pi i w (sqrt(1 - l^2 - m_j^2) - 1 + drop_j)).  Where n slices are more than can be told
 * apart, the last are 0. */
void grid_wslice_mix(double edge, int n, double w, double complex *mix);

#endif
