/* Tables for transforms whose extents are known when the program is built. They are computed here in double precision and
 * become constants of the program. */
#include "operators/fft_tables.h"

#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586476925286766559;

/* By symmetry, only sines and cosines of angles up to an eighth of a circle are computed; these are accurate. */
void wadi_fft_root(int64_t k, int64_t n, int sign, double *re, double *im) {
    k %= n;
    const int64_t octant = 8 * k / n; /* n stays far below 2^60 */
    const bool odd = octant % 2 != 0;
    const int64_t quarter = octant / 2 + (odd ? 1 : 0);
    const double angle = two_pi * ((double)(4 * k - quarter * n) / (4.0 * (double)n));
    const double c = cos(angle), s = sin(angle);
    const double x[4] = {c, -s, -c, s}, y[4] = {s, c, -s, -c};
    *re = x[quarter % 4];
    *im = sign * y[quarter % 4];
}

/* The constant array, c128 or c64, with these extents and the parts re[], im[]. */
static wadi_acc constant(wadi_type t, int rank, const int64_t *extent, const double *re,
                         const double *im) {
    wadi_array a = {.rank = rank, .fields = 1, .type = {t}};
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= a.shape[d] = extent[d];
    void *column = malloc((size_t)(n + 1) * (size_t)wadi_type_size(t));
    if (!column) {
        wadi_lang_fail(WADI_MEMORY, "fft: out of memory");
        return WADI_NO_ACC;
    }
    for (int64_t i = 0; i < n; i++) {
        if (t == WADI_C64) {
            ((float *)column)[2 * i] = (float)re[i];
            ((float *)column)[2 * i + 1] = (float)im[i];
        } else {
            ((double *)column)[2 * i] = re[i];
            ((double *)column)[2 * i + 1] = im[i];
        }
    }
    a.column[0] = column;
    const wadi_acc table = wadi_use(&a);
    free(column);
    return table;
}

/* Memory for the parts of a table of n elements: n real parts, then n imaginary parts. NULL after a mistake. */
static double *parts(int64_t n) {
    double *p = malloc((size_t)(2 * n + 1) * sizeof *p);
    if (!p) wadi_lang_fail(WADI_MEMORY, "fft: out of memory");
    return p;
}

wadi_acc wadi_fft_twiddles(wadi_type t, int64_t l, int r, int sign) {
    const int64_t n = l * r, extent[] = {l, r};
    double *re = parts(n);
    if (!re) return WADI_NO_ACC;
    for (int64_t k = 0; k < l; k++)
        for (int64_t q = 0; q < r; q++)
            wadi_fft_root(k * q, n, sign, &re[k * r + q], &re[n + k * r + q]);
    const wadi_acc table = constant(t, 2, extent, re, re + n);
    free(re);
    return table;
}

wadi_acc wadi_fft_chirp(wadi_type t, int64_t n, int sign) {
    double *re = parts(n);
    if (!re) return WADI_NO_ACC;
    for (int64_t k = 0; k < n; k++) wadi_fft_root(k * k % (2 * n), 2 * n, sign, &re[k], &re[n + k]);
    const wadi_acc table = constant(t, 1, &n, re, re + n);
    free(re);
    return table;
}

int64_t wadi_fft_chirp_length(int64_t n) {
    int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    return m;
}

/* A transform in place by decimation in time; the length is a power of two. It is used only for tables. */
static void transform(int64_t n, double *re, double *im) {
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j |= bit;
        if (i >= j) continue;
        const double x = re[i], y = im[i];
        re[i] = re[j], im[i] = im[j];
        re[j] = x, im[j] = y;
    }
    for (int64_t l = 1; l < n; l *= 2)
        for (int64_t k = 0; k < l; k++) {
            double c, s;
            wadi_fft_root(k, 2 * l, -1, &c, &s);
            for (int64_t i = k; i < n; i += 2 * l) {
                const double x = re[i + l] * c - im[i + l] * s, y = re[i + l] * s + im[i + l] * c;
                re[i + l] = re[i] - x, im[i + l] = im[i] - y;
                re[i] += x, im[i] += y;
            }
        }
}

wadi_acc wadi_fft_chirp_transform(wadi_type t, int64_t n, int64_t m, int sign) {
    double *re = parts(m);
    if (!re) return WADI_NO_ACC;
    for (int64_t i = 0; i < 2 * m; i++) re[i] = 0;
    for (int64_t k = 0; k < n; k++) {
        double c, s;
        wadi_fft_root(k * k % (2 * n), 2 * n, -sign, &c, &s);
        re[k] = re[(m - k) % m] = c;
        re[m + k] = re[m + (m - k) % m] = s;
    }
    transform(m, re, re + m);
    const wadi_acc table = constant(t, 1, &m, re, re + m);
    free(re);
    return table;
}
