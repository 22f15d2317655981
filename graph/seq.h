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

/** The forms; graph/seq.def says what each one means. */
typedef enum wadi_seq_form {
    WADI_SEQ_NONE, /* the operator neither takes nor gives sequences */
#define WADI_SEQ_FORM(NAME, name, traits) WADI_SEQ_##NAME,
#include "graph/seq.def"
#undef WADI_SEQ_FORM
} wadi_seq_form;

/** What others ask of a form; graph/seq.def answers. */
typedef enum wadi_form_trait {
    WADI_FORM_SOURCE = 1, /* elements come from no other sequence */
    WADI_FORM_ONCE = 2,   /* they can be read only once */
    WADI_FORM_CHUNKS = 4  /* the region sees several elements at once, and not their components */
} wadi_form_trait;

/** PICK: which arguments say what is picked: the number of an argument, or 0 if the operator has no such argument. For example,
 *  drop_seq has {.first = 1}. A value below 0 counts as 0, but a step below 1 is a fault. */
typedef struct wadi_seq_pick {
    int first; /* how many elements are skipped before the first one that is picked */
    int step;  /* from there on, every step-th element is picked: 1 picks all, 2 every other one */
    int most;  /* how many are picked at most */
} wadi_seq_pick;

/** COLLECT: what becomes of component c. */
typedef enum wadi_seq_collect {
    WADI_COLLECT_VALUES, /* result c: the values of all elements, one element after the other */
    WADI_COLLECT_TABLE,  /* result c: the elements stacked; they must have one shape */
    WADI_COLLECT_LEAST_TABLE, /* the same, with each element cut to the least extents of all */
    WADI_COLLECT_SEGMENTS     /* results 2 c and 2 c + 1: a table of the shapes, and the values */
} wadi_seq_collect;

typedef struct wadi_seq_rule {
    wadi_seq_form form;
    bool
        unordered; /* DELIVER: elements may go in any order, and nobody else may need theirs (ir/verify_order.c) */
    wadi_seq_pick pick;
    wadi_seq_collect collect;
} wadi_seq_rule;

/** The traits of each form, as bits (graph/op.c). */
extern const unsigned wadi_seq_traits[];

/** Whether the rule's form has the trait; false if it has no form. */
static inline bool wadi_seq_has(const wadi_seq_rule *rule, wadi_form_trait trait) {
    return (wadi_seq_traits[rule->form] & (unsigned)trait) != 0;
}

#endif
