/* Loops that put what is kept behind each other, as calls of functions that take several elements at a time (codegen/rt/place.h). */
#ifndef WADI_CODEGEN_EMIT_C_PLACING_H
#define WADI_CODEGEN_EMIT_C_PLACING_H

#include "codegen/emit/c_like/expression.h"

/** Writes such a loop (wadi_linst.placing), behind an indent of `level` that is there. False: nothing is written, because it is written like any other. */
bool wadi_c_placing(wadi_c_writer *w, const wadi_linst *loop, int level);

#endif
