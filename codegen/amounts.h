/* How many elements and bytes the arrays of a program have, as formulas in its extents. */
#ifndef WADI_CODEGEN_AMOUNTS_H
#define WADI_CODEGEN_AMOUNTS_H

#include "codegen/named.h"

/** Elements of v. WADI_EXT_NONE: its shape is not known. */
wadi_ext wadi_amount_elements(const wadi_named *x, wadi_val v);
/** `sum` and the bytes of v; NONE if either is not known. */
wadi_ext wadi_amount_add(const wadi_named *x, wadi_ext sum, wadi_val v);
/** The same, but no more than `most` elements count. NONE: all. */
wadi_ext wadi_amount_add_most(const wadi_named *x, wadi_ext sum, wadi_val v, wadi_ext most);
wadi_ext wadi_amount_zero(const wadi_named *x);
/** "8*n bytes", "? bytes", or a number if all extents in it are given. */
void wadi_amount_print(const wadi_named *x, wadi_ext e, const char *unit);

/** Whether v is never stored. */
bool wadi_amount_is_delayed(const wadi_named *x, wadi_val v);
/** Whether a pass over arrays computes the binding. */
bool wadi_amount_has_pass(const wadi_named *x, const wadi_bind *b);
/** Whether the run or the program gives the value of the binding. */
bool wadi_amount_is_given(const wadi_bind *b);

#endif
