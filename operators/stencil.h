/* What the attributes of a stencil say: dims, the edge of each array, and the places near an element that the function reads.
 * Internal to operators/.
 *
 *     dims=2 edge=14 near=2,0,-1,0,1, 1,0,0
 *
 * is a stencil over the two innermost dimensions of two arrays. edge has a digit for each array, the first one in front: 1 clamp, 2
 * mirror, 3 wrap, 4 a function. near has, for each array, the number of places, then their distances along each dimension. Function 0 gets
 * the elements at these places, in this order; each array with edge 4 has one more function. */
#ifndef WADI_OPERATORS_STENCIL_H
#define WADI_OPERATORS_STENCIL_H

#include "graph/lang/node.h"
#include "operators/rules.h"

enum { WADI_STENCIL_ARRAYS = 9, WADI_STENCIL_DIMS = 3, WADI_STENCIL_FAR = 1 << 20 };

#endif
