/* Copying scalar code into another function. */
#ifndef WADI_CODEGEN_SCALAR_COPY_H
#define WADI_CODEGEN_SCALAR_COPY_H

#include "graph/ir/ir.h"

/** Copies the instructions of `from`'s body to the end of block `into` of function `to`. args: scalars of `to`, one for each parameter of
 *  `from`. out: what `from` yields, as scalars of `to`. False when out of memory. */
bool wadi_scalar_copy(wadi_module *m, const wadi_fun *from, const wadi_sval *args, wadi_fun *to,
                      wadi_sblock *into, wadi_sval *out);

#endif
