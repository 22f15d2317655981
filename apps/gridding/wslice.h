/* Writes g(l, m) = exp(2 pi i w (n - 1)), n = sqrt(1 - l^2 - m^2), over a square field as a sum of few products,  sum_r a_r(l) a_r(m).
 *
 * A few slices of g along l, at places m_j, determine it: if X[i, j] = g(m_i, m_j), then  g(l, m) = sum_ij g(l, m_i) X^-1[i, j] g(m_j, m),
 * with an error that falls geometrically with the number of slices, like that of interpolation between Chebyshev points (a skeleton
 * approximation: Goreinov, Tyrtyshnikov, Zamarashkin, Linear Algebra Appl. 261, 1997). X is symmetric, X = L L', so a = L^-1 g. The
 * coupling of l and m is small, of fourth order in the field, so one or two products suffice for fields of a few degrees. */
#ifndef WADI_APPS_GRIDDING_WSLICE_H
#define WADI_APPS_GRIDDING_WSLICE_H

#include <complex.h>

enum { GRID_SLICES_MOST = 16 };

/* The number of slices for which the rms error over |l|, |m| <= edge is at most `error`; GRID_SLICES_MOST + 1 if GRID_SLICES_MOST are not
 * enough. */
int grid_wslice_count(double edge, double w, double error);

/* Slice j of n: m_j, and 1 - sqrt(1 - m_j^2). */
typedef struct grid_wslice {
    double m, drop;
} grid_wslice;

grid_wslice grid_wslice_at(double edge, int n, int j);

/* Computes mix[r, j], with  a_r(l) = sum_j mix[r, j] exp(2 pi i w (sqrt(1 - l^2 - m_j^2) - 1 + drop_j)).  If rounding leaves fewer than n
 * independent slices, the last rows are 0. */
void grid_wslice_mix(double edge, int n, double w, double complex *mix);

#endif
