/* Norms and largest differences. */
#include "cli/difference.h"

#include <math.h>

static bool are_finite(double a, double b) {
    return isfinite(a) && isfinite(b);
}

bool wadi_cli_close(const double *x, const double *y, size_t n, double most) {
    double norm = 0, apart = 0;
    for (size_t i = 0; i < n; i++) {
        if (!are_finite(x[i], y[i])) continue;
        norm += x[i] * x[i];
        apart += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return apart <= most * most * norm;
}

static bool same_kind(double a, double b) {
    return are_finite(a, b) || (isnan(a) && isnan(b)) || a == b;
}

bool wadi_cli_same_kinds(const double *x, const double *y, size_t n) {
    size_t i = 0;
    while (i < n && same_kind(x[i], y[i])) i++;
    return i == n;
}

static void take(wadi_cli_largest *l, double size, const char *name, size_t at) {
    if (size > l->size) *l = (wadi_cli_largest){size, name, at};
}

void wadi_cli_difference_note(wadi_cli_difference *d, const char *name, const double *x,
                              const double *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!are_finite(x[i], y[i]) || x[i] == y[i]) continue;
        const double apart = fabs(x[i] - y[i]);
        take(&d->absolute, apart, name, i);
        take(&d->relative, apart / fmax(fabs(x[i]), fabs(y[i])), name, i);
    }
}
