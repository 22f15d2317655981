/* Operators that read several arrays at one index; see zip.c. Their arrays are the arguments from number `from` on.
 * Internal to operators/. */
#ifndef WADI_OPERATORS_ZIP_H
#define WADI_OPERATORS_ZIP_H

#include "graph/lang/node.h"
#include "operators/rules.h"

enum { WADI_ZIP_ARRAYS = 9 };

/** Appends the types of one element of each array to the `n` in `types`; returns the new length, or -1 if they do not fit. */
int wadi_zip_params(const wadi_module *m, const wadi_bind *b, int from, int n, wadi_type *types);
/** The arrays have the rank of the first. */
WADI_NODISCARD wadi_status wadi_zip_type(const wadi_module *m, const wadi_bind *b, int from,
                                         wadi_error *err);
/** The extents of the arrays agree. */
void wadi_zip_extents(wadi_shape_cx *cx, const wadi_bind *b, int from);
/** Reads element ix of each array, one scalar per field. */
void wadi_zip_at(wadi_at *cx, const wadi_bind *b, int from, const wadi_sx *ix, wadi_sx *out);
/** The same in the interpreter; returns the end of what it wrote. */
uint64_t *wadi_zip_put(wadi_eval_cx *cx, const wadi_bind *b, int from, const int64_t *ix,
                       uint64_t *to);
WADI_NODISCARD wadi_status wadi_zip_check(wadi_eval_cx *cx, const wadi_bind *b, int from);

/** Of an operator whose function 0 makes an element of those of `least` arrays or more at one index: */
WADI_NODISCARD wadi_status wadi_zip_applied_type(wadi_module *m, wadi_bind *b, int least,
                                                 wadi_error *err);
/** its result has their shape, */
void wadi_zip_applied_shape(wadi_shape_cx *cx, const wadi_bind *b);
/** and each of its elements is made by `elem` in the interpreter. */
WADI_NODISCARD wadi_status wadi_zip_applied_eval(wadi_eval_cx *cx, const wadi_bind *b,
                                                 wadi_eval_elem elem);

/** Appends least..WADI_ZIP_ARRAYS arrays of one rank to the draft; false after a mistake. */
bool wadi_zip_draft(wadi_draft *d, int least, int n, const wadi_acc *arrays,
                    const wadi_array_type **out);

#endif
