/* Random programs that may fault: few numbers, huge and negative ones among them, met again and again in indices, divisors, lengths
 * and offsets, wherever a computation may be moved to: branches, loops and sequences that have no round, bodies of segments.
 *
 * All that is computed is delivered, but for the first elements of arrays that lose them in a loop: those an optimiser may leave
 * out with their faults (docs/LANGUAGE.md). A program is made once more without them, as `lazy`: the same results, fewer faults. Compiled code
 * and the interpreter fault in the same element of the one or of the other, or nowhere. */
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
