/* Scalars as text: what the printer writes and the parser reads.
 *
 *     3  -7  0xff  255u8  1.5  1e-3f32  inf_f32  -inf_f64  nan_f64  true  false
 *     1.5-2.0i  0.5+1.0ic64  inf+nani
 *
 * Integers without a suffix are i64, numbers with a point or an exponent f64, complex numbers c128; the parts of a complex
 * number are written without blanks, and where one is expected a real number is one. Reading what was printed gives the same
 * bits, but for the payload of a NaN. Independent of the locale. */
#ifndef WADI_GRAPH_IR_LITERAL_H
#define WADI_GRAPH_IR_LITERAL_H

#include "base/text.h"
#include "graph/ir/ir.h"

/** Appends `v`; the suffix is left out where the type is the default one, or everywhere when `bare`. */
void wadi_literal_print(wadi_scalar v, bool bare, wadi_text *out);

/** Reads the first `n` bytes of `s`. `want` is the type it must have, NULL: any. False: *out_why says what is wrong. */
bool wadi_literal_read(const char *s, size_t n, const wadi_type *want, wadi_scalar *out,
                       const char **out_why);

/** The type named by the first `n` bytes of `s`; false when there is none. */
bool wadi_type_read(const char *s, size_t n, wadi_type *out);

#endif
