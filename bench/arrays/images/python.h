/* Peers of bench_images in Python: bench/arrays/peers/images.py, one process for each library that has the line. Inputs and results go there and back as
 * files of a temporary folder. */
#ifndef WADI_BENCH_ARRAYS_IMAGES_PYTHON_H
#define WADI_BENCH_ARRAYS_IMAGES_PYTHON_H

#include "bench/arrays/images/images.h"
#include "bench/streams/child.h"

enum { IMAGE_PYTHONS = 4 };

typedef struct image_pythons {
    int n;
    char name[IMAGE_PYTHONS][16];
    bench_child *child[IMAGE_PYTHONS];
} image_pythons;

/* Starts the libraries of the line that are there, and compares what they compute with `ours`; missing ones are told. Errors: WADI_INTERNAL (results
 * differ), WADI_IO. */
WADI_NODISCARD wadi_status image_pythons_open(const bench *b, const image_line *l,
                                              const int64_t *shape, int64_t n,
                                              void *const in[IMAGE_INPUTS], const void *ours,
                                              image_pythons *out, wadi_error *err);
void image_pythons_close(image_pythons *p);

/* Compares n elements of wadi's result with a peer's. Errors: WADI_INTERNAL. */
WADI_NODISCARD wadi_status image_same(const image_line *l, int64_t n, const char *peer,
                                      const void *ours, const void *theirs, wadi_error *err);

#endif
