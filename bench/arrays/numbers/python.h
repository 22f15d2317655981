/* Peers in Python: bench/arrays/peers/arrays.py, one process for the whole program. A line's inputs go there as files of a temporary folder, which are
 * removed when it has read them. */
#ifndef WADI_BENCH_ARRAYS_NUMBERS_PYTHON_H
#define WADI_BENCH_ARRAYS_NUMBERS_PYTHON_H

#include "bench/arrays/numbers/line.h"

enum { NUMBERS_LIBRARIES = 6 };

typedef struct numbers_library {
    char name[16], question[32];
    bool there;
} numbers_library;

/* Hands the inputs over; *out_n is 0 where there is no Python, or no numpy, which is told. Errors: WADI_IO. */
WADI_NODISCARD wadi_status numbers_libraries_load(const bench *b, const numbers_line *l,
                                                  numbers_library *out, int *out_n,
                                                  wadi_error *err);
/* The first run: tells whether the library is there, and compares the weighted sum of its results. Errors: WADI_INTERNAL. */
WADI_NODISCARD wadi_status numbers_library_check(const bench *b, const char *name,
                                                 numbers_library *p, double sum, double tolerance,
                                                 wadi_error *err);
/* A bench_fn; env is the numbers_library. */
WADI_NODISCARD wadi_status numbers_library_run(void *env, double *out_seconds, wadi_error *err);

#endif
