/* Writes the bindings of a body or region, and the values that are carried from element to element. */
#ifndef WADI_CODEGEN_KERNEL_BODY_H
#define WADI_CODEGEN_KERNEL_BODY_H

#include "codegen/kernel/lower.h"

/** Marks the scratch memory in front of the current scope if code in the scope takes any; else returns NONE (body.c). */
wadi_lv wadi_lower_mark_front(wadi_lower *l);
/** Computes the stored results of the bindings into scratch, scalars, or their slots if they are among `results`. */
void wadi_lower_binds(wadi_lower *l, int n, const wadi_bind *const *binds, const bool *is_result);
/** Makes variables for the values that are carried from element to element (carry.c). Called in front of the loop. */
wadi_lv *wadi_carry_begin(wadi_lower *l, const wadi_body *body);
/** Called at the beginning of an element: the carried values are read from the variables. */
void wadi_carry_get(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** Called at the end of an element: the variables get the next values. */
void wadi_carry_next(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** Called after the loop: the variables are stored in the slots of the carried values. */
void wadi_carry_end(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** Makes `v` a stored value: if it is delayed, computes it into scratch memory or scalars. */
void wadi_lower_store(wadi_lower *l, wadi_val v);
/** Forgets what was read of states whose memory this body writes, so that each element reads it again. */
void wadi_lower_renew_states(wadi_lower *l);
/** Copies v, which is stored elsewhere or in the slot of another value, into emitted storage of `slot`. */
void wadi_lower_copy_out(wadi_lower *l, wadi_val v, int slot);

#endif
