/* The elementary functions of real numbers, as the interpreter and all kernels compute them. Whoever includes this has defined
 * WADI_FN (short functions), WADI_LIBRARY (longer ones), WADI_TABLE (arrays of constants), and wadi_bits_of_f32, wadi_of_bits_f32,
 * wadi_bits_of_f64 and wadi_of_bits_f64. */
#ifndef WADI_ELEMENTARY_ELEMENTARY_H
#define WADI_ELEMENTARY_ELEMENTARY_H

#include "graph/elementary/error.h"
#include "graph/elementary/exponential.h"
#include "graph/elementary/gamma.h"
#include "graph/elementary/hyperbolic.h"
#include "graph/elementary/inverse.h"
#include "graph/elementary/logarithm.h"
#include "graph/elementary/power.h"
#include "graph/elementary/root.h"
#include "graph/elementary/trigonometric.h"

#endif
