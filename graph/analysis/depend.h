/* Dependence analysis: which values of a stage body depend on the stream index, for shape and elements separately.
 *
 * This is the independence analysis of van den Haak (2019), kept per component of a tuple. Values outside every sequence body
 * depend on nothing. The elements of a body's parameter always depend on the index. Its shape does too, unless the sequence's
 * element type fixes it (by constants or named extents, or because an upstream stage was proved regular). */
#ifndef WADI_GRAPH_ANALYSIS_DEPEND_H
#define WADI_GRAPH_ANALYSIS_DEPEND_H

#include "graph/analysis/shape.h"

typedef struct wadi_deps {
    wadi_dep **dep; /* [value] -> [comp] */
    uint32_t nvalues;
    wadi_arena *arena;
} wadi_deps;

WADI_NODISCARD wadi_status wadi_depend_analyse(const wadi_module *m, const wadi_shapes *s,
                                               wadi_deps **out, wadi_error *err);
void wadi_deps_destroy(wadi_deps *d); /* NULL is fine */
wadi_dep wadi_deps_get(const wadi_deps *d, wadi_val v, int comp);
/** avoid: neither; regular: elements only; irregular: shape. */
wadi_rep wadi_rep_of(wadi_dep d);

#endif
