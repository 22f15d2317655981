/* One line of bench_images: a program of wadi over grids, and the peers that compute the same.
 *
 * A line has up to three input arrays of one shape, "a", "b" and "c", and one result of that shape, "y". What each side computes is compared with wadi's
 * result element by element before anything is timed. */
#ifndef WADI_BENCH_ARRAYS_IMAGES_IMAGES_H
#define WADI_BENCH_ARRAYS_IMAGES_IMAGES_H

#include "bench/arrays/peers/images.h"
#include "bench/streams/program.h"

/* How a program is built. */
typedef struct image_build {
    bool
        anew; /* values that are used several times: anew at each use, as if their sharing was not recovered */
    bool
        unfused; /* without fusion: what would be one loop is several arrays, also where it is written as one */
} image_build;

typedef struct image_line {
    const char *benchmark, *name;
    const char *task; /* what peers/images.py calls it */
    int rank, inputs;
    int64_t shape[3];
    wadi_type in, out;
    void (*fill)(int64_t n, int input, void *to); /* n elements of an input; NULL: there are none */
    wadi_acc (*build)(const image_build *how, const wadi_acc *in, const int64_t *shape);
    void (*peer)(const image_peer *p); /* in C */
    int rooms;                         /* arrays of temporaries that the peer gets */
    const char *libraries;             /* peers in Python: "halide opencv numba jax" */
    bool columns;                      /* measured without fusion and without sharing, too */
    double bytes;      /* read and written at least, for each element of the result */
    double operations; /* on numbers, for each element */
    double tolerance;  /* |a - b| <= tolerance (1 + |b|) */
    double differ;     /* the share of elements that may differ nevertheless */
} image_line;

/* Measures a line, or in a quick run checks a small one. Errors: WADI_INTERNAL (results differ), WADI_MEMORY, those of compiling and running. */
WADI_NODISCARD wadi_status image_compare(bench *b, const image_line *l, wadi_error *err);
/* The sum of n >= 1 expressions, from the left. */
wadi_exp image_sum(int n, const wadi_exp *x);

/* The benchmarks of main.c. */
wadi_status images_filters(bench *b, wadi_error *err);
wadi_status images_grids(bench *b, wadi_error *err);
wadi_status images_canny(bench *b, wadi_error *err);
wadi_status images_fluid(bench *b, wadi_error *err);
wadi_status images_mandelbrot(bench *b, wadi_error *err);

#endif
