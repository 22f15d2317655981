/* The peer of bench_images in C for Canny's edges: OpenCV's arithmetic in rows of whole numbers, then a stack of places for hysteresis. */
#include <stdlib.h>

#include "bench/arrays/peers/images.h"

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int64_t mirrored(int64_t i, int64_t n) {
    if (n == 1) return 0;
    return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

/* A row of the blurred picture; t has two places more on each side. */
static void blurred_row(int64_t w, const uint8_t *const row[5], uint16_t *restrict t,
                        uint8_t *restrict to) {
#pragma omp simd
    for (int64_t j = 0; j < w; j++)
        t[j + 2] = (uint16_t)(row[0][j] + row[4][j] + 4 * (row[1][j] + row[3][j]) + 6 * row[2][j]);
    for (int64_t d = 1; d <= 2; d++) {
        t[2 - d] = t[2 + mirrored(-d, w)];
        t[w + 1 + d] = t[2 + mirrored(w - 1 + d, w)];
    }
#pragma omp simd
    for (int64_t j = 0; j < w; j++)
        to[j] = (uint8_t)((uint16_t)(t[j] + t[j + 4] + 4 * (t[j + 1] + t[j + 3]) + 6 * t[j + 2] +
                                     128) >>
                          8);
}

static void blur(int64_t h, int64_t w, const uint8_t *in, uint8_t *out) {
#pragma omp parallel
    {
        uint16_t *t = malloc(((size_t)w + 4) * sizeof *t);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < h; i++) {
            const uint8_t *row[5];
            for (int64_t k = 0; k < 5; k++) row[k] = in + mirrored(i + k - 2, h) * w;
            if (t != NULL) blurred_row(w, row, t, out + i * w);
        }
        free(t);
    }
}

/* Sizes of slopes; in the lowest two bits which way they go. */
static void slopes(int64_t h, int64_t w, const uint8_t *in, int16_t *out) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h; i++) {
        const uint8_t *a = in + clamped(i - 1, h) * w, *b = in + i * w,
                      *c = in + clamped(i + 1, h) * w;
        int16_t *restrict to = out + i * w;
#define SLOPE(l, r)                                                               \
    const int16_t x = (int16_t)(a[r] + 2 * b[r] + c[r] - a[l] - 2 * b[l] - c[l]); \
    const int16_t y = (int16_t)(c[l] + 2 * c[j] + c[r] - a[l] - 2 * a[j] - a[r]); \
    const int16_t ax = (int16_t)(x < 0 ? -x : x), ay = (int16_t)(y < 0 ? -y : y); \
    const int32_t low = 13573 * ax, high = low + (ax << 16), up = ay << 15;       \
    const int16_t aslant = (int16_t)((x ^ y) < 0 ? 3 : 2);                        \
    const int16_t way = (int16_t)(up < low ? 0 : up > high ? 1 : aslant);         \
    to[j] = (int16_t)((ax + ay) << 2 | way);
        for (int64_t j = 0; j<w; j += w> 1 ? w - 1 : 1) {
            SLOPE(clamped(j - 1, w), clamped(j + 1, w))
        }
#pragma omp simd
        for (int64_t j = 1; j < w - 1; j++) {
            SLOPE(j - 1, j + 1)
        }
    }
}

/* 2: an edge, 1: it may become one. `none` is a row of zeros. */
static void thin(int64_t h, int64_t w, const int16_t *in, const int16_t *none, uint8_t *out) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h; i++) {
        const int16_t *a = i > 0 ? in + (i - 1) * w : none, *b = in + i * w,
                      *c = i < h - 1 ? in + (i + 1) * w : none;
        uint8_t *restrict to = out + i * w;
#define MARK(AL, A, AR, BL, BR, CL, C, CR)                                                 \
    const int16_t m = b[j] >> 2, way = b[j] & 3;                                           \
    const int16_t over = way == 0 ? (BL) : way == 1 ? (A) : way == 2 ? (AL) : (AR);        \
    const int16_t under = way == 0 ? (BR) : way == 1 ? (C) : way == 2 ? (CR) : (CL);       \
    const int greatest = (m > over >> 2) & (m + (way < 2) > under >> 2) & (m > CANNY_LOW); \
    to[j] = (uint8_t)(greatest ? 1 + (m > CANNY_HIGH) : 0);
        for (int64_t j = 0; j<w; j += w> 1 ? w - 1 : 1) {
            const int l = j > 0, r = j < w - 1;
            MARK(l ? a[j - 1] : 0, a[j], r ? a[j + 1] : 0, l ? b[j - 1] : 0, r ? b[j + 1] : 0,
                 l ? c[j - 1] : 0, c[j], r ? c[j + 1] : 0)
        }
#pragma omp simd
        for (int64_t j = 1; j < w - 1; j++) {
            MARK(a[j - 1], a[j], a[j + 1], b[j - 1], b[j + 1], c[j - 1], c[j], c[j + 1])
        }
    }
}

/* From each edge to what may be one around it. Each thread has a stack and takes its rows; both may mark one place, which does no harm. */
typedef struct stack {
    int64_t *at, n, room;
} stack;

static int push(stack *s, int64_t place) {
    if (s->n == s->room) {
        const int64_t room = s->room ? 2 * s->room : 4096;
        int64_t *at = realloc(s->at, (size_t)room * sizeof *at);
        if (at == NULL) return 0;
        s->at = at;
        s->room = room;
    }
    s->at[s->n++] = place;
    return 1;
}

static void follow(stack *s, int64_t h, int64_t w, uint8_t *mark) {
    while (s->n > 0) {
        const int64_t place = s->at[--s->n], i = place / w, j = place % w;
        for (int64_t y = i > 0 ? i - 1 : 0; y <= i + 1 && y < h; y++)
            for (int64_t x = j > 0 ? j - 1 : 0; x <= j + 1 && x < w; x++) {
                uint8_t *m = mark + y * w + x, was;
#pragma omp atomic read
                was = *m;
                if (was != 1) continue;
#pragma omp atomic write
                *m = 2;
                if (!push(s, y * w + x)) return;
            }
    }
}

static void connect(int64_t h, int64_t w, uint8_t *mark) {
#pragma omp parallel
    {
        stack s = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < h; i++)
            for (int64_t j = 0; j < w; j++) {
                uint8_t m;
#pragma omp atomic read
                m = mark[i * w + j];
                if (m == 2 && push(&s, i * w + j)) follow(&s, h, w, mark);
            }
        free(s.at);
    }
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < h * w; i++) mark[i] = mark[i] == 2 ? 255 : 0;
}

void peer_canny(const image_peer *p) {
    const int64_t h = p->shape[0], w = p->shape[1];
    int16_t *none = calloc((size_t)w, sizeof *none);
    if (none == NULL) return;
    blur(h, w, p->in[0], p->room[0]);
    slopes(h, w, p->room[0], p->room[1]);
    thin(h, w, p->room[1], none, p->out);
    connect(h, w, p->out);
    free(none);
}
