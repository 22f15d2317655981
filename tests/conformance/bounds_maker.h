/* What the parts of the generator share. Internal to bounds*.c. */
#ifndef TESTS_CONFORMANCE_BOUNDS_MAKER_H
#define TESTS_CONFORMANCE_BOUNDS_MAKER_H

#include "tests/conformance/bounds.h"

enum {
    BOUNDS_ARRAYS = 48,
    BOUNDS_NUMBERS = 24,
    BOUNDS_NAME = 8,
    BOUNDS_DEEPEST = 3,
    BOUNDS_MADE = 24
};

typedef struct bounds_array {
    char name[BOUNDS_NAME];
    int rank;
    bool tame; /* no element faults: some may be left out */
} bounds_array;

typedef struct bounds_maker {
    gen_random r;
    wadi_text *out;
    bounds_array pool[BOUNDS_ARRAYS];
    char number[BOUNDS_NUMBERS][BOUNDS_NAME]; /* each a length that memory has, or none has */
    int arrays, numbers, names, depth;
    char index[3][BOUNDS_NAME]; /* of the function that is being written */
    int indices;
    bounds_array made[BOUNDS_MADE]; /* in the block that is being written, to be delivered */
    int nmade;
    bool rows;   /* elements are short rows, of which some are empty; filters are many */
    bool summed; /* blocks deliver sums alone, so that nothing grows from turn to turn */
} bounds_maker;

int bounds_below(bounds_maker *m, int n);
const char *bounds_one_of(bounds_maker *m, const char *const *list, int n);
#define BOUNDS_ONE_OF(m, list) bounds_one_of(m, list, (int)(sizeof(list) / sizeof *(list)))

/* A name that nothing has. */
void bounds_fresh(bounds_maker *m, char *name);
/* One of those that there are; NULL: none. */
const bounds_array *bounds_any_array(bounds_maker *m, int rank, bool tame);
const char *bounds_any_number(bounds_maker *m);

/* Writes a computation of a number, and keeps it. */
void bounds_write_number(bounds_maker *m);
void bounds_keep_number(bounds_maker *m, const char *name);

/* An index of `a`: any, or in range if there is one. */
void bounds_add_index(bounds_maker *m, const bounds_array *a);
/* What a function of the indices gives. */
void bounds_add_element(bounds_maker *m);
/* The parameters of a function of n indices, and its end. */
void bounds_begin_function(bounds_maker *m, int n);
void bounds_end_function(bounds_maker *m);

/* An array that later steps may read, and that is delivered. */
void bounds_keep(bounds_maker *m, const char *name, int rank, bool tame);
/* What is delivered, and not read. */
void bounds_keep_result(bounds_maker *m, const char *name, int rank);
/* Writes some array operation. */
void bounds_write_array(bounds_maker *m, char *name);

#endif
