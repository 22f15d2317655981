/* The peer's grid: six transforms of 32 x 32 for each visibility, as in listing 5 of the paper. */
#include "bench/gridding/paper_peer.h"

#include "base/error.h"
#include "bench/gridding/paper_data.h"

#ifndef WADI_HAVE_FFTW

wadi_status paper_peer(const grid_canvas *c, const grid_wtable *w, const grid_aterms *a,
                       const grid_batch *b, int64_t n, int threads, double *grid, wadi_error *err) {
    WADI_UNUSED(c), WADI_UNUSED(w), WADI_UNUSED(a), WADI_UNUSED(b), WADI_UNUSED(n);
    WADI_UNUSED(threads), WADI_UNUSED(grid);
    return wadi_fail(err, WADI_UNSUPPORTED, "built without FFTW (libfftw3-dev)");
}

#else

#include <fftw3.h>
#include <math.h>
#include <string.h>

enum { SIDE = PAPER_SIDE, PADDED = 32, CELLS = SIDE * SIDE, BLOCK = 512 };

typedef struct pair {
    double re, im;
} pair;

/* A visibility's kernel, and where it goes. */
typedef struct tile {
    int64_t row, column; /* row -1: nowhere */
    pair value[CELLS];
} tile;

typedef struct peer {
    const grid_canvas *c;
    const grid_wtable *w;
    const grid_aterms *a;
    const grid_batch *b;
    fftw_plan forward, back;
} peer;

static void pad(const pair *kernel, pair *out) {
    memset(out, 0, PADDED * PADDED * sizeof *out);
    for (int i = 0; i < SIDE; i++) memcpy(out + i * PADDED, kernel + i * SIDE, SIDE * sizeof *out);
}

/* x * y, the middle of it. One of the work arrays gets a spectrum more than there are. */
static void convolve(const peer *p, const pair *x, const pair *y, pair (*work)[PADDED * PADDED],
                     pair *out) {
    pad(x, work[0]);
    pad(y, work[1]);
    fftw_execute_dft(p->forward, (fftw_complex *)work[0], (fftw_complex *)work[2]);
    fftw_execute_dft(p->forward, (fftw_complex *)work[1], (fftw_complex *)work[3]);
    for (int i = 0; i < PADDED * PADDED; i++) {
        const pair s = work[2][i], t = work[3][i];
        work[0][i] = (pair){s.re * t.re - s.im * t.im, s.re * t.im + s.im * t.re};
    }
    fftw_execute_dft(p->back, (fftw_complex *)work[0], (fftw_complex *)work[1]);
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            const pair z = work[1][(i + SIDE / 2) * PADDED + j + SIDE / 2];
            out[i * SIDE + j] = (pair){z.re / (PADDED * PADDED), z.im / (PADDED * PADDED)};
        }
    }
}

static int64_t spot(const peer *p, double x, int64_t *sub) {
    const int64_t q = p->w->oversample;
    const int64_t above = (int64_t)floor(x * p->c->fine + 0.5) + q / 2;
    const int64_t cell = above >= 0 ? above / q : -((-above + q - 1) / q);
    *sub = above - cell * q;
    return cell + p->c->cells / 2;
}

static void make_tile(const peer *p, int64_t k, pair (*work)[PADDED * PADDED], tile *out) {
    int64_t sub_x, sub_y;
    const grid_batch *b = p->b;
    const int64_t x = spot(p, b->u[k], &sub_x), y = spot(p, b->v[k], &sub_y), half = SIDE / 2;
    const int64_t bin = (int64_t)floor(fabs(b->w[k]) / p->w->step + 0.5), q = p->w->oversample;
    const int64_t most = p->c->cells - half;
    out->row = -1;
    if (x < half || x >= most || y < half || y >= most || bin >= p->w->bins) return;
    out->row = y - half;
    out->column = x - half;
    const pair *kernels = p->w->kernel.column[0], *aterm = (const pair *)p->a->kernel;
    const pair *from = kernels + ((bin * q + sub_y) * q + sub_x) * (int64_t)CELLS;
    pair w[CELLS], a[CELLS];
    for (int i = 0; i < CELLS; i++)
        w[i] = (pair){from[i].re, b->w[k] < 0 ? -from[i].im : from[i].im};
    convolve(p, aterm + b->pair[2 * k] * (int64_t)CELLS,
             aterm + b->pair[2 * k + 1] * (int64_t)CELLS, work, a);
    convolve(p, w, a, work, out->value);
    const pair v = {b->vis[2 * k] * b->weight[k], b->vis[2 * k + 1] * b->weight[k]};
    for (int i = 0; i < CELLS; i++) {
        const pair z = out->value[i];
        out->value[i] = (pair){v.re * z.re - v.im * z.im, v.re * z.im + v.im * z.re};
    }
}

/* Rows y with y / 8 % threads == mine. */
static void add_tile(const tile *t, int64_t cells, int mine, int threads, pair *grid) {
    if (t->row < 0) return;
    for (int i = 0; i < SIDE; i++) {
        if ((t->row + i) / 8 % threads != mine) continue;
        pair *row = grid + (t->row + i) * cells + t->column;
        for (int j = 0; j < SIDE; j++) {
            row[j].re += t->value[i * SIDE + j].re;
            row[j].im += t->value[i * SIDE + j].im;
        }
    }
}

static bool grid_all(const peer *p, int64_t n, int threads, double *grid) {
    const size_t each = 4 * PADDED * PADDED * sizeof(pair);
    tile *tiles = fftw_malloc(BLOCK * sizeof *tiles);
    pair(*work)[PADDED * PADDED] = fftw_malloc(each * (size_t)threads);
    for (int64_t from = 0; tiles && work && from < n; from += BLOCK) {
        const int64_t here = n - from < BLOCK ? n - from : BLOCK;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
        for (int t = 0; t < threads; t++)
            for (int64_t k = t; k < here; k += threads)
                make_tile(p, from + k, work + 4 * t, &tiles[k]);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
        for (int t = 0; t < threads; t++)
            for (int64_t k = 0; k < here; k++)
                add_tile(&tiles[k], p->c->cells, t, threads, (pair *)grid);
    }
    const bool fine = tiles && work;
    fftw_free(tiles);
    fftw_free(work);
    return fine;
}

wadi_status paper_peer(const grid_canvas *c, const grid_wtable *w, const grid_aterms *a,
                       const grid_batch *b, int64_t n, int threads, double *grid, wadi_error *err) {
    static fftw_plan forward, back; /* made once */
    fftw_complex *x = fftw_malloc(2 * PADDED * PADDED * sizeof *x);
    if (!x) return wadi_fail(err, WADI_MEMORY, "the peer: out of memory");
    if (!forward)
        forward =
            fftw_plan_dft_2d(PADDED, PADDED, x, x + PADDED * PADDED, FFTW_FORWARD, FFTW_MEASURE);
    if (!back)
        back =
            fftw_plan_dft_2d(PADDED, PADDED, x, x + PADDED * PADDED, FFTW_BACKWARD, FFTW_MEASURE);
    fftw_free(x);
    const peer p = {c, w, a, b, forward, back};
    if (!forward || !back || !grid_all(&p, n, threads, grid))
        return wadi_fail(err, WADI_MEMORY, "the peer: out of memory");
    return WADI_OK;
}

#endif
