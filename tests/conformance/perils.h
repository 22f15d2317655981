/* Random programs that may fault. They use few numbers, among them huge and negative ones, again and again as indices, divisors,
 * lengths and offsets. They do so wherever a computation could be moved to: in branches, in loops and sequences without a round,
 * in bodies of segments.
 *
 * Everything that is computed is delivered, with one exception: a loop may drop the first elements of an array. An optimiser may
 * leave these out with their faults (docs/LANGUAGE.md). So each program is also made without them, as `lazy`, with the same results
 * and fewer faults. Compiled code faults in the same element as the interpreter does for one of the two, or not at all if neither
 * faults. */
#ifndef TESTS_CONFORMANCE_PERILS_H
#define TESTS_CONFORMANCE_PERILS_H

#include "tests/conformance/generator.h"

enum { PERIL_COUNT = 7, PERIL_TABLE = 16, PERIL_LENGTH = 40 };

#define PERIL_STREAM "in"
#define PERIL_SINK "out"
#define PERIL_INPUT "table"

/* What a program is bound to: elements of a vector and a number; for programs behind windows, of a number alone. */
typedef struct peril_input {
    int parts;
    int64_t vector[PERIL_COUNT][PERIL_LENGTH], number[PERIL_COUNT], table[PERIL_TABLE];
    wadi_array element[2 * PERIL_COUNT], table_array;
} peril_input;

/* What a program is made of. */
typedef struct peril_order {
    uint64_t seed;
    int places;   /* how many computations an element has */
    int64_t most; /* it is cut after so many results; -1: not */
    bool lazy;    /* what is dropped right away is not computed */
} peril_order;

/** The program that is ordered, and its input. The caller destroys it. */
wadi_program *peril_program(const peril_order *order, peril_input *out);

#endif
