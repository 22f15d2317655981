/* What an operator does with the elements of sequences: the part of its row that says so.
 *
 * Such an operator means one thing in three places: between the bodies of a stream, where codegen/plan makes stages and
 * ends of it; within an element, where codegen/kernel makes loops; and in the interpreter. Each of them goes by
 * the form said here and by nothing else, so an operator of a known form needs nothing but its row.
 *
 * Regions see elements as their operator's `block_params` says. */
#ifndef WADI_GRAPH_SEQ_H
#define WADI_GRAPH_SEQ_H

#include <stdbool.h>

/** Their contracts stand in graph/seq.def. */
typedef enum wadi_seq_form {
    WADI_SEQ_NONE, /* the operator neither takes nor gives sequences */
#define WADI_SEQ_FORM(NAME, name) WADI_SEQ_##NAME,
#include "graph/seq.def"
#undef WADI_SEQ_FORM
} wadi_seq_form;

/** PICK: the numbers of the arguments that say which elements, 0 for an argument that the operator has not. Values below 0 count
 *  as 0, but for a step, where less than 1 is a fault. */
typedef struct wadi_seq_pick {
    int first; /* how many elements go before the first picked one */
    int step;  /* of those from there on, every so many-th is picked */
    int most;  /* how many are picked at most */
} wadi_seq_pick;

/** COLLECT: what becomes of component c. */
typedef enum wadi_seq_collect {
    WADI_COLLECT_VALUES,      /* result c: the values of all elements, one behind the other */
    WADI_COLLECT_TABLE,       /* result c: the elements stacked; they must have one shape */
    WADI_COLLECT_LEAST_TABLE, /* the same, each cut to the least extents */
    WADI_COLLECT_SEGMENTS     /* results 2 c and 2 c + 1: a table of the shapes, and the values */
} wadi_seq_collect;

typedef struct wadi_seq_rule {
    wadi_seq_form form;
    wadi_seq_pick pick;
    wadi_seq_collect collect;
} wadi_seq_rule;

#endif
