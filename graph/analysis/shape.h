/* Shape analysis: the symbolic extents of every value, and the checks that remain for run time.
 *
 * Runs the operators' shape rules over a module before lifting (Reppy and Wingerter 2020 put shape analysis before
 * flattening). Extents of values inside a map_seq body are those of one element of the stream.
 *
 * Soundness. The extents of a value rely only on the checks of its own binding and of the bindings it is computed from. They
 * rely on no other checks, because another binding may be dead, or late, or in a branch that does not run. So kernels may use
 * these extents as bounds if each kernel first runs the checks of the bindings that are computed in it. wadi_ext_norm and
 * wadi_ext_equal also know the equalities that hold when all checks have passed. They serve explanations and choices, never
 * bounds.
 */
#ifndef WADI_GRAPH_ANALYSIS_SHAPE_H
#define WADI_GRAPH_ANALYSIS_SHAPE_H

#include "graph/op.h"

/** Two extents that must agree when `bind` runs and could not be proved to. */
typedef struct wadi_shape_check {
    const wadi_bind *bind;
    wadi_ext a, b; /* compared as they are written here; their representatives are already equal */
    const char *what; /* "extents of arguments 1 and 2" */
    int dim;          /* their dimension; -1: not known */
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
/** Whether both have one rank and all extents are proved equal, without relying on checks. */
bool wadi_shapes_same(const wadi_shapes *s, const wadi_module *m, wadi_val a, wadi_val b);

#endif
