/* Atomic stores. */
#ifndef WADI_CODEGEN_EMIT_LANES_UPDATE_H
#define WADI_CODEGEN_EMIT_LANES_UPDATE_H

#include "codegen/emit/c_like/expression.h"

/** Writes an atomic STORE whose value is an operation on the element that is there: an atomic addition, or a loop that compares and swaps
 *  the word which contains the element, until nobody else has changed it in between. */
void wadi_c_update(wadi_c_writer *c, const wadi_linst *store, int level);

#endif
