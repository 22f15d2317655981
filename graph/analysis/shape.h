/* Shape analysis: the symbolic extents of every value, and the checks that remain for run time.
 *
 * Runs the operators' shape rules over a module before lifting (Reppy and Wingerter 2020 put shape analysis before
 * flattening). Extents of values inside a map_seq body are those of one element of the stream.
 *
 * Soundness. The extents of a value lean on the checks of its own binding and of those it is made from, on no others: a
 * binding may be dead, late, or inside a branch that does not run, and with it its checks. So kernels may take them for
 * bounds when each runs the checks of the bindings computed in it first. All equalities that hold when every check has
 * passed show in wadi_ext_norm and wadi_ext_equal; they are for explanations and choices, never for bounds.
 */
#ifndef WADI_GRAPH_ANALYSIS_SHAPE_H
#define WADI_GRAPH_ANALYSIS_SHAPE_H

#include "graph/op.h"

/** Two extents that must agree when `bind` runs and could not be proved to. */
typedef struct wadi_shape_check {
    const wadi_bind *bind;
    wadi_ext a, b;    /* to be compared as they stand: their representatives are one */
    const char *what; /* "extents of arguments 1 and 2" */
    int dim;          /* the dimension in which they are; -1: not said */
} wadi_shape_check;

typedef struct wadi_shapes {
    wadi_extents *extents;
    wadi_ext **dims; /* [value] -> [comp * WADI_MAX_RANK + dim]; NULL for values without shapes */
    uint32_t nvalues;
    wadi_shape_check *checks;
    int nchecks;
    wadi_arena *arena;
} wadi_shapes;

WADI_NODISCARD wadi_status wadi_shapes_analyse(const wadi_module *m, wadi_shapes **out,
                                               wadi_error *err);
void wadi_shapes_destroy(wadi_shapes *s); /* NULL is fine */
/** WADI_EXT_NONE where there is none: a value of code that was removed. */
wadi_ext wadi_shapes_extent(const wadi_shapes *s, wadi_val v, int comp, int dim);
/** Calls `see` for every atom of `e` (a dimension, a scalar or a named extent) until it says true; whether it did. */
bool wadi_ext_any_atom(const wadi_extents *x, wadi_ext e,
                       bool (*see)(void *env, const wadi_ext_node *atom), void *env);
/** Same rank and every extent proved equal, whatever the checks say. */
bool wadi_shapes_same(const wadi_shapes *s, const wadi_module *m, wadi_val a, wadi_val b);

#endif
