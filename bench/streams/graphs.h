/* Graphs for the benchmarks, as the rows of their transposed adjacency: row v lists the nodes that link to v. */
#ifndef WADI_BENCH_STREAMS_GRAPHS_H
#define WADI_BENCH_STREAMS_GRAPHS_H

#include "wadi/matrix.h"

/* An R-MAT graph (Chakrabarti, Zhan, Faloutsos 2004) with 2^scale nodes, the parameters of Graph500 and its shuffled node
 * numbers; the same on every machine. Multiple links and links to itself stay. values is NULL. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_graph_rmat(int scale, int64_t edges, wadi_csr *out,
                                            wadi_error *err);

/* A gzipped list of "from<TAB>to" lines, '#' before comments; nodes count from 0. Errors: WADI_IO, WADI_INVALID,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_graph_read(const char *path, wadi_csr *out, wadi_error *err);

#endif
