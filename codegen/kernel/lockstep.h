/* Loops within elements, run for many elements in step. */
#ifndef WADI_CODEGEN_KERNEL_LOCKSTEP_H
#define WADI_CODEGEN_KERNEL_LOCKSTEP_H

#include "codegen/kernel/lower.h"

/** Rewrites the loop over elements that stands last in the current scope, and is closed, if there is one scalar loop within its elements that C
 *  compilers can run for a block of elements in SIMD code. Else leaves it as it is. */
void wadi_lower_lockstep(wadi_lower *l);

#endif
