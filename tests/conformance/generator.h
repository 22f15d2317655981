/* Random well-typed programs and ragged inputs for them.
 *
 * A program is a function of (seed, size): the same pair gives the same program, a smaller size a shorter one, which is
 * how failures are shrunk. Programs read one to three streams of ragged or regular arrays, of records too, and whole arrays; they compute a
 * random body of `size` array operations per element in one or two stages, and deliver some of its values; some have another stage over what the
 * first one reads, with a sink or a consumer of its own; some also consume a
 * sequence that they make themselves.
 */
#ifndef TESTS_CONFORMANCE_GENERATOR_H
#define TESTS_CONFORMANCE_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/wadi.h"

enum { GEN_MAX_STREAMS = 3, GEN_MAX_PARTS = 4, GEN_MAX_INPUTS = 3, GEN_FIELDS = 3, GEN_TABLE = 7 };

#define GEN_SINK "out"
#define GEN_INPUT "table"

/* A small fast generator (Steele, Lea, Flood 2014: splitmix64); all randomness of a test comes from one of these. */
typedef struct gen_random {
    uint64_t state;
} gen_random;
uint64_t gen_next(gen_random *r);
int gen_below(gen_random *r, int n); /* 0..n-1, n > 0 */

/* What an array from outside looks like. A record has the fields "u", "v" of any types and "at", an i64. */
typedef struct gen_array {
    int rank, fields; /* 1 or GEN_FIELDS */
    wadi_type type[GEN_FIELDS];
    bool fixed,
        named; /* fixed: the extents are declared, named: by a name that several inputs have */
    int64_t shape[WADI_MAX_RANK]; /* of fixed ones */
} gen_array;

/* What a stream looks like; decided by the seed. */
typedef struct gen_stream {
    int parts;
    gen_array part[GEN_MAX_PARTS];
    bool shared; /* all parts always have the same shape */
} gen_stream;

typedef struct gen_outside {
    int streams, inputs; /* inputs beside the table */
    gen_stream stream[GEN_MAX_STREAMS];
    gen_array input[GEN_MAX_INPUTS];
} gen_outside;

const char *gen_source_name(int stream);
const char *gen_input_name(int input);

/* Builds the program; NULL when out of memory. The caller destroys it. */
wadi_program *gen_program(uint64_t seed, int size, gen_outside *out);

/* Elements for the streams: extents 0, 1, primes, powers of two and their neighbours; values small, large and odd. */
typedef struct gen_input {
    int64_t count[GEN_MAX_STREAMS];
    int parts[GEN_MAX_STREAMS];
    wadi_array *array[GEN_MAX_STREAMS]; /* [count * parts] */
    wadi_array table;                   /* i32[GEN_TABLE] */
    int32_t table_data[GEN_TABLE];
    wadi_array more[GEN_MAX_INPUTS];
} gen_input;
bool gen_input_make(uint64_t seed, const gen_outside *o, gen_input *out);
void gen_input_free(gen_input *in);

#endif
