/* Derived functions: a text writes them by name, as `sort xs`, and each stands for the operators that it is made of.
 *
 * There is no operator `sort`. Where a text names one, the parser asks the row for the program that makes the result, and reads that program
 * in its place (docs/decisions/0103-derived-functions-in-text.md). A printed text therefore has no derived functions. graph/ knows none of
 * them; operators/derived/written.c lists them. */
#ifndef WADI_GRAPH_DERIVED_H
#define WADI_GRAPH_DERIVED_H

#include "graph/ir/ir.h"

struct wadi_op_table;
struct wadi_text;

/** What a text gives to a derived function. */
typedef struct wadi_derived_call {
    int n;                        /* arguments; arrays of keys come last */
    const wadi_array_type *types; /* [n]; of scalars: rank 0 */
    const wadi_scalar *literals;  /* [n]; is_literal says which of them count */
    const bool *is_literal;       /* [n]; NULL: none is a literal */
    int nattrs;
    const int64_t *attrs;
} wadi_derived_call;

/** Room for the arguments of a scalar one. */
enum { WADI_DERIVED_SCALARS = 4 };

typedef struct wadi_derived {
    const char *name;
    const char *form, *types, *about; /* as in wadi_op */
    const char *attrs;                /* as in wadi_op */
    bool scalar;                      /* it stands in functions and takes scalars; else arrays */
    int nargs;
    int keys; /* how many functions of an element of argument 0 may follow: at least one. 0: none do. The array of its results is one more
                 argument */
    /** Writes the program, of operators of `ops`. Its inputs are the arguments in their order, its outputs the results. Of a scalar one, its only computation is a map
     *  of one array, whose function has the arguments as its parameters. WADI_INVALID, WADI_TYPE, WADI_SHAPE: the arguments do not fit. */
    wadi_status (*text)(const struct wadi_derived *d, const struct wadi_op_table *ops,
                        const wadi_derived_call *call, struct wadi_text *out, wadi_error *err);
} wadi_derived;

#endif
