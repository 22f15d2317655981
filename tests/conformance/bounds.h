/* Random programs in which data decide extents and indices. A number is an extent in one place and an index in another: on both sides of a branch, in
 * loops of some turns or none, in the bodies of sequences. Numbers are small, negative, next to 2^31 and 2^32, or so large that no array has that extent. Rows are
 * empty, short, next to the length of a block, and long. Arrays are shaped anew, sorted, searched, filtered, permuted beside their ends, and read by stencils.
 * A third of the programs have short rows, some of them empty, with filters in them, and deliver arrays each on its own.
 *
 * Everything that is computed is delivered, and nothing that may fault is dropped. So what faults in the interpreter faults in compiled code. */
#ifndef TESTS_CONFORMANCE_BOUNDS_H
#define TESTS_CONFORMANCE_BOUNDS_H

#include "tests/conformance/generator.h"
#include "tests/conformance/runner.h"

enum { BOUNDS_COUNT = 20, BOUNDS_ROW = 1000, BOUNDS_TABLE = 17, BOUNDS_PARTS = 3 };

#define BOUNDS_STREAM "in"

/* What a program is bound to: elements of a vector and two numbers; and a table. */
typedef struct bounds_input {
    int64_t vector[BOUNDS_COUNT][BOUNDS_ROW], large[BOUNDS_COUNT], small[BOUNDS_COUNT];
    int64_t table[BOUNDS_TABLE];
    wadi_array element[BOUNDS_COUNT * BOUNDS_PARTS];
    wadi_interp_input input[1];
    int inputs;
} bounds_input;

/** Writes the program of a seed, and makes its input. `steps`: how many computations an element has, less than 0: as many as the seed says. False if there is no memory. */
bool bounds_program(uint64_t seed, int steps, wadi_text *out, bounds_input *in);

#endif
