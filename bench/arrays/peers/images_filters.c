/* Peers of bench_images in C: filters and relaxation. Rows are clamped outside of the inner loop, and border columns are apart. */
#include "bench/arrays/peers/images.h"

#include <math.h>

static const float weight[5] = {1.F / 16, 4.F / 16, 6.F / 16, 4.F / 16, 1.F / 16};

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* out[i][j] for all rows from the rows around: EXPRESSION(AT) with AT(row + REACH, distance), clamped at the ends of rows and plain between. */
#define INSIDE(k, d) row[k][j + (d)]
#define EDGE(k, d) row[k][clamped(j + (d), w)]
#define ROWS(NAME, REACH, EXPRESSION)                                                       \
    static void NAME(int64_t h, int64_t w, const float *restrict in, float *restrict out) { \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < h; i++) {      \
            const float *row[2 * (REACH) + 1];                                              \
            for (int64_t k = -(REACH); k <= (REACH); k++)                                   \
                row[k + (REACH)] = in + clamped(i + k, h) * w;                              \
            float *to = out + i * w;                                                        \
            for (int64_t j = 0; j < w; j++) {                                               \
                if (j == (REACH) && w > 2 * (REACH)) j = w - (REACH);                       \
                to[j] = EXPRESSION(EDGE);                                                   \
            }                                                                               \
            _Pragma("omp simd") for (int64_t j = (REACH); j < w - (REACH); j++) to[j] =     \
                EXPRESSION(INSIDE);                                                         \
        }                                                                                   \
    }

#define FIVE(AT) ((((AT(0, 0) + AT(1, -1)) + AT(1, 1)) + AT(2, 0)) * 0.25F)
ROWS(five, 1, FIVE)

#define LINE(AT, r, k)                                                                 \
    (((((AT(r, -2) * (weight[k] * weight[0])) + AT(r, -1) * (weight[k] * weight[1])) + \
       AT(r, 0) * (weight[k] * weight[2])) +                                           \
      AT(r, 1) * (weight[k] * weight[3])) +                                            \
     AT(r, 2) * (weight[k] * weight[4]))
#define WHOLE(AT) \
    (LINE(AT, 0, 0) + LINE(AT, 1, 1) + LINE(AT, 2, 2) + LINE(AT, 3, 3) + LINE(AT, 4, 4))
ROWS(whole, 2, WHOLE)

#define GX(AT) \
    (((AT(0, 1) + AT(1, 1) * 2.F) + AT(2, 1)) - ((AT(0, -1) + AT(1, -1) * 2.F) + AT(2, -1)))
#define GY(AT) \
    (((AT(2, -1) + AT(2, 0) * 2.F) + AT(2, 1)) - ((AT(0, -1) + AT(0, 0) * 2.F) + AT(0, 1)))
#define SOBEL(AT) sqrtf(GX(AT) * GX(AT) + GY(AT) * GY(AT))
ROWS(sobel, 1, SOBEL)
ROWS(slope_x, 1, GX)
ROWS(slope_y, 1, GY)

void peer_gauss(const image_peer *p) {
    whole(p->shape[0], p->shape[1], p->in[0], p->out);
}

void peer_sobel(const image_peer *p) {
    sobel(p->shape[0], p->shape[1], p->in[0], p->out);
}

/* Down first, into a row of its own that stays in the cache; then across. */
void peer_separable(const image_peer *p) {
    const int64_t h = p->shape[0], w = p->shape[1];
    const float *in = p->in[0];
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h; i++) {
        float *restrict t = (float *)p->room[0] + i * w, *restrict to = (float *)p->out + i * w;
        const float *a = in + clamped(i - 2, h) * w, *b = in + clamped(i - 1, h) * w,
                    *c = in + i * w, *d = in + clamped(i + 1, h) * w,
                    *e = in + clamped(i + 2, h) * w;
#pragma omp simd
        for (int64_t j = 0; j < w; j++)
            t[j] = (a[j] + e[j]) * weight[0] + (b[j] + d[j]) * weight[1] + c[j] * weight[2];
#define SMOOTH(AT) ((AT(-2) + AT(2)) * weight[0] + (AT(-1) + AT(1)) * weight[1] + AT(0) * weight[2])
#define T_EDGE(d) t[clamped(j + (d), w)]
#define T_INSIDE(d) t[j + (d)]
        for (int64_t j = 0; j < w; j++) {
            if (j == 2 && w > 4) j = w - 2;
            to[j] = SMOOTH(T_EDGE);
        }
#pragma omp simd
        for (int64_t j = 2; j < w - 2; j++) to[j] = SMOOTH(T_INSIDE);
    }
}

void peer_harris(const image_peer *p) {
    const int64_t h = p->shape[0], w = p->shape[1];
    float *dx = p->room[0], *dy = p->room[1];
    slope_x(h, w, p->in[0], dx);
    slope_y(h, w, p->in[0], dy);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h; i++) {
        const float *x[3], *y[3];
        float *restrict to = (float *)p->out + i * w;
        for (int64_t k = 0; k < 3; k++) {
            x[k] = dx + clamped(i + k - 1, h) * w;
            y[k] = dy + clamped(i + k - 1, h) * w;
        }
#define THREE(F, k, l, r) (F(k, l) + F(k, j) + F(k, r))
#define NINE(F, l, r) (THREE(F, 0, l, r) + THREE(F, 1, l, r) + THREE(F, 2, l, r))
#define XX(k, j) (x[k][j] * x[k][j])
#define XY(k, j) (x[k][j] * y[k][j])
#define YY(k, j) (y[k][j] * y[k][j])
#define CORNER(l, r)                                                        \
    const float a = NINE(XX, l, r), b = NINE(XY, l, r), c = NINE(YY, l, r); \
    to[j] = a * c - b * b - HARRIS_K * (a + c) * (a + c);
        for (int64_t j = 0; j<w; j += w> 1 ? w - 1 : 1) {
            CORNER(clamped(j - 1, w), clamped(j + 1, w))
        }
#pragma omp simd
        for (int64_t j = 1; j < w - 1; j++) {
            CORNER(j - 1, j + 1)
        }
    }
}

/* ---- in loops ---- */

static void repeat(int turns, const image_peer *p,
                   void (*step)(const image_peer *, const float *, float *)) {
    const float *from = p->in[0];
    for (int t = 0; t < turns; t++) {
        float *to = (turns - t) % 2 ? p->out : p->room[0];
        step(p, from, to);
        from = to;
    }
}

static void jacobi_step(const image_peer *p, const float *from, float *to) {
    five(p->shape[0], p->shape[1], from, to);
}

void peer_jacobi(const image_peer *p) {
    repeat(JACOBI_TURNS, p, jacobi_step);
}

static void heat_step(const image_peer *p, const float *in, float *out) {
    const int64_t d = p->shape[0], h = p->shape[1], w = p->shape[2];
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d; z++)
        for (int64_t y = 0; y < h; y++) {
            const float *here = in + (z * h + y) * w, *zl = in + (clamped(z - 1, d) * h + y) * w,
                        *zh = in + (clamped(z + 1, d) * h + y) * w,
                        *yl = in + (z * h + clamped(y - 1, h)) * w,
                        *yh = in + (z * h + clamped(y + 1, h)) * w;
            float *restrict to = out + (z * h + y) * w;
#define HEAT_AT(l, r) \
    (here[x] + ((((((zl[x] + yl[x]) + here[l]) + here[r]) + yh[x]) + zh[x]) - here[x] * 6.F) * 0.1F)
            for (int64_t x = 0; x<w; x += w> 1 ? w - 1 : 1)
                to[x] = HEAT_AT(clamped(x - 1, w), clamped(x + 1, w));
#pragma omp simd
            for (int64_t x = 1; x < w - 1; x++) to[x] = HEAT_AT(x - 1, x + 1);
        }
}

void peer_heat(const image_peer *p) {
    repeat(HEAT_TURNS, p, heat_step);
}
