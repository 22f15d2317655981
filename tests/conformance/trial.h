/* A random program with its input, ready to be judged. */
#ifndef TESTS_CONFORMANCE_TRIAL_H
#define TESTS_CONFORMANCE_TRIAL_H

#include "tests/conformance/generator.h"
#include "tests/conformance/runner.h"

/* Seeds below are compiled in every run of the tests. */
enum { TRIAL_SEEDS = 24 };

typedef struct trial {
    wadi_program *program;
    gen_input input;
    wadi_interp_input inputs[1 + GEN_MAX_INPUTS];
    wadi_interp_source sources[GEN_MAX_STREAMS];
    conf_case c;
} trial;

/* The program of (seed, size) with the seed's input, of which elements skip .. skip + count - 1 are used; count < 0: all.
 * False: `why` says what is wrong. fini is needed in both cases. */
bool trial_init(trial *t, uint64_t seed, int size, int64_t skip, int64_t count, wadi_text *why);
void trial_fini(trial *t);

/* How large the program of a seed is when nothing is being shrunk. */
int trial_size(uint64_t seed);

/* Seeds from <= seed < to, as WADI_CONFORMANCE_SEEDS chooses them: "N" for 0..N-1, "A-B", else 0..most-1. */
void trial_seeds(int most, uint64_t *from, uint64_t *to);

#endif
