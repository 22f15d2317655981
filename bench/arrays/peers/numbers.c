#include "bench/arrays/peers/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) {
    return 1;
}
#endif

static inline float normal(float d) {
    const float k = 1.0F / (1.0F + 0.2316419F * fabsf(d));
    const float h =
        k * (0.31938153F +
             k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F))));
    const float c = 0.39894228F * expf(-0.5F * d * d) * h;
    return d > 0 ? 1.0F - c : c;
}

void peer_options(int64_t n, const float *restrict price, const float *restrict strike,
                  const float *restrict t, float *restrict call, float *restrict put) {
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        const float w = 0.3F * sqrtf(t[i]), d = (logf(price[i] / strike[i]) + 0.065F * t[i]) / w;
        const float a = normal(d), b = normal(d - w), later = strike[i] * expf(-0.02F * t[i]);
        call[i] = price[i] * a - later * b;
        put[i] = later * (1.0F - b) - price[i] * (1.0F - a);
    }
}

float peer_dot(int64_t n, const float *restrict x, const float *restrict y) {
    float s = 0;
#pragma omp parallel for simd reduction(+ : s)
    for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

void peer_bodies(int64_t n, const float *restrict x, const float *restrict y,
                 const float *restrict z, const float *restrict m, float *restrict a,
                 float *restrict b, float *restrict c) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        const float xi = x[i], yi = y[i], zi = z[i];
        float p = 0, q = 0, r = 0;
#pragma omp simd reduction(+ : p, q, r)
        for (int64_t j = 0; j < n; j++) {
            const float u = x[j] - xi, v = y[j] - yi, w = z[j] - zi;
            const float d = u * u + v * v + w * w + 0.01F, g = m[j] / (d * sqrtf(d));
            p += u * g;
            q += v * g;
            r += w * g;
        }
        a[i] = p;
        b[i] = q;
        c[i] = r;
    }
}

/* ---- radix sort ---- */

enum { DIGITS = 256 };

static int64_t part(int64_t n, int p, int parts) {
    return n * p / parts;
}

/* One digit of all keys, `from` to `to`; count has DIGITS for each part. */
static void round_of(int64_t n, int shift, const uint32_t *from, uint32_t *to, int parts,
                     int64_t (*count)[DIGITS]) {
    memset(count, 0, (size_t)parts * sizeof *count);
#pragma omp parallel for schedule(static, 1)
    for (int p = 0; p < parts; p++)
        for (int64_t i = part(n, p, parts); i < part(n, p + 1, parts); i++)
            count[p][from[i] >> shift & (DIGITS - 1)]++;
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; d++)
        for (int p = 0; p < parts; p++) {
            const int64_t here = count[p][d];
            count[p][d] = sum;
            sum += here;
        }
#pragma omp parallel for schedule(static, 1)
    for (int p = 0; p < parts; p++)
        for (int64_t i = part(n, p, parts); i < part(n, p + 1, parts); i++)
            to[count[p][from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

void peer_radix(int64_t n, const int32_t *keys, int32_t *out, int32_t *room) {
    const int parts = omp_get_max_threads();
    const uint32_t sign = (uint32_t)1 << 31;
    uint32_t *a = (uint32_t *)out, *b = (uint32_t *)room;
    int64_t(*count)[DIGITS] = malloc((size_t)parts * sizeof *count);
    if (count == NULL) return;
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) a[i] = (uint32_t)keys[i] ^ sign;
    for (int shift = 0; shift < 32; shift += 16) {
        round_of(n, shift, a, b, parts, count);
        round_of(n, shift + 8, b, a, parts, count);
    }
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) a[i] ^= sign;
    free(count);
}

/* ---- one vector ---- */

void peer_statistics(int64_t n, const float *restrict x, float *restrict out) {
    float s = 0, q = 0, low = x[0], high = x[0];
#pragma omp parallel for simd reduction(+ : s, q) reduction(min : low) reduction(max : high)
    for (int64_t i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    out[0] = s;
    out[1] = q;
    out[2] = low;
    out[3] = high;
}

void peer_norm2(int64_t n, const float *restrict x, const float *restrict y, float *restrict a,
                float *restrict b) {
    float s = 0, t = 0;
#pragma omp parallel for simd reduction(+ : s, t)
    for (int64_t i = 0; i < n; i++) {
        s += x[i];
        t += y[i] > 0 ? y[i] : 0;
    }
    const float u = 1 / s, v = 1 / t;
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        a[i] = x[i] * u;
        b[i] = y[i] * v;
    }
}

enum { BLOCK = 1 << 16 };

static double sum_of(int64_t n, const double *restrict x) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t i = 0; i < n; i++) s += x[i];
    return s;
}

void peer_scan(int64_t n, const double *restrict x, double *restrict out) {
    const int parts = omp_get_max_threads();
    double total[256], carry = 0;
    for (int64_t from = 0; from < n; from += (int64_t)BLOCK * parts) {
        const int64_t all = n - from < (int64_t)BLOCK * parts ? n - from : (int64_t)BLOCK * parts;
#pragma omp parallel num_threads(parts)
        {
#pragma omp for schedule(static, 1)
            for (int p = 0; p < parts; p++)
                total[p] = sum_of(part(all, p + 1, parts) - part(all, p, parts),
                                  x + from + part(all, p, parts));
#pragma omp for schedule(static, 1)
            for (int p = 0; p < parts; p++) {
                double s = carry;
                for (int q = 0; q < p; q++) s += total[q];
                for (int64_t i = from + part(all, p, parts); i < from + part(all, p + 1, parts);
                     i++)
                    out[i] = s += x[i];
            }
        }
        for (int p = 0; p < parts; p++) carry += total[p];
    }
}

void peer_segments(int64_t rows, const int64_t *restrict offsets, const double *restrict x,
                   double *restrict out) {
    if (rows >= 64) {
#pragma omp parallel for schedule(guided)
        for (int64_t r = 0; r < rows; r++) {
            double s = 0;
            if (offsets[r + 1] - offsets[r] > 32)
                s = sum_of(offsets[r + 1] - offsets[r], x + offsets[r]);
            else
                for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) s += x[i];
            out[r] = s;
        }
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        const double *from = x + offsets[r];
        const int64_t n = offsets[r + 1] - offsets[r];
        double s = 0;
#pragma omp parallel for simd reduction(+ : s)
        for (int64_t i = 0; i < n; i++) s += from[i];
        out[r] = s;
    }
}

/* ---- tables ---- */

void peer_histogram(int64_t n, const int32_t *x, int64_t bins, int64_t *out) {
    const int parts = omp_get_max_threads();
    int64_t *own = calloc((size_t)(parts * 2 * bins), sizeof *own);
    if (own == NULL) return;
#pragma omp parallel for schedule(static, 1)
    for (int p = 0; p < parts; p++) { /* two tables: equal neighbours do not wait for each other */
        int64_t *a = own + 2 * p * bins, *b = a + bins;
        int64_t i = part(n, p, parts);
        for (; i + 1 < part(n, p + 1, parts); i += 2) {
            a[x[i]]++;
            b[x[i + 1]]++;
        }
        for (; i < part(n, p + 1, parts); i++) a[x[i]]++;
    }
    for (int64_t k = 0; k < bins; k++) {
        out[k] = 0;
        for (int p = 0; p < 2 * parts; p++) out[k] += own[p * bins + k];
    }
    free(own);
}

enum { BATCH = 1024 };

static void nearest(int64_t n, const float *restrict x, const float *restrict y,
                    const float *restrict z, int64_t k, const float *restrict c,
                    int32_t *restrict label) {
    float best[BATCH];
    for (int64_t i = 0; i < n; i++) best[i] = 3e38F;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++) {
            const float u = x[i] - c[3 * j], v = y[i] - c[3 * j + 1], w = z[i] - c[3 * j + 2];
            const float d = u * u + v * v + w * w;
            label[i] = d < best[i] ? (int32_t)j : label[i];
            best[i] = d < best[i] ? d : best[i];
        }
}

void peer_kmeans(int64_t n, const float *x, const float *y, const float *z, int64_t k,
                 const float *centres, double *mx, double *my, double *mz, int64_t *count) {
    const int parts = omp_get_max_threads();
    double *own = calloc((size_t)(parts * k * 4), sizeof *own);
    if (own == NULL) return;
#pragma omp parallel for schedule(static, 1)
    for (int p = 0; p < parts; p++) {
        double *sum = own + p * k * 4;
        int32_t label[BATCH] = {0};
        const int64_t end = part(n, p + 1, parts);
        for (int64_t from = part(n, p, parts); from < end; from += BATCH) {
            const int64_t m = end - from < BATCH ? end - from : BATCH;
            nearest(m, x + from, y + from, z + from, k, centres, label);
            for (int64_t i = 0; i < m; i++) {
                double *s = sum + 4 * label[i];
                s[0] += (double)x[from + i];
                s[1] += (double)y[from + i];
                s[2] += (double)z[from + i];
                s[3] += 1;
            }
        }
    }
    for (int64_t j = 0; j < k; j++) {
        double s[4] = {0};
        for (int p = 0; p < parts; p++)
            for (int f = 0; f < 4; f++) s[f] += own[(p * k + j) * 4 + f];
        mx[j] = s[0] / s[3];
        my[j] = s[1] / s[3];
        mz[j] = s[2] / s[3];
        count[j] = (int64_t)s[3];
    }
    free(own);
}
