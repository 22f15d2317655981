/* Random programs that are written twice: by calls of C, and as a text that calls the derived functions by name (decision 0103). */
#ifndef TESTS_CONFORMANCE_GENERATOR_WRITTEN_H
#define TESTS_CONFORMANCE_GENERATOR_WRITTEN_H

#include "base/text.h"
#include "wadi/wadi.h"

/* What such programs read: vectors and a matrix, a table of 4, and a stream of vectors. */
#define WRITTEN_TABLE "tab"
#define WRITTEN_STREAM "s"
enum { WRITTEN_INPUTS = 3 };

typedef struct written_inputs {
    wadi_type type[WRITTEN_INPUTS], stream;
    int rank[WRITTEN_INPUTS];
} written_inputs;

/* "a0", .. */
const char *written_input_name(int i);

/* The program of a seed; its text goes to `out`. *scalars: some function draws random numbers or takes sines, which a text has in place and C
 * shares, so that the programs give the same but are not the same. NULL: out of memory. */
wadi_program *written_program(uint64_t seed, written_inputs *in, wadi_text *out, bool *scalars);

#endif
