/* Scalars as text: what the printer writes and the parser reads.
 *
 *     3  -7  0xff  255u8  1.5  1e-3f32  inf_f32  -inf_f64  nan_f64  true  false
 *     1.5-2.0i  0.5+1.0ic64  inf+nani
 *
 * An integer without a suffix is i64, a number with a point or an exponent f64, a complex number c128. The parts of a complex
 * number are written without blanks. Where a complex number is expected, a real one may be written. Reading what was printed
 * gives the same bits, except for the payload of a NaN. The locale has no influence. */
#ifndef WADI_GRAPH_IR_LITERAL_H
#define WADI_GRAPH_IR_LITERAL_H

#include "base/text.h"
#include "graph/ir/ir.h"

/** Appends `v`. The suffix is left out if the type is the default one, or if `bare`. */
void wadi_literal_print(wadi_scalar v, bool bare, wadi_text *out);

/** Reads the first `n` bytes of `s`. `want` is the type it must have, NULL: any. False: *out_why says what is wrong. */
bool wadi_literal_read(const char *s, size_t n, const wadi_type *want, wadi_scalar *out,
                       const char **out_why);

/** Whether `v`, as which these bytes were read, is infinite, or a part of it, without being written as `inf`: 1e400. */
bool wadi_literal_overflows(const char *s, size_t n, wadi_scalar v);

/** The type named by the first `n` bytes of `s`; false when there is none. */
bool wadi_type_read(const char *s, size_t n, wadi_type *out);

#endif
