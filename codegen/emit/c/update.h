/* Atomic stores in C. */
#ifndef WADI_CODEGEN_EMIT_C_UPDATE_H
#define WADI_CODEGEN_EMIT_C_UPDATE_H

#include "codegen/emit/c_like/expression.h"

/** Writes an atomic STORE: the units of a launch that store in the same place may be those of several workers. */
void wadi_c_update_in_c(wadi_c_writer *c, const wadi_linst *store, int level);

#endif
