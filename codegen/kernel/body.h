/* The bindings of a body or region, and what is carried from element to element. */
#ifndef WADI_CODEGEN_KERNEL_BODY_H
#define WADI_CODEGEN_KERNEL_BODY_H

#include "codegen/kernel/lower.h"

/** Puts a mark of the scratch memory in front of the current scope, if code in it takes any; else NONE (body.c). */
wadi_lv wadi_lower_mark_front(wadi_lower *l);
/** Computes the stored results of the bindings into scratch, scalars, or their slots if they are among `results`. */
void wadi_lower_binds(wadi_lower *l, int n, const wadi_bind *const *binds, const bool *is_result);
/** Values that go from element to element (carry.c): variables for them, in front of the loop. */
wadi_lv *wadi_carry_begin(wadi_lower *l, const wadi_body *body);
/** What they hold is the values, at the beginning of an element. */
void wadi_carry_get(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** They get the next values, at its end. */
void wadi_carry_next(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** They are put back to their slots, behind the loop. */
void wadi_carry_end(wadi_lower *l, const wadi_body *body, const wadi_lv *vars);
/** Makes `v` a stored value: nothing to do if it is, else it is computed into scratch or scalars. */
void wadi_lower_store(wadi_lower *l, wadi_val v);
/** The states whose memory this body writes: what is read of them is read anew for each element. */
void wadi_lower_renew_states(wadi_lower *l);
/** Copies v, which is stored elsewhere or is another's slot, into emitted storage of `slot`. */
void wadi_lower_copy_out(wadi_lower *l, wadi_val v, int slot);

#endif
