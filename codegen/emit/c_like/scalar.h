/* Scalar types, constants and operations as C expressions. */
#ifndef WADI_CODEGEN_EMIT_C_SCALAR_H
#define WADI_CODEGEN_EMIT_C_SCALAR_H

#include "base/text.h"
#include "codegen/loop/loop.h"

const char *wadi_c_type(wadi_type t);
/** Exact: floats as hexadecimal unless a short decimal says the same. */
void wadi_c_constant(wadi_text *out, wadi_scalar value);

/** A cast, to be written in front of `x`, when both are constants: digits alone have a type of C, not theirs. */
void wadi_c_say_type(wadi_text *out, const wadi_lfun *f, wadi_lv x, wadi_lv y);

typedef void (*wadi_c_write)(void *env, wadi_lv v);
/** The primitive `i`: its arguments are written by `operand` (binds tight) or `plain` (between commas). */
void wadi_c_prim(wadi_text *out, const wadi_lfun *f, const wadi_linst *i, wadi_c_write operand,
                 wadi_c_write plain, void *env);

#endif
