/* Peers of bench_images in C: a step of stable fluids, and points that escape. */
#include <string.h>

#include "bench/arrays/peers/images.h"

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* ---- fluid ---- */

typedef struct grid {
    int64_t h, w;
} grid;

/* One turn: out = (start + rate * neighbours of x) * factor. */
static void relax_once(grid g, float rate, float factor, const float *start, const float *x,
                       float *out) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g.h; i++) {
        const float *a = x + clamped(i - 1, g.h) * g.w, *b = x + i * g.w,
                    *c = x + clamped(i + 1, g.h) * g.w, *s = start + i * g.w;
        float *restrict to = out + i * g.w;
#define RELAXED(l, r) ((s[j] + (((a[j] + b[l]) + b[r]) + c[j]) * rate) * factor)
        for (int64_t j = 0; j<g.w; j += g.w> 1 ? g.w - 1 : 1)
            to[j] = RELAXED(clamped(j - 1, g.w), clamped(j + 1, g.w));
#pragma omp simd
        for (int64_t j = 1; j < g.w - 1; j++) to[j] = RELAXED(j - 1, j + 1);
    }
}

/* An even number of turns, from x, which stays, to `out`. */
static void relax(grid g, int turns, float rate, float factor, const float *start, const float *x,
                  float *spare, float *out) {
    for (int t = 0; t < turns; t++) {
        float *to = t % 2 == 0 ? spare : out;
        relax_once(g, rate, factor, start, x, to);
        x = to;
    }
}

static void diffuse(grid g, const float *x, float *spare, float *out) {
    relax(g, FLUID_DIFFUSE, FLUID_RATE, 1 / (1 + 4 * FLUID_RATE), x, x, spare, out);
}

/* Makes velocities free of sources, in place. */
static void project(grid g, float *u, float *v, float *source, float *spare, float *pressure) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g.h; i++) {
        const float *b = u + i * g.w, *a = v + clamped(i - 1, g.h) * g.w,
                    *c = v + clamped(i + 1, g.h) * g.w;
        float *restrict to = source + i * g.w;
        for (int64_t j = 0; j < g.w; j++)
            to[j] = -0.5F * (b[clamped(j + 1, g.w)] - b[clamped(j - 1, g.w)] + c[j] - a[j]);
    }
    memset(pressure, 0, (size_t)(g.h * g.w) * sizeof *pressure);
    relax(g, FLUID_PROJECT, 1, 0.25F, source, pressure, spare, pressure);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g.h; i++) {
        const float *a = pressure + clamped(i - 1, g.h) * g.w, *b = pressure + i * g.w,
                    *c = pressure + clamped(i + 1, g.h) * g.w;
        float *restrict x = u + i * g.w, *restrict y = v + i * g.w;
        for (int64_t j = 0; j < g.w; j++) {
            x[j] -= 0.5F * (b[clamped(j + 1, g.w)] - b[clamped(j - 1, g.w)]);
            y[j] -= 0.5F * (c[j] - a[j]);
        }
    }
}

static float origin(int64_t i, float v, int64_t n) {
    const float from = (float)i - FLUID_TIME * v, most = (float)n - 1.001F;
    return from < 0 ? 0 : from > most ? most : from;
}

static void advect(grid g, const float *what, const float *u, const float *v, float *out) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g.h; i++) {
        const float *un = u + i * g.w, *vn = v + i * g.w;
        float *restrict to = out + i * g.w;
#pragma omp simd
        for (int64_t j = 0; j < g.w; j++) {
            const float y = origin(i, vn[j], g.h), x = origin(j, un[j], g.w);
            const int32_t cy = (int32_t)y, cx = (int32_t)x;
            const float ty = y - (float)cy, tx = x - (float)cx;
            const float *at = what + cy * (int32_t)g.w + cx;
            const float upper = (1 - tx) * at[0] + tx * at[1];
            const float lower = (1 - tx) * at[g.w] + tx * at[g.w + 1];
            to[j] = (1 - ty) * upper + ty * lower;
        }
    }
}

void peer_fluid(const image_peer *p) {
    const grid g = {p->shape[0], p->shape[1]};
    float *u = p->room[0], *v = p->room[1], *u2 = p->room[2], *v2 = p->room[3], *spare = p->room[4],
          *d = p->out;
    diffuse(g, p->in[0], spare, u);
    diffuse(g, p->in[1], spare, v);
    project(g, u, v, u2, spare, v2);
    advect(g, u, u, v, u2);
    advect(g, v, u, v, v2);
    project(g, u2, v2, u, spare, v);
    diffuse(g, p->in[2], spare, u);
    advect(g, u, u2, v2, d);
}

/* ---- Mandelbrot: some points side by side ---- */

enum { LANES = 32, LOOK = 8 };

static void escape(const float *re, float im, int32_t *out) {
    float x[LANES] = {0}, y[LANES] = {0};
    int32_t k[LANES] = {0};
    for (int t = 0; t < MANDELBROT_MOST; t += LOOK) {
        int32_t inside = 0;
        for (int s = 0; s < LOOK && t + s < MANDELBROT_MOST; s++) {
            inside = 0;
#pragma omp simd reduction(+ : inside)
            for (int l = 0; l < LANES; l++) {
                const float xx = x[l] * x[l], yy = y[l] * y[l];
                const int32_t stays = xx + yy <= 4;
                y[l] = stays ? 2 * (x[l] * y[l]) + im : y[l];
                x[l] = stays ? xx - yy + re[l] : x[l];
                k[l] += stays;
                inside += stays;
            }
        }
        if (inside == 0) break;
    }
    memcpy(out, k, sizeof k);
}

void peer_mandelbrot(const image_peer *p) {
    const int64_t h = p->shape[0], w = p->shape[1];
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < h; i++) {
        const float im = (float)i * (2.F / (float)h) + -1.F;
        for (int64_t j = 0; j < w; j += LANES) {
            float re[LANES];
            int32_t k[LANES];
            for (int l = 0; l < LANES; l++) re[l] = (float)(j + l) * (3.F / (float)w) + -2.F;
            escape(re, im, k);
            const int64_t n = w - j < LANES ? w - j : LANES;
            memcpy((int32_t *)p->out + i * w + j, k, (size_t)n * sizeof *k);
        }
    }
}

/* ---- how fast arithmetic can be ---- */

float peer_arithmetic(int rounds, int threads) {
    enum { SUMS = 256 };
    float all = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(+ : all)
    for (int t = 0; t < threads; t++) {
        float x[SUMS];
        for (int l = 0; l < SUMS; l++) x[l] = (float)(l + t + 1);
        for (int64_t r = 0; r < (int64_t)rounds * 1048576 / SUMS; r++) {
#pragma omp simd
            for (int l = 0; l < SUMS; l++) x[l] = x[l] * 0.999F + 1.F;
        }
        for (int l = 0; l < SUMS; l++) all += x[l];
    }
    return all;
}
