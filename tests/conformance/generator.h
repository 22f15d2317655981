/* Random well-typed programs and ragged inputs for them.
 *
 * A program is a function of (seed, size): the same pair gives the same program, a smaller size a shorter one, which is
 * how failures are shrunk. Programs read one stream of ragged or regular arrays and one whole array, compute a random
 * body of `size` array operations per element in one or two stages, and deliver some of its values; some also consume a
 * sequence that they make themselves.
 */
#ifndef TESTS_CONFORMANCE_GENERATOR_H
#define TESTS_CONFORMANCE_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/wadi.h"

enum { GEN_MAX_PARTS = 4, GEN_TABLE = 7 };

#define GEN_SOURCE "in"
#define GEN_SINK "out"
#define GEN_INPUT "table"

/* A small fast generator (Steele, Lea, Flood 2014: splitmix64); all randomness of a test comes from one of these. */
typedef struct gen_random {
    uint64_t state;
} gen_random;
uint64_t gen_next(gen_random *r);
int gen_below(gen_random *r, int n); /* 0..n-1, n > 0 */

/* What the stream looks like; decided by the seed. */
typedef struct gen_stream {
    int parts;
    wadi_type type[GEN_MAX_PARTS];
    int rank[GEN_MAX_PARTS];
    bool fixed[GEN_MAX_PARTS];
    int64_t shape[GEN_MAX_PARTS][WADI_MAX_RANK]; /* of fixed parts */
    bool shared;                                 /* both parts always have the same shape */
} gen_stream;

/* Builds the program; NULL when out of memory. The caller destroys it. */
wadi_program *gen_program(uint64_t seed, int size, gen_stream *out_stream);

/* Elements for the stream: extents 0, 1, primes, powers of two and their neighbours; values small, large and odd. */
typedef struct gen_input {
    int64_t count;
    int parts;
    wadi_array *array; /* [count * parts] */
    wadi_array table;  /* i32[GEN_TABLE] */
    int32_t table_data[GEN_TABLE];
} gen_input;
bool gen_input_make(uint64_t seed, const gen_stream *s, gen_input *out);
void gen_input_free(gen_input *in);

#endif
