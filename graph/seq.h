/* What an operator does with the elements of sequences: the part of its row that says so.
 *
 * Such an operator means one thing in three places: between the bodies of a stream, where codegen/plan makes stages and
 * ends of it; within an element, where codegen/kernel makes loops; and in the interpreter. Each of them goes by
 * the form said here and by nothing else, so an operator of a known form needs nothing but its row.
 *
 * Regions see elements as their operator's `block_params` says. "Elements" below are those of argument 0, in order. */
#ifndef WADI_GRAPH_SEQ_H
#define WADI_GRAPH_SEQ_H

#include <stdbool.h>

typedef enum wadi_seq_form {
    WADI_SEQ_NONE, /* the operator neither takes nor gives sequences */
    /* sources */
    WADI_SEQ_COUNT, /* region 0 makes element i of the number i, for every i below argument 0 */
    WADI_SEQ_READ, /* elements come from outside, under the name of the binding. They can be read only once */
    /* stages: they give a sequence */
    WADI_SEQ_MAP, /* region 0 makes an element of the next elements of all arguments; the shortest ends the result */
    WADI_SEQ_PICK,   /* some of the elements, by their numbers: `pick` says which */
    WADI_SEQ_FILTER, /* the elements for which region 0 yields true */
    WADI_SEQ_EXPAND, /* the slices of what region 0 yields, along the outermost dimension */
    WADI_SEQ_BATCH, /* as many elements as argument 1 says become one, stacked; all have the shape of the first one */
    WADI_SEQ_WINDOWS, /* argument 1 values out of those of all elements, again argument 2 values further on; attribute 0
                         says what becomes of the last window */
    WADI_SEQ_SCAN, /* the states of FOLD, one after each element */
    /* ends: they give arrays, or nothing */
    WADI_SEQ_FOLD, /* arguments from 1 on are a state; region 0 makes the next one of it and an element */
    WADI_SEQ_FOLD_CHUNK, /* the same with several elements at once, of which region 0 sees shapes and values */
    WADI_SEQ_COLLECT, /* all elements as arrays: `collect` says how */
    WADI_SEQ_DELIVER  /* elements go outside, under the name of the binding */
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
