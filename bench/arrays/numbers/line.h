/* One line of bench_numbers: a program of wadi, its inputs, and the peers that compute the same.
 *
 *     static const lines_input inputs[] = {{"x", x}};
 *     const numbers_line dot = {.benchmark = "dot", .name = "f32, 20 M", .text = "program dot\n..", ..};
 *     numbers_compare(b, &dot, err);
 *
 * Results of wadi and of the peer in C are compared element by element, those of peers in Python by a sum, before anything is timed. */
#ifndef WADI_BENCH_ARRAYS_NUMBERS_LINE_H
#define WADI_BENCH_ARRAYS_NUMBERS_LINE_H

#include "bench/streams/child.h"
#include "bench/streams/program.h"

enum { NUMBERS_INPUTS = 4, NUMBERS_OUTPUTS = 4 };

typedef struct numbers_line numbers_line;

/* The peer in C: reads the inputs of the line, and writes columns as long as those of wadi's results. */
typedef void (*numbers_peer)(const numbers_line *l, void *const *out);

struct numbers_line {
    const char *benchmark, *name;
    const char *text; /* the program */
    const char
        *tree;    /* the same where each use of a value computes it again; NULL: there is none */
    bool unfused; /* measured without fusion, too */
    const char *input_name[NUMBERS_INPUTS]; /* ended by NULL */
    wadi_array input[NUMBERS_INPUTS];       /* borrowed: vectors of one field */
    const char *output[NUMBERS_OUTPUTS];    /* ended by NULL; in all, as many columns at most */
    numbers_peer peer;
    const char *peer_name; /* NULL: "C OpenMP" */
    const char *task;      /* what peers/arrays.py calls it; NULL: no peer in Python */
    const char *libraries; /* that have it: "numpy jax numba polars" */
    int64_t extra;         /* for the peers: a length of rows, a number of bins */
    double bytes;          /* read and written at least; 0: not what bounds it */
    double operations;     /* on numbers; 0: not what bounds it */
    double asked;          /* at most so many times the best peer */
    double read;           /* asked: of the rate at which memory is read; 0: nothing is */
    double tolerance;      /* of floats: |a - b| <= tolerance (1 + |b|) */
};

/* Errors: WADI_INTERNAL (results differ), WADI_MEMORY, and those of compiling and running. */
WADI_NODISCARD wadi_status numbers_compare(bench *b, const numbers_line *l, wadi_error *err);
/* Ends the process of the peers in Python. */
void numbers_end(void);

/* A vector of n elements, to be filled, as an input of a line: column[0] is freed with free(). Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status numbers_vector(wadi_type type, int64_t n, wadi_array *out,
                                          wadi_error *err);
/* Numbers in [0, 1), of i and `salt`; the same on every machine. */
double numbers_unit(int64_t i, int salt);
/* The least of n and what a quick run takes. */
int64_t numbers_size(const bench *b, int64_t n, int64_t quick);

wadi_status numbers_prices(bench *b, wadi_error *err);
wadi_status numbers_dot(bench *b, wadi_error *err);
wadi_status numbers_bodies(bench *b, wadi_error *err);
wadi_status numbers_radix(bench *b, wadi_error *err);
wadi_status numbers_smvm(bench *b, wadi_error *err);
wadi_status numbers_statistics(bench *b, wadi_error *err);
wadi_status numbers_norm2(bench *b, wadi_error *err);
wadi_status numbers_masked(bench *b, wadi_error *err);
wadi_status numbers_beside(bench *b, wadi_error *err);
wadi_status numbers_scan(bench *b, wadi_error *err);
wadi_status numbers_segments(bench *b, wadi_error *err);
wadi_status numbers_histogram(bench *b, wadi_error *err);
wadi_status numbers_kmeans(bench *b, wadi_error *err);

#endif
