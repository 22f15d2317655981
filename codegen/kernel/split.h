/* Border and interior of a loop as loops of their own. */
#ifndef WADI_CODEGEN_KERNEL_SPLIT_H
#define WADI_CODEGEN_KERNEL_SPLIT_H

#include "codegen/kernel/lower.h"

/** Writes the body of a loop for index i; may be called several times. */
typedef void (*wadi_split_body)(wadi_lower *l, void *env, wadi_lv i);
/** Writes a loop over from .. below - 1, which lie among 0 .. end - 1: as one loop, or as an interior in which what the body asks of affine
 *  indices is decided, and a border of what is in front of it and behind it. Returns the loop, or the interior, which has most of the
 *  rounds. */
const wadi_linst *wadi_lower_split(wadi_lower *l, wadi_lv from, wadi_lv below, wadi_lv end,
                                   const char *name, wadi_split_body body, void *env);
/** Before an innermost loop is closed: marks it as independent if its body is straight. */
void wadi_lower_mark_innermost(wadi_lower *l);

#endif
