/* The state and functions that the parts of the generator share. Internal to generator*.c. */
#ifndef TESTS_CONFORMANCE_MAKER_H
#define TESTS_CONFORMANCE_MAKER_H

#include "tests/conformance/generator.h"

enum { GEN_POOL = 64, GEN_MAX_OUT = 4, GEN_ELEMENT = GEN_MAX_STREAMS * GEN_MAX_PARTS };

/* An array that steps may use; or what an element has, which may be records: of the fields u, v and at. */
typedef struct item {
    wadi_acc a;
    int rank;
    wadi_type type;
    int shape; /* class of equal extents */
    bool record;
    wadi_type second; /* of v, if it is records */
} item;

typedef struct maker {
    gen_random r;
    gen_random beside; /* of what is added to programs and leaves the rest of them as it is */
    int size;
    item pool[GEN_POOL];
    int n, classes;
    wadi_acc table, outer;
    item more[2 * GEN_MAX_INPUTS + 1]; /* what stands outside of the streams beside these two */
    int nmore, more_classes;
    /* components of the element a body is made for, and what the body gave */
    int parts;
    item part[GEN_ELEMENT], out[GEN_MAX_OUT];
    int outs;
    bool alike;         /* the elements have one shape */
    int depth, deepest; /* of regions that the step being made stands in, and may stand in */
    bool lengthy;       /* rows are long: nothing multiplies them */
    bool perilous;      /* some steps fault in some elements */
    /* what the scalar function being built may use */
    wadi_type want;
    wadi_type given[4];
    int64_t constant;
} maker;

bool gen_is_float(wadi_type t);
bool gen_is_complex(wadi_type t);
wadi_type gen_type(gen_random *r);
bool gen_has_type(wadi_type t); /* gen_type gives it */
wadi_exp gen_literal(maker *m, wadi_type t);
/* The sum of two of type t; of bools whether one is true. */
wadi_fn2 gen_sum(wadi_type t);
/* An associative function on elements of type t. */
wadi_fn2 gen_associative(maker *m, wadi_type t);

/* Random scalar functions from m->given to m->want; env is the maker. */
wadi_exp gen_fn1(void *env, wadi_exp a);
wadi_exp gen_fn2(void *env, wadi_exp a, wadi_exp b);
wadi_exp gen_fn3(void *env, wadi_exp a, wadi_exp b, wadi_exp c);
wadi_exp gen_fn4(void *env, wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d);
wadi_exp gen_of_index(void *env, wadi_ix ix);
wadi_exp gen_of_index_and_element(void *env, wadi_ix ix, wadi_exp a);

/* Rows are about as long as blocks, and few. */
bool gen_is_lengthy(uint64_t seed);
/* Elements of some sizes fault. */
bool gen_is_perilous(uint64_t seed);
/* What the program reads (generator_outside.c). */
void gen_outside_make(gen_random *r, bool lengthy, gen_outside *out);
wadi_seq gen_stream_in(const gen_outside *o, int stream);
wadi_acc gen_input_in(const gen_outside *o, int input);

/* Records (generator_records.c): of a pooled array; the fields of them, as arrays of the pool; other records of a vector of them;
 * their first field. */
item gen_recorded(maker *m, item it);
void gen_keep_fields(maker *m, item it);
wadi_acc gen_changed_records(maker *m, const item *it);
wadi_acc gen_first_field(wadi_acc r);
/* The longest vector of a sequence of vectors of records. */
wadi_eat gen_longest_records(maker *m, wadi_seq s);
/* Records made, changed and taken apart in one step. */
void gen_record_step(maker *m);

/* The sequence as states by key, whose elements m->part does not tell. */
wadi_seq gen_by_key(maker *m, wadi_seq s);

/* Adds an array to the pool. */
void gen_keep(maker *m, wadi_acc a, int rank, wadi_type type, int shape);
int gen_fresh_class(maker *m);
/* A pooled array, the younger the likelier, so that chains form. */
item gen_pick(maker *m);
item gen_pick_ranked(maker *m, int least, int most);
/* A pooled array of that shape; often itself. */
item gen_like(maker *m, const item *it);
wadi_exp gen_small_extent(maker *m);

/* One random array operation (generator_arrays.c). */
void gen_step(maker *m);
/* One that faults in elements of some extents (generator_perils.c). */
void gen_peril_step(maker *m);
/* The same of slices, high ranks and whole records (generator_derived.c). */
void gen_derived_step(maker *m);
/* One that sorts, ranks or searches (generator_orders.c). */
void gen_order_step(maker *m);
/* Several that read one array (generator_siblings.c). */
void gen_siblings_step(maker *m);
/* A stencil of one array or two (generator_stencils.c). */
void gen_stencil_step(maker *m);
/* Adds a stencil of three to nine arrays to the youngest array of the pool, or nothing, as m->beside draws. */
void gen_stencil_beside(maker *m);
/* One that draws random numbers (generator_random.c). */
void gen_random_step(maker *m);
/* A fold over all pairs of rows and columns (generator_pairs.c). */
void gen_pairs_step(maker *m);
/* The same of filters, segments and what comes with them (generator_ragged.c). */
void gen_ragged_step(maker *m);
/* A branch, a loop or a sequence whose regions have steps of their own (generator_control.c); false: too deep already. */
bool gen_control_step(maker *m);

/* Sequences (generator_seq.c): pieces of an array; none, one or two transducers behind `s`; a consumer of any kind. */
wadi_seq gen_pieces(maker *m);
wadi_seq gen_transduced(maker *m, wadi_seq s);
wadi_eat gen_consumed(maker *m, wadi_seq s);
/* Adds to the pool what a sequence over a pooled array gives. */
void gen_inner(maker *m);

#endif
