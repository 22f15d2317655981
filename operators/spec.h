/* The entries that replicate and slice take: whole dimensions, fixed ones, and `any` for every
 * remaining dimension. Internal to operators/. */
#ifndef WADI_OPERATORS_SPEC_H
#define WADI_OPERATORS_SPEC_H

#include "graph/lang/node.h"

/** Entries with `any` written out. */
typedef struct wadi_dims {
    int n; /* 0 after a mistake */
    bool fixed[WADI_MAX_RANK];
    wadi_exp value[WADI_MAX_RANK];
} wadi_dims;

/** How many entries are fixed. */
int wadi_spec_fixed(int n, const wadi_spec *spec);
/** The entries for an array of type `t`, which is the draft's last argument. `whole` is the number of whole dimensions that
 *  there must be. */
wadi_dims wadi_spec_dims(wadi_draft *d, const wadi_array_type *t, int n, const wadi_spec *spec,
                         int whole);
/** An attribute per entry, 1 fixed and 0 whole, and the values of the fixed ones as arguments. */
void wadi_spec_entries(wadi_draft *d, const wadi_dims *dims);

#endif
