/* Simplifying one scalar function: constants, exact identities, and extents that shape analysis knows. */
#ifndef WADI_CODEGEN_SCALAR_FOLD_H
#define WADI_CODEGEN_SCALAR_FOLD_H

#include "graph/analysis/shape.h"

typedef struct wadi_scalar_fold {
    wadi_module *m;
    const wadi_shapes *shapes; /* NULL: extents stay as they are */
    const bool *visible;       /* [nvisible]: values that the function may read */
    uint32_t nvisible;
} wadi_scalar_fold;

/** Simplifies `f` in place. Dead instructions may stay; the pass dce removes them. False when out of memory. */
bool wadi_simplify_fun(const wadi_scalar_fold *cx, wadi_fun *f);

/** Whether result `k` of `f` is a constant; if so, *out is its value. */
bool wadi_simplify_yields_const(const wadi_fun *f, int k, wadi_scalar *out);

#endif
