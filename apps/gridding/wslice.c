/* Computing slices. Each slice is first rotated back by its own drop, so that X contains only the small angles between l and
 * m. */
#include "apps/gridding/wslice.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* CMPLX, which not every compiler has. */
static double complex turned(double angle) {
    const double parts[] = {cos(angle), sin(angle)};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double drop_of(double m) {
    return m * m / (1 + sqrt(fmax(1 - m * m, 0)));
}

static grid_wslice with_drop(double drop) {
    return (grid_wslice){sqrt(drop * (2 - drop)), drop};
}

/* Chebyshev points in the drop, of which n - 1 is nearly a sum. */
grid_wslice grid_wslice_at(double edge, int n, int j) {
    return with_drop(0.5 * drop_of(edge) * (1 - cos(pi * (j + 0.5) / n)));
}

/* n - 1 without what l and m each do alone. */
static double complex together(grid_wslice l, grid_wslice m, double w) {
    const double r2 = l.m * l.m + m.m * m.m;
    const double angle = 2 * pi * w * (l.drop + m.drop - r2 / (1 + sqrt(fmax(1 - r2, 0))));
    return turned(angle);
}

/* Decomposes X = L L'. It ends early at a pivot of which rounding has left nothing. */
static void decompose(double edge, int n, double w, double complex *lower) {
    for (int i = 0; i < n * n; i++) lower[i] = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double complex x = together(grid_wslice_at(edge, n, i), grid_wslice_at(edge, n, j), w);
            for (int k = 0; k < j; k++) x -= lower[i * n + k] * lower[j * n + k];
            if (i == j && cabs(x) < 1e-11) return;
            lower[i * n + j] = i == j ? csqrt(x) : x / lower[j * n + j];
        }
    }
}

void grid_wslice_mix(double edge, int n, double w, double complex *mix) {
    double complex lower[GRID_SLICES_MOST * GRID_SLICES_MOST];
    decompose(edge, n, w, lower);
    for (int r = 0; r < n; r++) {
        const double complex pivot = lower[r * n + r];
        for (int j = 0; j < n; j++) {
            double complex x = r == j;
            for (int k = 0; k < r; k++) x -= lower[r * n + k] * mix[k * n + j];
            mix[r * n + j] = pivot == 0 ? 0 : x / pivot;
        }
    }
}

/* ---- how many ---- */

enum { CHECKS = 12 };

static double error_of(double edge, int n, double w) {
    double complex mix[GRID_SLICES_MOST * GRID_SLICES_MOST];
    double complex a[CHECKS][GRID_SLICES_MOST] = {{0}};
    grid_wslice at[CHECKS];
    double sum = 0;
    grid_wslice_mix(edge, n, w, mix);
    for (int i = 0; i < CHECKS; i++) {
        const double m = edge * (i + 0.5) / CHECKS;
        at[i] = (grid_wslice){m, drop_of(m)};
        for (int r = 0; r < n; r++)
            for (int j = 0; j < n; j++)
                a[i][r] += mix[r * n + j] * together(at[i], grid_wslice_at(edge, n, j), w);
    }
    for (int i = 0; i < CHECKS; i++) {
        for (int j = 0; j < CHECKS; j++) {
            double complex x = -together(at[i], at[j], w);
            for (int r = 0; r < n; r++) x += a[i][r] * a[j][r];
            sum += creal(x) * creal(x) + cimag(x) * cimag(x);
        }
    }
    return sqrt(sum) / CHECKS;
}

int grid_wslice_count(double edge, double w, double error) {
    int n = 1;
    while (n <= GRID_SLICES_MOST && !(error_of(edge, n, w) <= error)) n++;
    return n;
}
