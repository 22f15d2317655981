/* The builder that fold_seq, scan_seq and fold_batch share: a state of arrays, and a region that makes the next state from it. */
#ifndef WADI_OPERATORS_STEPPING_H
#define WADI_OPERATORS_STEPPING_H

#include "graph/lang/node.h"

typedef struct wadi_stepping {
    int n, parts; /* arrays of the state, components of the stream */
    wadi_array_type *state;
    const wadi_array_type *element;
} wadi_stepping;

/** Appends the stream and the first state as arguments; false if the draft has failed. */
bool wadi_stepping_begin(wadi_draft *d, wadi_acc z, wadi_seq s, wadi_stepping *out);
/** Appends the region, which calls f with the state and arrays of the types x[0..parts) and yields the next state. */
void wadi_stepping_region(wadi_draft *d, const wadi_stepping *o, wadi_acc_fn2_env f, void *env,
                          int parts, const wadi_array_type *x);

#endif
