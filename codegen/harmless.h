/* Which bindings may be computed earlier than the program says, or although nobody may need them. */
#ifndef WADI_CODEGEN_HARMLESS_H
#define WADI_CODEGEN_HARMLESS_H

#include "graph/analysis/shape.h"

/** Whether the functions of the binding never fault and always end, whatever their arguments are, and no check of its shapes is left
 *  for run time. What its operator itself may fault for, its row says (`faultless`, `needs_elements`). */
bool wadi_is_harmless(const wadi_shapes *shapes, const wadi_bind *b);

#endif
