/* The elementary functions by their operations. */
#ifndef WADI_GRAPH_ELEMENTARY_COMPUTE_H
#define WADI_GRAPH_ELEMENTARY_COMPUTE_H

#include <stdbool.h>

#include "graph/ir/ir.h"

/** A complex number; for wadi_elementary_c64, its parts are f32. */
typedef struct wadi_elementary_pair {
    double re, im;
} wadi_elementary_pair;

/** What `op` makes of `a`, and of `b` if it has two arguments, with the bits that kernels compute. false: `op` is no elementary
 *  function. All of real numbers but `sqrt`, and of complex ones `abs` and `arg` (in the real part), `sqrt` and the others. */
bool wadi_elementary_f32(wadi_sop op, float a, float b, float *out);
bool wadi_elementary_f64(wadi_sop op, double a, double b, double *out);
bool wadi_elementary_c64(wadi_sop op, wadi_elementary_pair a, wadi_elementary_pair b,
                         wadi_elementary_pair *out);
bool wadi_elementary_c128(wadi_sop op, wadi_elementary_pair a, wadi_elementary_pair b,
                          wadi_elementary_pair *out);

#endif
